// SPDX-License-Identifier: Apache-2.0
// Text on its way to a terminal. What came from the service was written by its clients: nothing in
// it may move the cursor, change colours or reverse what is read. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace pawl::cli {

// The same text with control characters, direction marks and bytes that are not UTF-8 spelled out
// (\n, \x1b, \u202e).
std::string printable(std::string_view text);

// How many columns a printable text takes on a terminal.
std::size_t display_width(std::string_view text);

// The candidate that differs in the fewest letters, if it is close enough to be what was meant;
// else empty.
std::string_view nearest(std::string_view word, std::span<const std::string> candidates);

// Percent-encoded for one segment of a path or one value of a query.
std::string percent_encoded(std::string_view text);

}  // namespace pawl::cli
