// SPDX-License-Identifier: Apache-2.0
// What the system knows of this process. Reads /proc; zero where it can't. Thread-safe.
#pragma once

#include <cstdint>

namespace pawl::service {

struct ProcessFigures {
  double start_time_seconds = 0;  // since 1970
  std::uint64_t resident_bytes = 0;
  std::uint64_t open_descriptors = 0;
};
ProcessFigures process_figures();

}  // namespace pawl::service
