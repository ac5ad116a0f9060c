// SPDX-License-Identifier: Apache-2.0
// How the values of settings are read and written.
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "cli/durations.h"
#include "cli/serve/config_table.h"

namespace pawl::cli {
namespace {

using Fault = std::optional<std::string>;  // nothing: it was set

template <class Value>
struct Choice {
  std::string_view text;
  Value value;
};
constexpr std::array kLevels = {Choice{"info", LogLevel::info},
                                Choice{"warning", LogLevel::warning},
                                Choice{"error", LogLevel::error}};
constexpr std::array kFormats = {Choice{"auto", LogFormat::automatic},
                                 Choice{"json", LogFormat::json}, Choice{"text", LogFormat::text}};
constexpr std::array kBooleans = {Choice{"true", true}, Choice{"false", false}};

struct ByteUnit {
  std::string_view name;
  std::uint64_t bytes;
};
// Largest first.
constexpr std::array kByteUnits = {ByteUnit{"GiB", std::uint64_t{1} << 30},
                                   ByteUnit{"MiB", std::uint64_t{1} << 20},
                                   ByteUnit{"KiB", std::uint64_t{1} << 10}};

template <class Choices, class Value>
Fault choose(const Choices& choices, std::string_view text, Value& value) {
  std::string known;
  for (const auto& choice : choices) {
    if (choice.text == text) {
      value = choice.value;
      return {};
    }
    known += (known.empty() ? "" : choice.text == choices.back().text ? " or " : ", ");
    known += choice.text;
  }
  return "must be " + known;
}

template <class Choices, class Value>
std::string chosen(const Choices& choices, Value value) {
  for (const auto& choice : choices) {
    if (choice.value == value) return std::string(choice.text);
  }
  PAWL_ASSERT(false && "a value of the list");
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  std::uint64_t unit_bytes = 1;
  for (const ByteUnit& unit : kByteUnits) {
    if (!text.ends_with(unit.name)) continue;
    text.remove_suffix(unit.name.size());
    unit_bytes = unit.bytes;
    break;
  }
  const auto number = parse_number(text);
  if (!number || *number > std::numeric_limits<std::uint64_t>::max() / unit_bytes) return {};
  return *number * unit_bytes;
}

std::string bytes_text(std::uint64_t bytes) {
  for (const ByteUnit& unit : kByteUnits) {
    if (bytes != 0 && bytes % unit.bytes == 0) {
      return std::to_string(bytes / unit.bytes) + std::string(unit.name);
    }
  }
  return std::to_string(bytes);
}

std::string duration_text(std::uint64_t microseconds) {
  return format_duration(core::Duration(static_cast<core::Duration::rep>(microseconds)));
}

std::uint64_t us(core::Duration duration) { return static_cast<std::uint64_t>(duration.count()); }

struct Setter {
  const Setting& setting;
  std::string_view text;

  Fault operator()(std::string* value) const {
    if (text.empty()) return "is empty";
    if (text.find('\0') != std::string_view::npos) return "has a zero byte in it";
    *value = text;
    return {};
  }
  Fault operator()(Endpoint* value) const {
    auto endpoint = parse_endpoint(text);
    if (!endpoint) return endpoint.fault();
    *value = std::move(endpoint).value();
    return {};
  }
  Fault operator()(LogLevel* value) const { return choose(kLevels, text, *value); }
  Fault operator()(LogFormat* value) const { return choose(kFormats, text, *value); }
  Fault operator()(bool* value) const { return choose(kBooleans, text, *value); }

  template <class Number>
  Fault ranged(Number& value, std::uint64_t number, std::string (*write)(std::uint64_t)) const {
    if (number < setting.least || number > setting.most) {
      return "must be from " + write(setting.least) + " to " + write(setting.most);
    }
    value = static_cast<Number>(number);
    return {};
  }
  template <class Number>
  Fault number_to(Number& value) const {
    const auto number = parse_number(text);
    if (!number) return "must be a whole number, such as 1000";
    return ranged(value, *number, [](std::uint64_t n) { return std::to_string(n); });
  }
  Fault operator()(std::uint32_t* value) const { return number_to(*value); }
  Fault operator()(std::uint64_t* value) const { return number_to(*value); }
  Fault operator()(const ByteCount& value) const {
    const auto bytes = parse_bytes(text);
    if (!bytes) return "must be a number of bytes, such as 4096 or 64KiB";
    return std::visit([&](auto* number) { return ranged(*number, *bytes, bytes_text); },
                      value.number);
  }
  Fault operator()(core::Duration* value) const {
    const auto duration = parse_duration(text);
    if (!duration) return "must be a duration with a unit, such as 250ms, 30s or 10m";
    std::uint64_t microseconds = 0;
    Fault fault = ranged(microseconds, us(*duration), duration_text);
    if (!fault) *value = *duration;
    return fault;
  }
  Fault operator()(std::chrono::milliseconds* value) const {
    core::Duration duration{0};
    Fault fault = (*this)(&duration);
    if (!fault) *value = std::chrono::duration_cast<std::chrono::milliseconds>(duration);
    return fault;
  }
};

struct Getter {
  std::string operator()(const std::string* value) const { return *value; }
  std::string operator()(const Endpoint* value) const { return to_text(*value); }
  std::string operator()(const LogLevel* value) const { return chosen(kLevels, *value); }
  std::string operator()(const LogFormat* value) const { return chosen(kFormats, *value); }
  std::string operator()(const bool* value) const { return chosen(kBooleans, *value); }
  std::string operator()(const std::uint32_t* value) const { return std::to_string(*value); }
  std::string operator()(const std::uint64_t* value) const { return std::to_string(*value); }
  std::string operator()(const ByteCount& value) const {
    return std::visit([](const auto* number) { return bytes_text(*number); }, value.number);
  }
  std::string operator()(const core::Duration* value) const { return format_duration(*value); }
  std::string operator()(const std::chrono::milliseconds* value) const {
    return format_duration(*value);
  }
};

struct Kind {
  Notation notation;
  std::string_view value_name;
};

struct KindOf {
  Kind operator()(const std::string*) const { return {Notation::text, "FOLDER"}; }
  Kind operator()(const Endpoint*) const { return {Notation::text, "HOST:PORT"}; }
  Kind operator()(const LogLevel*) const { return {Notation::text, "LEVEL"}; }
  Kind operator()(const LogFormat*) const { return {Notation::text, "FORMAT"}; }
  Kind operator()(const bool*) const { return {Notation::boolean, "true|false"}; }
  Kind operator()(const std::uint32_t*) const { return {Notation::number, "NUMBER"}; }
  Kind operator()(const std::uint64_t*) const { return {Notation::number, "NUMBER"}; }
  Kind operator()(const ByteCount&) const { return {Notation::number_or_text, "BYTES"}; }
  Kind operator()(const core::Duration*) const { return {Notation::text, "DURATION"}; }
  Kind operator()(const std::chrono::milliseconds*) const { return {Notation::text, "DURATION"}; }
};

Kind kind_of(const Setting& setting) {
  Config any;
  return std::visit(KindOf{}, setting.place(any));
}

}  // namespace

Notation notation_of(const Setting& setting) { return kind_of(setting).notation; }
std::string_view value_name(const Setting& setting) { return kind_of(setting).value_name; }

std::optional<std::string> set(const Setting& setting, std::string_view text, Config& config) {
  return std::visit(Setter{setting, text}, setting.place(config));
}

std::string get(const Setting& setting, const Config& config) {
  Config copy = config;  // places are for writing too
  return std::visit(Getter{}, setting.place(copy));
}

}  // namespace pawl::cli
