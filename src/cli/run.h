// SPDX-License-Identifier: Apache-2.0
// The `pawl` command from its arguments to its exit code. One command a call; tests give their own
// console.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"

namespace pawl::cli {

// Adds commands that are not the client's: `serve`.
using AddMore = std::function<void(CLI::App&, Chosen&)>;

// `arguments` without the program's name.
int run(std::vector<std::string> arguments, const Console& console, const AddMore& add_more);

}  // namespace pawl::cli
