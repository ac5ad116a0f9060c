// SPDX-License-Identifier: Apache-2.0
// Reading the service's answers without trusting their shape: what is absent, null or of another
// type is empty. Pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "cli/times.h"

namespace pawl::cli {

using Json = boost::json::object;

std::string text_at(const Json& from, std::string_view name);
std::optional<std::uint64_t> number_at(const Json& from, std::string_view name);
std::optional<std::chrono::microseconds> seconds_at(const Json& from, std::string_view name);
std::optional<WallTime> time_at(const Json& from, std::string_view name);
bool bool_at(const Json& from, std::string_view name);
const Json& object_at(const Json& from, std::string_view name);
const boost::json::array& list_at(const Json& from, std::string_view name);
// An element of a list as an object.
const Json& as_object(const boost::json::value& value);

// For tables: the number, or nothing.
std::string number_text(const Json& from, std::string_view name);
// "in 24s", "3m ago", or nothing.
std::string relative_at(const Json& from, std::string_view name, WallTime now);
// "name", or "a, b, c" of something that covers several.
std::string resources_text(const Json& from);
// "exclusive", "shared", "permit 2 of 5", "permit 2".
std::string mode_text(const Json& from);

}  // namespace pawl::cli
