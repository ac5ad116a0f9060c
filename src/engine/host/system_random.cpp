// SPDX-License-Identifier: Apache-2.0
#include "engine/host/system_random.h"

#include <sys/random.h>

#include "core/assert.h"
#include "engine/host/posix.h"

namespace pawl::engine {
namespace {

std::uint64_t seed() {
  std::uint64_t value = 0;
  const ssize_t got = unbroken([&] { return ::getrandom(&value, sizeof value, 0); });
  PAWL_ASSERT(got == static_cast<ssize_t>(sizeof value));  // eight bytes always come whole
  return value;
}

}  // namespace

SystemRandom::SystemRandom() : state_(seed()) {}

std::uint64_t SystemRandom::next() {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  std::uint64_t z = state_.fetch_add(kStep, std::memory_order_relaxed) + kStep;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace pawl::engine
