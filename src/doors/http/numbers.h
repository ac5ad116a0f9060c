// SPDX-License-Identifier: Apache-2.0
// Numbers as JSON writes them, read exactly: no double in between, so that 0.1 is 100,000
// microseconds. Pure functions; each says what is wrong, or nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/time.h"

namespace pawl::doors::http {

// Seconds, fewer than 10^12; what is finer than a microsecond is left out, unless nothing would
// remain.
[[nodiscard]] std::string_view read_seconds(std::string_view number, core::Duration& out);

// A whole number, however it is written: 3, 3.0 and 30e-1 are the same.
[[nodiscard]] std::string read_whole(std::string_view number, std::uint64_t min, std::uint64_t max,
                                     std::uint64_t& out);

}  // namespace pawl::doors::http
