// SPDX-License-Identifier: Apache-2.0
#include "doors/http/target.h"

#include <algorithm>

#include "doors/http/nearest.h"
#include "doors/http/utf8.h"

namespace pawl::doors::http {
namespace {

constexpr std::size_t kMostParameters = 16;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Verdict decode(std::string_view text, std::string& out) {
  out.clear();
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 1 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return malformed("a '%' in the target has no two hex digits after it");
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (!is_utf8(out)) return malformed("the target is not UTF-8 once it is decoded");
  return {};
}

// "http://host:port/path", as it is sent to a proxy.
std::string_view without_origin(std::string_view target) {
  constexpr std::string_view kScheme = "http://";
  if (!target.starts_with(kScheme)) return target;
  const std::size_t slash = target.find('/', kScheme.size());
  return slash == std::string_view::npos ? "/" : target.substr(slash);
}

}  // namespace

Verdict Target::parse(std::string_view target) {
  const bool plain =
      std::all_of(target.begin(), target.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  if (!plain) return malformed("the target has a byte that must be percent-encoded");
  target = without_origin(target);
  const std::size_t mark = target.find('?');
  path_ = target.substr(0, mark);
  if (Verdict bad = parse_path()) return bad;
  return mark == std::string_view::npos ? Verdict{} : parse_query(target.substr(mark + 1));
}

Verdict Target::parse_path() {
  if (!path_.starts_with('/')) return malformed("the target must begin with '/'");
  std::string_view rest = path_.substr(1);
  while (true) {
    const std::size_t slash = rest.find('/');
    if (count_ == kMostSegments) {
      count_ = 0;
      return {};
    }
    if (Verdict bad = decode(rest.substr(0, slash), segments_[count_++])) return bad;
    if (slash == std::string_view::npos) return {};
    rest.remove_prefix(slash + 1);
  }
}

Verdict Target::parse_query(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('&');
    if (Verdict bad = add_parameter(text.substr(0, end))) return bad;
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return {};
}

Verdict Target::add_parameter(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return malformed("a query parameter must look like name=value");
  if (query_.size() == kMostParameters) return malformed("the query has too many parameters");
  Parameter parameter;
  if (Verdict bad = decode(text.substr(0, equals), parameter.first)) return bad;
  if (Verdict bad = decode(text.substr(equals + 1), parameter.second)) return bad;
  if (find(parameter.first) != nullptr) {
    service::Problem twice = malformed("a query parameter is given twice");
    twice.field = shortened(parameter.first);
    return twice;
  }
  query_.push_back(std::move(parameter));
  return {};
}

const std::string* Target::find(std::string_view name) const {
  for (const auto& [key, value] : query_)
    if (key == name) return &value;
  return nullptr;
}

}  // namespace pawl::doors::http
