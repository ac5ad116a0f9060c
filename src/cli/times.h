// SPDX-License-Identifier: Apache-2.0
// Times of day as the service writes them, and as people say them. They are a courtesy (P10):
// nothing is decided by them. Pure functions.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "ports/wall_clock.h"

namespace pawl::cli {

using ports::WallTime;

// "2026-04-30T23:59:01.250Z"; fractions finer than a millisecond are cut.
std::optional<WallTime> parse_rfc3339(std::string_view text);

// The Date header of an HTTP answer: "Thu, 30 Apr 2026 23:59:01 GMT".
std::optional<WallTime> parse_http_date(std::string_view text);

// "in 24s", "3m 12s ago", "now".
std::string relative(WallTime then, WallTime now);

}  // namespace pawl::cli
