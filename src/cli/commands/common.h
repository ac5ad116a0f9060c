// SPDX-License-Identifier: Apache-2.0
// What the client commands have in common: the flags that say where the service is, durations,
// and how trouble and facts are printed.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/remote.h"

namespace pawl::cli {

struct Words {
  std::string name;
  std::string what;      // one line
  std::string examples;  // one a line, shown under --help
};

// A subcommand with --url, --namespace, --timeout and --json, which fill `where`. `run` is chosen
// when it was asked for; whatever it needs must live in it.
CLI::App& add_client_command(CLI::App& app, Chosen& chosen, const Words& words, Where& where,
                             std::function<int()> run);

// A flag such as `--ttl 30s`.
void add_duration(CLI::App& command, const std::string& flag,
                  std::optional<std::chrono::microseconds>& into, const std::string& what);

// A flag for how many, at least one.
void add_count(CLI::App& command, const std::string& flag, std::uint64_t& into,
               const std::string& what);

// Says it on stderr (with --json the problem goes to stdout as it came), and gives the exit code.
int report(const Console& console, const Where& where, const Trouble& trouble);

// Lines of "name   value", values aligned; those with an empty value are left out.
using Facts = std::vector<std::pair<std::string, std::string>>;
void print_facts(const Console& console, const Facts& facts);

// "in 24s (2026-04-30T23:59:01.250Z)"; "never" for null.
std::string expiry_text(const boost::json::object& from, WallTime now);

// user@host, for owners and actors that were not named.
std::string user_at_host();

}  // namespace pawl::cli
