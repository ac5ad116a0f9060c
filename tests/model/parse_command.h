// SPDX-License-Identifier: Apache-2.0
// Reads a command back from the line that support/print.h makes of it: the language of the golden
// traces and of the schedules that a failing test prints. Pure function.
#pragma once

#include <stdexcept>
#include <string_view>

#include "core/command.h"

namespace pawl::testing {

struct ParseError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws ParseError. Fields may be left out: they have their defaults then.
core::Command parse_command(std::string_view line);

}  // namespace pawl::testing
