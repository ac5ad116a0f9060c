// SPDX-License-Identifier: Apache-2.0
#include "doors/http/response.h"

#include <array>
#include <charconv>
#include <cstdint>

namespace pawl::doors::http {
namespace {

void append_number(std::string& out, std::uint64_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

}  // namespace

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "Content Too Large";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    default:
      return "Unnamed";
  }
}

void append_head(std::string& out, const Answer& answer, const Framing& framing) {
  out += "HTTP/1.1 ";
  append_number(out, static_cast<std::uint64_t>(answer.status));
  out += ' ';
  out += reason_phrase(answer.status);
  out += "\r\nContent-Type: ";
  out += answer.content_type;
  out += "\r\nContent-Length: ";
  append_number(out, answer.body.size());
  out += "\r\nCache-Control: no-store\r\n";
  if (!framing.date.empty()) {
    out += "Date: ";
    out += framing.date;
    out += "\r\n";
  }
  if (!answer.allow.empty()) {
    out += "Allow: ";
    out += answer.allow;
    out += "\r\n";
  }
  if (answer.retry_after_s) {
    out += "Retry-After: ";
    append_number(out, *answer.retry_after_s);
    out += "\r\n";
  }
  if (!framing.keep) {
    out += "Connection: close\r\n";
  } else if (!framing.http_1_1) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
}

std::string stream_head(std::string_view date) {
  std::string out =
      "HTTP/1.1 200 OK\r\n"
      "Content-Type: text/event-stream\r\n"
      "Cache-Control: no-store\r\n"
      "X-Accel-Buffering: no\r\n"
      "Connection: close\r\n"
      "Date: ";
  out += date;
  out += "\r\n\r\n";
  return out;
}

std::string http_date(std::time_t when) {
  std::tm parts{};
  ::gmtime_r(&when, &parts);
  std::array<char, 40> text;
  // The program keeps the "C" locale, in which the names are those of HTTP.
  const std::size_t size =
      std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text.data(), size};
}

}  // namespace pawl::doors::http
