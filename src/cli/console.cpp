// SPDX-License-Identifier: Apache-2.0
#include "cli/console.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace pawl::cli {
namespace {

bool wants_style() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if (no_color != nullptr && *no_color != '\0') return false;
  return term != nullptr && std::string_view(term) != "dumb" && isatty(STDOUT_FILENO) != 0;
}

}  // namespace

std::string Console::bold(std::string_view text) const {
  return styled ? "\x1b[1m" + std::string(text) + "\x1b[0m" : std::string(text);
}

std::string Console::dim(std::string_view text) const {
  return styled ? dimmed(text) : std::string(text);
}

bool Console::confirms(std::string_view question) const {
  err << question << " [y/N] " << std::flush;
  std::string answer;
  if (!std::getline(in, answer)) err << '\n';
  return answer == "y" || answer == "Y" || answer == "yes" || answer == "Yes";
}

Console standard_console() {
  return {std::cin, std::cout, std::cerr, isatty(STDIN_FILENO) != 0, wants_style()};
}

std::string dimmed(std::string_view text) { return "\x1b[2m" + std::string(text) + "\x1b[0m"; }

}  // namespace pawl::cli
