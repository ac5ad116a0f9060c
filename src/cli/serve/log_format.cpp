// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/log_format.h"

#include <charconv>
#include <cmath>

#include "cli/text.h"
#include "service/json.h"

namespace pawl::cli {
namespace {

using service::JsonWriter;

std::string_view word(ports::Severity severity) {
  switch (severity) {
    case ports::Severity::info:
      return "info";
    case ports::Severity::warning:
      return "warning";
    case ports::Severity::error:
      return "error";
  }
  return "error";
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return "null";  // JSON has no word for it
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  static_cast<void>(error);  // the shortest form of a double is 24 characters at most
  return {digits, end};
}

struct WriteJson {
  JsonWriter& json;
  void operator()(std::string_view value) const { json.text(value); }
  void operator()(std::int64_t value) const { json.signed_number(value); }
  void operator()(double value) const { json.raw(number_text(value)); }
  void operator()(ports::JsonText value) const { json.raw(value); }
};

std::string json_line(const LogEvent& event) {
  std::string line;
  JsonWriter json(line);
  json.begin_object();
  json.key("event").text(event.name);
  json.key("at").time(event.at);
  json.key("severity").text(word(event.severity));
  for (const ports::Field& field : event.fields) {
    json.key(field.name);
    std::visit(WriteJson{json}, field.value);
  }
  json.end_object();
  return line;
}

struct WriteText {
  std::string& out;
  void operator()(std::string_view value) const {
    const bool quote = value.empty() || value.find_first_of(" \"=") != std::string_view::npos;
    if (quote) out += '"';
    out += printable(value);
    if (quote) out += '"';
  }
  void operator()(std::int64_t value) const { out += std::to_string(value); }
  void operator()(double value) const { out += number_text(value); }
  void operator()(ports::JsonText value) const { out += printable(value); }
};

struct Colours {
  std::string_view dim, event, end;
};

Colours colours_of(ports::Severity severity) {
  switch (severity) {
    case ports::Severity::info:
      return {"\x1b[2m", "\x1b[1m", "\x1b[0m"};
    case ports::Severity::warning:
      return {"\x1b[2m", "\x1b[1;33m", "\x1b[0m"};
    case ports::Severity::error:
      return {"\x1b[2m", "\x1b[1;31m", "\x1b[0m"};
  }
  return {};
}

void append_padded(std::string& out, std::string_view text, std::size_t width) {
  out += text;
  if (text.size() < width) out.append(width - text.size(), ' ');
}

std::string text_line(const LogEvent& event, const Colours& colours) {
  constexpr std::size_t kSeverityWidth = 7;
  constexpr std::size_t kEventWidth = 20;
  std::string line(colours.dim);
  service::append_rfc3339(line, event.at);
  line += colours.end;
  line += ' ';
  append_padded(line, word(event.severity), kSeverityWidth);
  line += ' ';
  line += colours.event;
  append_padded(line, event.name, kEventWidth);
  line += colours.end;
  for (const ports::Field& field : event.fields) {
    line += ' ';
    line += colours.dim;
    line += field.name;
    line += '=';
    line += colours.end;
    std::visit(WriteText{line}, field.value);
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace

std::string log_line(LogStyle style, const LogEvent& event) {
  switch (style) {
    case LogStyle::json:
      return json_line(event);
    case LogStyle::text:
      return text_line(event, {});
    case LogStyle::coloured_text:
      return text_line(event, colours_of(event.severity));
  }
  return {};
}

}  // namespace pawl::cli
