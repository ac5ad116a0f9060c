// SPDX-License-Identifier: Apache-2.0
// "Did you mean ...?": the known name that an unknown one was probably meant to be. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pawl::doors::http {

// Empty, if none of them is close.
std::string_view nearest(std::string_view name, std::span<const std::string_view> known);

// "; did you mean 'ttlSeconds'?", or nothing.
std::string hint(std::string_view name, std::span<const std::string_view> known);

// A name that a client made up, short enough to be repeated to it. Cut between characters.
std::string shortened(std::string_view name);

}  // namespace pawl::doors::http
