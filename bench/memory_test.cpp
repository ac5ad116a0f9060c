// SPDX-License-Identifier: Apache-2.0
// What a lease costs is a promise, and bytes, unlike times, are the same on every run.
#include <gtest/gtest.h>

#include "allocations.h"
#include "workload.h"

namespace {

TEST(Memory, AHeldLeaseCostsAtMost300Bytes) {
  constexpr long kLeases = 200'000;
  const std::size_t before = pawl::bench::allocated_bytes();
  const auto state = pawl::bench::with_held(kLeases);
  const std::size_t after = pawl::bench::allocated_bytes();
  ASSERT_EQ(state->held, static_cast<std::uint64_t>(kLeases));
  EXPECT_LE((after - before) / kLeases, 300U);
}

TEST(Memory, OfReleasedLeasesIsUsedAgain) {
  const auto state = pawl::bench::with_held(0);
  pawl::core::Time now{};
  const auto cycle = [&](long n) {
    using namespace pawl::bench;
    now += std::chrono::milliseconds(100);  // so that 600 ends are remembered at a time
    const Command take = acquire(now, n, n);
    step(*state, take);
    step(*state, release(now, std::get<Acquire>(take.body).id));
  };
  for (long n = 0; n < 5'000; ++n) cycle(n);
  const std::size_t before = pawl::bench::allocated_bytes();
  for (long n = 5'000; n < 50'000; ++n) cycle(n);
  EXPECT_LE(pawl::bench::allocated_bytes(), before);
}

}  // namespace
