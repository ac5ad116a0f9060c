// SPDX-License-Identifier: Apache-2.0
#include "http_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace pawl::bench {
namespace {

constexpr std::array<std::string_view, 3> kSections = {"cycles", "handover", "waiting"};
constexpr std::array<std::string_view, 3> kServers = {"fixed", "pawl", "etcd"};

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

// What is wrong with the value; nothing: it was taken.
using Complaint = std::optional<std::string>;

template <class Number>
Complaint take_number(std::string_view value, Number least, Number most, Number& into) {
  Number number{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() ||
      !(number >= least && number <= most))
    return "wants a number from " + std::to_string(least) + " to " + std::to_string(most) +
           ", not " + quoted(value);
  into = number;
  return std::nullopt;
}

Complaint take_names(std::string_view value, std::span<const std::string_view> known,
                     std::set<std::string>& into) {
  for (const std::string_view name : split(value)) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string complaint = "knows no " + quoted(name) + "; there are";
      for (const std::string_view each : known) complaint += " " + std::string(each);
      return complaint;
    }
    into.emplace(name);
  }
  return std::nullopt;
}

Complaint take_connections(std::string_view value, HttpOptions& options) {
  options.connections.clear();
  for (const std::string_view part : split(value)) {
    unsigned number = 0;
    if (auto wrong = take_number(part, 1u, 4'096u, number)) return wrong;
    options.connections.push_back(number);
  }
  return std::nullopt;
}

Complaint take_path(std::string_view value, std::filesystem::path& into) {
  into = value;
  return std::nullopt;
}

Complaint take(std::string_view name, std::string_view value, HttpOptions& options) {
  if (value.empty()) return "wants a value";
  if (name == "--seconds") return take_number(value, 0.3, 600.0, options.seconds);
  if (name == "--only") return take_names(value, kSections, options.only);
  if (name == "--servers") return take_names(value, kServers, options.servers);
  if (name == "--connections") return take_connections(value, options);
  if (name == "--waiting") return take_number(value, 1u, 15'000u, options.waiting);
  if (name == "--pawl") return take_path(value, options.pawl);
  if (name == "--etcd") return take_path(value, options.etcd);
  if (name == "--folder") return take_path(value, options.folder);
  if (name == "--json") return take_path(value, options.json);
  return "is no option of http_bench; see --help";
}

}  // namespace

std::variant<HttpOptions, HttpHelp, BadHttpOption> parse_http_options(
    std::span<char* const> arguments) {
  HttpOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view name = arguments[i];
    if (name == "--help" || name == "-h") return HttpHelp{};
    if (name == "--need-etcd") {
      options.need_etcd = true;
      continue;
    }
    std::string_view value;
    if (const auto equals = name.find('='); equals != std::string_view::npos) {
      value = name.substr(equals + 1);
      name = name.substr(0, equals);
    } else if (name.starts_with("--") && i + 1 < arguments.size()) {
      value = arguments[++i];
    }
    if (!name.starts_with("--"))
      return BadHttpOption{quoted(name) + " is no option of http_bench; see --help"};
    if (auto wrong = take(name, value, options))
      return BadHttpOption{std::string(name) + " " + *wrong};
  }
  return options;
}

const char* http_help_text() {
  return R"(Usage: http_bench [OPTION]...

Measures `pawl serve` over HTTP beside etcd's JSON gateway, in one run and on one file system, and
prints ratios. A third server answers fixed bytes: what the generator itself can do.

  --seconds S         how long each measurement takes, for each server (6)
  --only LIST         only these, with commas between them:
                        cycles    acquire and release, each client its own lock
                        handover  32 clients that wait for one lock
                        waiting   acquires while --waiting other connections wait
  --servers LIST      only these: fixed, pawl, etcd
  --connections LIST  in cycles (1,32,256)
  --waiting N         in waiting (10000)
  --pawl PROGRAM      (pawl, beside this program)
  --etcd PROGRAM      (etcd, in PATH)
  --need-etcd         exit code 3 if there is no etcd
  --folder DIR        where the files go, in a folder that is removed at the end (TMPDIR, or the
                      current folder; not on a tmpfs unless named here)
  --json FILE         the same numbers for a program
  --help              this text
)";
}

}  // namespace pawl::bench
