// SPDX-License-Identifier: Apache-2.0
// What engine_bench is asked to measure. Plain values.
#pragma once

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace pawl::bench {

struct Options {
  double seconds = 2;
  std::set<std::string> only;    // of the names in --help; empty: all
  std::filesystem::path folder;  // empty: $TMPDIR, or the current folder
  std::filesystem::path json;    // empty: none
  long leases = 1'000'000;       // held in restart and snapshot
  long expiring = 100'000;       // at once
  std::vector<unsigned> in_flight = {1, 32, 256, 1000};

  bool wants(const std::string& section) const { return only.empty() || only.contains(section); }
};

struct Help {};
struct BadOption {
  std::string why;
};

std::variant<Options, Help, BadOption> parse_options(std::span<char* const> arguments);
const char* help_text();

}  // namespace pawl::bench
