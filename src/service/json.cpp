// SPDX-License-Identifier: Apache-2.0
#include "service/json.h"

#include <charconv>

namespace pawl::service {
namespace {

template <class Number>
void append_number(std::string& out, Number value) {
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  static_cast<void>(error);  // 24 bytes hold any 64-bit number
  out.append(digits, end);
}

void append_padded(std::string& out, unsigned value, int width) {
  char digits[12];
  for (int i = width; i-- > 0; value /= 10) digits[i] = static_cast<char>('0' + value % 10);
  out.append(digits, static_cast<std::size_t>(width));
}

bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && c != 0x7f;
}

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    default: {
      constexpr std::string_view kHex = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_plain(text[i])) continue;
    out.append(text, plain, i - plain);
    append_escaped(out, text[i]);
    plain = i + 1;
  }
  out.append(text, plain);
  out += '"';
}

}  // namespace

void JsonWriter::separate() {
  if (comma_) out_ += ',';
  comma_ = true;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::shut(char bracket) {
  out_ += bracket;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_quoted(out_, name);
  out_ += ':';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  append_quoted(out_, value);
  return *this;
}

JsonWriter& JsonWriter::number(std::uint64_t value) {
  separate();
  append_number(out_, value);
  return *this;
}

JsonWriter& JsonWriter::signed_number(std::int64_t value) {
  separate();
  append_number(out_, value);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) { return raw(value ? "true" : "false"); }
JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::seconds(core::Duration value) {
  if (value == core::kUnlimited) return null();
  separate();
  auto micros = value.count();
  if (micros < 0) {
    out_ += '-';
    micros = -micros;
  }
  append_number(out_, micros / 1'000'000);
  const auto fraction = static_cast<unsigned>(micros % 1'000'000);
  if (fraction == 0) return *this;
  out_ += '.';
  append_padded(out_, fraction, 6);
  while (out_.back() == '0') out_.pop_back();
  return *this;
}

JsonWriter& JsonWriter::time(ports::WallTime value) {
  separate();
  out_ += '"';
  append_rfc3339(out_, value);
  out_ += '"';
  return *this;
}

void append_rfc3339(std::string& out, ports::WallTime value) {
  using std::chrono::days;
  const auto midnight = std::chrono::floor<days>(value);
  const std::chrono::year_month_day date(midnight);
  const std::chrono::hh_mm_ss time(value - midnight);
  append_padded(out, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  out += '-';
  append_padded(out, static_cast<unsigned>(date.month()), 2);
  out += '-';
  append_padded(out, static_cast<unsigned>(date.day()), 2);
  out += 'T';
  append_padded(out, static_cast<unsigned>(time.hours().count()), 2);
  out += ':';
  append_padded(out, static_cast<unsigned>(time.minutes().count()), 2);
  out += ':';
  append_padded(out, static_cast<unsigned>(time.seconds().count()), 2);
  out += '.';
  append_padded(out, static_cast<unsigned>(time.subseconds().count()), 3);
  out += 'Z';
}

ports::WallTime wall_of(core::Time then, core::Time now, ports::WallTime wall) {
  // What RFC 3339 can say ends with the year 9999.
  constexpr ports::WallTime kLast =
      std::chrono::sys_days(std::chrono::year(9999) / std::chrono::December / 31) +
      std::chrono::milliseconds(86'399'999);
  const auto distance = std::chrono::floor<std::chrono::milliseconds>(then - now);
  if (distance >= kLast - wall) return kLast;
  return wall + distance;
}

}  // namespace pawl::service
