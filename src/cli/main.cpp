// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <iostream>

#include "cli/run.h"

int main(int argc, char** argv) {
  try {
    const pawl::cli::Console console = pawl::cli::standard_console();
    return pawl::cli::run({argv + 1, argv + argc}, console, pawl::cli::add_serve);
  } catch (const std::exception& error) {
    std::cerr << "pawl: " << error.what() << '\n';
    return pawl::cli::kFailed;
  }
}
