// SPDX-License-Identifier: Apache-2.0
// How much memory this process has, for tests that say how little something may take.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <fstream>

namespace pawl::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kCountsMemory = false;  // most of it is the sanitizer's
#else
inline constexpr bool kCountsMemory = true;
#endif

inline std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

inline std::size_t growth_since(std::size_t before) {
  const std::size_t now = resident_bytes();
  return now > before ? now - before : 0;
}

}  // namespace pawl::testing
