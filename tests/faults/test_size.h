// SPDX-License-Identifier: Apache-2.0
// How much a test does. PAWL_TEST_LONG=1: ten times as much. In sanitized builds, in which every
// start of a child costs several times as much, a fifth.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string_view>

namespace pawl::testing {

inline bool long_test() {
  const char* text = std::getenv("PAWL_TEST_LONG");
  return text != nullptr && std::string_view(text) == "1";
}

#if defined(PAWL_SANITIZED)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

inline int scaled(int count) {
  if (long_test()) return count * 10;
  return kSanitized ? count / 5 : count;
}

// PAWL_SEED, or another one in every run.
inline std::uint64_t seed_of_run() {
  const char* text = std::getenv("PAWL_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : std::random_device{}();
}

}  // namespace pawl::testing
