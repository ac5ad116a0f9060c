// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/common.h"

#include <pwd.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <climits>
#include <ostream>

#include "cli/durations.h"
#include "cli/fields.h"
#include "cli/text.h"

namespace pawl::cli {
namespace {

using std::chrono::microseconds;

microseconds duration_from(const std::string& flag, const std::string& text) {
  const auto duration = parse_duration(text);
  if (!duration)
    throw CLI::ValidationError(
        flag, "'" + printable(text) + "' is not a duration; write it as 30s, 1.5m or 250ms");
  return *duration;
}

}  // namespace

CLI::App& add_client_command(CLI::App& app, Chosen& chosen, const Words& words, Where& where,
                             std::function<int()> run) {
  CLI::App& command = *app.add_subcommand(words.name, words.what);
  command.footer(
      "Examples:\n" + words.examples +
      "\nExit codes: 0 done, 1 refused or failed, 2 wrong command line, 3 not acquired,\n"
      "4 the lease is over or unknown, 5 service unreachable, 6 outcome unknown.");
  const std::string group = "Where and how";
  command
      .add_option_function<std::string>(
          "--url",
          [&where](const std::string& url) {
            auto address = parse_url(url);
            if (!address) throw CLI::ValidationError("--url", address.fault());
            where.address = std::move(address).value();
          },
          "The service (default " + std::string(kDefaultUrl) + ")")
      ->type_name("URL")
      ->envname("PAWL_URL")
      ->group(group);
  command.add_option("--namespace", where.name_space, "The namespace (default: 'default')")
      ->type_name("NAME")
      ->envname("PAWL_NAMESPACE")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--timeout",
          [&where](const std::string& text) {
            where.patience = duration_from("--timeout", text);
            if (where.patience == microseconds(0))
              throw CLI::ValidationError("--timeout", "must be more than nothing");
          },
          "How long an answer may take (default 10s)")
      ->type_name("DURATION")
      ->group(group);
  command.add_flag("--json", where.json, "Print the service's answer as JSON")->group(group);
  command.callback([&chosen, run = std::move(run)] { chosen.run = run; });
  return command;
}

void add_duration(CLI::App& command, const std::string& flag, std::optional<microseconds>& into,
                  const std::string& what) {
  command
      .add_option_function<std::string>(
          flag, [&into, flag](const std::string& text) { into = duration_from(flag, text); }, what)
      ->type_name("DURATION");
}

void add_count(CLI::App& command, const std::string& flag, std::uint64_t& into,
               const std::string& what) {
  command
      .add_option_function<std::uint64_t>(
          flag,
          [&into, flag](std::uint64_t count) {
            if (count == 0) throw CLI::ValidationError(flag, "must be at least 1");
            into = count;
          },
          what)
      ->type_name("N");
}

int report(const Console& console, const Where& where, const Trouble& trouble) {
  if (where.json && !trouble.problem.empty()) console.out << trouble.problem << std::endl;
  console.err << "pawl: " << printable(trouble.message) << '\n';
  if (!trouble.hint.empty()) console.err << "hint: " << printable(trouble.hint) << '\n';
  return trouble.code;
}

void print_facts(const Console& console, const Facts& facts) {
  std::size_t width = 0;
  for (const auto& [name, value] : facts) {
    if (!value.empty()) width = std::max(width, name.size());
  }
  for (const auto& [name, value] : facts) {
    if (value.empty()) continue;
    const std::string space(width - name.size() + 2, ' ');
    console.out << "  " << console.dim(name) << space << printable(value) << '\n';
  }
}

std::string expiry_text(const boost::json::object& from, WallTime now) {
  const auto time = time_at(from, "expiresAt");
  if (!time) return from.contains("expiresAt") ? "never" : "";
  const auto left = seconds_at(from, "validForSeconds");
  const std::string when = left ? "in " + rough_duration(*left) : relative(*time, now);
  return when + " (" + text_at(from, "expiresAt") + ")";
}

std::string user_at_host() {
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  const passwd* user = ::getpwuid(::geteuid());
  const std::string name =
      user != nullptr && user->pw_name != nullptr ? user->pw_name : std::to_string(::geteuid());
  return name + "@" + (host[0] == '\0' ? "localhost" : host.data());
}

}  // namespace pawl::cli
