// SPDX-License-Identifier: Apache-2.0
#include "doors/http/numbers.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace pawl::doors::http {
namespace {

// A number times a power of ten, without its fraction.
struct Scaled {
  std::uint64_t value = 0;
  bool negative = false;
  bool too_large = false;
  bool had_fraction = false;
};

constexpr std::int64_t kMostDigits = 18;  // these always fit

// `text` is a number by JSON's grammar.
std::int64_t exponent_of(std::string_view& text) {
  constexpr std::int64_t kFar = 1'000'000;  // beyond any number of digits that a body can have
  const std::size_t mark = text.find_first_of("eE");
  if (mark == std::string_view::npos) return 0;
  std::string_view digits = text.substr(mark + 1);
  text = text.substr(0, mark);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  static_cast<void>(end);
  if (error == std::errc::result_out_of_range) value = kFar;
  value = std::min(value, kFar);
  return negative ? -value : value;
}

Scaled scaled(std::string_view text, std::int64_t power) {
  Scaled out;
  power += exponent_of(text);
  out.negative = text.starts_with('-');
  if (out.negative) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  // The digit before the point counts 10^power, the one after it 10^(power - 1).
  std::int64_t weight = static_cast<std::int64_t>(point) - 1 + power;
  for (const char c : text) {
    if (c == '.') continue;
    if (c != '0' && weight < 0) out.had_fraction = true;
    if (c != '0' && weight >= kMostDigits) out.too_large = true;
    if (weight >= 0) out.value = out.value * 10 + static_cast<std::uint64_t>(c - '0');
    if (out.too_large) return out;
    --weight;
  }
  for (; weight >= 0 && out.value != 0; --weight) out.value *= 10;
  return out;
}

bool is_negative(const Scaled& number) {
  return number.negative && (number.value != 0 || number.had_fraction || number.too_large);
}

}  // namespace

std::string_view read_seconds(std::string_view number, core::Duration& out) {
  const Scaled micros = scaled(number, 6);
  if (is_negative(micros)) return "must not be negative";
  if (micros.too_large) return "must be less than 1000000000000 seconds";
  if (micros.value == 0 && micros.had_fraction) return "must be 0, or at least 0.000001 seconds";
  out = core::Duration(static_cast<std::int64_t>(micros.value));
  return {};
}

std::string read_whole(std::string_view number, std::uint64_t min, std::uint64_t max,
                       std::uint64_t& out) {
  const Scaled whole = scaled(number, 0);
  const bool fits = !is_negative(whole) && !whole.had_fraction && !whole.too_large &&
                    whole.value >= min && whole.value <= max;
  if (!fits) {
    return "must be a whole number from " + std::to_string(min) + " to " + std::to_string(max);
  }
  out = whole.value;
  return {};
}

}  // namespace pawl::doors::http
