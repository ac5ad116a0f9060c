// SPDX-License-Identifier: Apache-2.0
// Durations as people write them: "30s", "250ms", "1.5m", "2h", "1h30m". Pure functions.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::cli {

// A sum of numbers with units (us, ms, s, m, h, d), largest first as one would say it; fractions
// are allowed, and cut at a microsecond. "0" needs no unit. Nothing else: no sign, no spaces, no
// bare number, no more than about 290 years.
std::optional<std::chrono::microseconds> parse_duration(std::string_view text);

// "1h30m", "1.5s", "250ms": a text that parse_duration() reads back as exactly this. Not for
// negative ones.
std::string format_duration(std::chrono::microseconds duration);

// For people: two units at most, rounded down: "24s", "3m 12s", "2d 4h", "1.2s", "250ms".
std::string rough_duration(std::chrono::microseconds duration);

}  // namespace pawl::cli
