// SPDX-License-Identifier: Apache-2.0
// Every setting of `pawl serve`, once: its name, what it means, what it may be, and where it goes.
// A setting `max-leases` is the flag --max-leases, the variable PAWL_MAX_LEASES and the key
// max-leases of a configuration file. Pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "cli/serve/config.h"

namespace pawl::cli {

// A number of bytes, wherever it is kept.
struct ByteCount {
  std::variant<std::uint32_t*, std::uint64_t*> number;
};

// Where in a Config a setting's value is; what is there says how it is written.
using Place = std::variant<std::string*, Endpoint*, LogLevel*, LogFormat*, bool*, std::uint32_t*,
                           std::uint64_t*, ByteCount, core::Duration*, std::chrono::milliseconds*>;

struct Setting {
  std::string_view name;
  std::string_view group;
  std::string_view help;  // one line
  Place (*place)(Config&);
  // Of a number, of bytes, or of microseconds.
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

std::span<const Setting> settings();
const Setting* find_setting(std::string_view name);
std::span<const std::string> setting_names();

// PAWL_MAX_LEASES for max-leases.
std::string variable_of(std::string_view name);

// How a file writes the value.
enum class Notation : std::uint8_t { text, number, number_or_text, boolean };
Notation notation_of(const Setting& setting);
// What a value is, for help texts: ADDRESS, DURATION, NUMBER, ...
std::string_view value_name(const Setting& setting);

// Sets it from text, or says what is wrong with the text: "must be from 1 to 10".
[[nodiscard]] std::optional<std::string> set(const Setting& setting, std::string_view text,
                                             Config& config);
// A text that set() takes.
std::string get(const Setting& setting, const Config& config);

}  // namespace pawl::cli
