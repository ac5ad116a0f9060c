// SPDX-License-Identifier: Apache-2.0
// What http_bench is asked to measure. Plain values.
#pragma once

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace pawl::bench {

struct HttpOptions {
  double seconds = 6;
  std::set<std::string> only;     // of the sections in --help; empty: all
  std::set<std::string> servers;  // of those in --help; empty: all
  std::vector<unsigned> connections = {1, 32, 256};
  unsigned waiting = 10'000;
  std::filesystem::path pawl;    // empty: the program beside this one
  std::filesystem::path etcd;    // empty: the one in PATH
  bool need_etcd = false;        // without it, the exit code says so
  std::filesystem::path folder;  // empty: $TMPDIR, or the current folder
  std::filesystem::path json;    // empty: none

  bool wants(const std::string& section) const { return only.empty() || only.contains(section); }
  bool wants_server(const std::string& name) const {
    return servers.empty() || servers.contains(name);
  }
};

struct HttpHelp {};
struct BadHttpOption {
  std::string why;
};

std::variant<HttpOptions, HttpHelp, BadHttpOption> parse_http_options(
    std::span<char* const> arguments);
const char* http_help_text();

}  // namespace pawl::bench
