// SPDX-License-Identifier: Apache-2.0
#include "cli/durations.h"

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace pawl::cli {
namespace {

using std::chrono::microseconds;

struct Unit {
  std::string_view name;
  std::int64_t micros;
};

constexpr std::array kUnits = {
    Unit{"d", 86'400'000'000}, Unit{"h", 3'600'000'000}, Unit{"m", 60'000'000},
    Unit{"s", 1'000'000},      Unit{"ms", 1'000},        Unit{"us", 1},
};
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  const std::string_view digits = text.substr(0, n);
  text.remove_prefix(n);
  return digits;
}

std::string_view take_unit(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && text[n] >= 'a' && text[n] <= 'z') ++n;
  const std::string_view unit = text.substr(0, n);
  text.remove_prefix(n);
  return unit;
}

// digits * micros, or nothing if that is too much.
std::optional<std::int64_t> whole(std::string_view digits, std::int64_t micros) {
  std::int64_t number = 0;
  for (const char digit : digits) {
    const std::int64_t next = digit - '0';
    if (number > (kMost / micros - next) / 10) return {};
    number = number * 10 + next;
  }
  return number * micros;
}

// 0.digits * micros, rounded down. From the last digit to the first, so that nothing is lost:
// 0.1s is exactly 100 ms.
std::int64_t fraction(std::string_view digits, std::int64_t micros) {
  std::int64_t below = 0;
  for (std::size_t i = digits.size(); i-- > 0;) below = ((digits[i] - '0') * micros + below) / 10;
  return below;
}

void append(std::string& out, std::int64_t number, std::string_view unit) {
  out += std::to_string(number);
  out += unit;
}

// The part below one unit, as decimals without zeros at the end.
void append_decimals(std::string& out, std::int64_t part, std::int64_t micros) {
  if (part > 0) out += '.';
  for (; part > 0; part = part * 10 % micros) append(out, part * 10 / micros, "");
}

}  // namespace

std::optional<microseconds> parse_duration(std::string_view text) {
  if (text == "0") return microseconds(0);
  if (text.empty()) return {};
  std::int64_t sum = 0;
  std::size_t next_unit = 0;
  while (!text.empty()) {
    const std::string_view digits = take_digits(text);
    if (digits.empty()) return {};
    std::string_view decimals;
    if (text.starts_with('.')) {
      text.remove_prefix(1);
      decimals = take_digits(text);
      if (decimals.empty()) return {};
    }
    const std::string_view name = take_unit(text);
    while (next_unit < kUnits.size() && kUnits[next_unit].name != name) ++next_unit;
    if (next_unit == kUnits.size()) return {};
    const std::int64_t micros = kUnits[next_unit++].micros;
    const auto part = whole(digits, micros);
    if (!part) return {};
    sum += *part + fraction(decimals, micros);
    if (sum > kMost) return {};
  }
  return microseconds(sum);
}

std::string format_duration(microseconds duration) {
  if (duration.count() == 0) return "0s";
  std::string out;
  std::int64_t left = duration.count();
  for (const Unit& unit : kUnits) {
    if (left < unit.micros) continue;
    append(out, left / unit.micros, "");
    left %= unit.micros;
    if (unit.micros <= 1'000'000) append_decimals(out, std::exchange(left, 0), unit.micros);
    out += unit.name;
  }
  return out;
}

std::string rough_duration(microseconds duration) {
  const std::int64_t micros = duration.count();
  std::string out;
  if (micros < 1'000) {
    append(out, micros > 0 ? 1 : 0, micros > 0 ? "ms" : "s");
  } else if (micros < 1'000'000) {
    append(out, micros / 1'000, "ms");
  } else if (micros < 10'000'000 && micros / 100'000 % 10 != 0) {
    append(out, micros / 1'000'000, ".");
    append(out, micros / 100'000 % 10, "s");
  } else {
    for (std::size_t i = 0; i < kUnits.size(); ++i) {
      if (micros < kUnits[i].micros) continue;
      append(out, micros / kUnits[i].micros, kUnits[i].name);
      const std::int64_t rest = micros % kUnits[i].micros;
      if (i < 3 && rest >= kUnits[i + 1].micros) {
        out += ' ';
        append(out, rest / kUnits[i + 1].micros, kUnits[i + 1].name);
      }
      break;
    }
  }
  return out;
}

}  // namespace pawl::cli
