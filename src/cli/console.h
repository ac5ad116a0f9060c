// SPDX-License-Identifier: Apache-2.0
// Where a command reads and writes, and whether a person is there. Tests give their own streams.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace pawl::cli {

struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool in_is_terminal = false;
  bool styled = false;  // bold and dim may be used on `out`

  std::string bold(std::string_view text) const;
  std::string dim(std::string_view text) const;
  // A question for the person at the terminal; anything but y or yes is no.
  bool confirms(std::string_view question) const;
};

// std::cin, std::cout and std::cerr; styled on a terminal, unless NO_COLOR or TERM=dumb says no.
Console standard_console();

std::string dimmed(std::string_view text);

}  // namespace pawl::cli
