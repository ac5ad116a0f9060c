// SPDX-License-Identifier: Apache-2.0
#include "cli/fields.h"

#include <boost/json/value.hpp>

namespace pawl::cli {
namespace {

const boost::json::value* find(const Json& from, std::string_view name) {
  return from.if_contains(boost::json::string_view(name.data(), name.size()));
}

std::string copy(const boost::json::string& text) { return std::string(text.data(), text.size()); }

std::optional<std::uint64_t> to_number(const boost::json::value* value) {
  if (value == nullptr) return {};
  if (const auto* number = value->if_uint64()) return *number;
  if (const auto* number = value->if_int64(); number != nullptr && *number >= 0)
    return static_cast<std::uint64_t>(*number);
  return {};
}

}  // namespace

std::string text_at(const Json& from, std::string_view name) {
  const auto* value = find(from, name);
  const auto* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? "" : copy(*text);
}

std::optional<std::uint64_t> number_at(const Json& from, std::string_view name) {
  return to_number(find(from, name));
}

std::optional<std::chrono::microseconds> seconds_at(const Json& from, std::string_view name) {
  constexpr double kMost = 9e12;  // far beyond, and its microseconds still fit
  const auto* value = find(from, name);
  if (value == nullptr || !value->is_number()) return {};
  const double seconds = value->to_number<double>();
  if (!(seconds > -kMost && seconds < kMost)) return {};
  return std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6));
}

std::optional<WallTime> time_at(const Json& from, std::string_view name) {
  return parse_rfc3339(text_at(from, name));
}

bool bool_at(const Json& from, std::string_view name) {
  const auto* value = find(from, name);
  const auto* flag = value == nullptr ? nullptr : value->if_bool();
  return flag != nullptr && *flag;
}

const Json& object_at(const Json& from, std::string_view name) {
  static const Json kEmpty;
  const auto* value = find(from, name);
  return value == nullptr ? kEmpty : as_object(*value);
}

const boost::json::array& list_at(const Json& from, std::string_view name) {
  static const boost::json::array kEmpty;
  const auto* value = find(from, name);
  const auto* list = value == nullptr ? nullptr : value->if_array();
  return list == nullptr ? kEmpty : *list;
}

const Json& as_object(const boost::json::value& value) {
  static const Json kEmpty;
  const auto* object = value.if_object();
  return object == nullptr ? kEmpty : *object;
}

std::string number_text(const Json& from, std::string_view name) {
  const auto number = number_at(from, name);
  return number ? std::to_string(*number) : "";
}

std::string relative_at(const Json& from, std::string_view name, WallTime now) {
  const auto time = time_at(from, name);
  return time ? relative(*time, now) : "";
}

std::string resources_text(const Json& from) {
  std::string out;
  for (const auto& value : list_at(from, "resources")) {
    if (!out.empty()) out += ", ";
    if (const auto* text = value.if_string()) out += copy(*text);
  }
  return out.empty() ? text_at(from, "resource") : out;
}

std::string mode_text(const Json& from) {
  std::string out = text_at(from, "mode");
  if (const auto count = number_at(from, "permits")) return out + " " + std::to_string(*count);
  const Json& permits = object_at(from, "permits");
  const auto count = number_at(permits, "count");
  const auto limit = number_at(permits, "limit");
  if (count && limit) out += " " + std::to_string(*count) + " of " + std::to_string(*limit);
  return out;
}

}  // namespace pawl::cli
