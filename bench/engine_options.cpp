// SPDX-License-Identifier: Apache-2.0
#include "engine_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace pawl::bench {
namespace {

constexpr std::array<std::string_view, 7> kSections = {"write",   "bare",     "uv",    "engine",
                                                       "restart", "snapshot", "expiry"};

template <class Number>
std::optional<Number> number_in(std::string_view text, Number least, Number most) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(number >= least && number <= most)) return std::nullopt;
  return number;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// What is wrong with the value; nothing: it was taken.
using Complaint = std::optional<std::string>;

template <class Number>
Complaint take_number(std::string_view value, Number least, Number most, Number& into) {
  const auto number = number_in(value, least, most);
  if (!number)
    return "wants a number from " + std::to_string(least) + " to " + std::to_string(most) +
           ", not " + quoted(value);
  into = *number;
  return std::nullopt;
}

Complaint take_sections(std::string_view value, Options& options) {
  for (const std::string_view name : split(value)) {
    if (std::find(kSections.begin(), kSections.end(), name) == kSections.end())
      return "knows no section " + quoted(name) +
             "; there are write, bare, uv, engine, restart, snapshot, expiry";
    options.only.emplace(name);
  }
  return std::nullopt;
}

Complaint take_in_flight(std::string_view value, Options& options) {
  options.in_flight.clear();
  for (const std::string_view part : split(value)) {
    unsigned number = 0;
    if (auto wrong = take_number(part, 1u, 10'000u, number)) return wrong;
    options.in_flight.push_back(number);
  }
  return std::nullopt;
}

Complaint take(std::string_view name, std::string_view value, Options& options) {
  if (value.empty()) return "wants a value";
  if (name == "--seconds") return take_number(value, 0.1, 600.0, options.seconds);
  if (name == "--only") return take_sections(value, options);
  if (name == "--in-flight") return take_in_flight(value, options);
  if (name == "--leases") return take_number(value, 1L, 4'000'000L, options.leases);
  if (name == "--expiring") return take_number(value, 1L, 1'000'000L, options.expiring);
  if (name == "--folder") {
    options.folder = value;
    return std::nullopt;
  }
  if (name == "--json") {
    options.json = value;
    return std::nullopt;
  }
  return "is no option of engine_bench; see --help";
}

}  // namespace

std::variant<Options, Help, BadOption> parse_options(std::span<char* const> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view name = arguments[i];
    if (name == "--help" || name == "-h") return Help{};
    std::string_view value;
    if (const auto equals = name.find('='); equals != std::string_view::npos) {
      value = name.substr(equals + 1);
      name = name.substr(0, equals);
    } else if (name.starts_with("--") && i + 1 < arguments.size()) {
      value = arguments[++i];
    }
    if (!name.starts_with("--"))
      return BadOption{quoted(name) + " is no option of engine_bench; see --help"};
    if (auto wrong = take(name, value, options)) return BadOption{std::string(name) + " " + *wrong};
  }
  return options;
}

const char* help_text() {
  return R"(Usage: engine_bench [OPTION]...

Measures the durable engine beside its peers, in one run and on one file system, and prints ratios.

  --seconds S       how long each measurement takes (2)
  --only LIST       only these, with commas between them:
                      write     one bare write and fdatasync after the other
                      bare      libraft's raft_step, one write and fdatasync a batch
                      uv        libraft's own libuv driver, one node
                      engine    the engine: clients that acquire and release
                      restart   from the start of a node that holds --leases to its first grant
                      snapshot  grants while a snapshot of --leases is made
                      expiry    requests while --expiring leases expire at once
  --in-flight LIST  how many are under way at once in the first four (1,32,256,1000)
  --leases N        held in restart and snapshot (1000000)
  --expiring N      in expiry (100000)
  --folder DIR      where the files go, in a folder that is removed at the end (TMPDIR, or the
                    current folder; not on a tmpfs unless named here)
  --json FILE       the same numbers for a program
  --help            this text
)";
}

}  // namespace pawl::bench
