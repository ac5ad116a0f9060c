// SPDX-License-Identifier: Apache-2.0
// Many simulated worlds, each judged by the invariants. PAWL_TEST_LONG=1 runs fifty times as many;
// PAWL_SEED=N runs that one.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "simulation/report.h"
#include "simulation/simulation.h"

namespace pawl::testing {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t kSeeds = 120;
#else
constexpr std::uint64_t kSeeds = 250;
#endif

std::uint64_t seeds_to_run() {
  const char* is_long = std::getenv("PAWL_TEST_LONG");
  return is_long != nullptr && std::string(is_long) == "1" ? kSeeds * 50 : kSeeds;
}

TEST(Simulation, HoldsItsPromisesInEveryWorld) {
  const char* one = std::getenv("PAWL_SEED");
  const std::uint64_t first = one != nullptr ? std::strtoull(one, nullptr, 10) : 1;
  const std::uint64_t count = one != nullptr ? 1 : seeds_to_run();
  const SimOptions options;
  Stats total;
  int bad = 0;
  for (std::uint64_t seed = first; seed < first + count && bad < 5; ++seed) {
    const SimResult result = simulate(seed, options);
    total += result.stats;
    if (result.good()) continue;
    ++bad;
    ADD_FAILURE() << explain(result, options);
  }
  static_cast<void>(std::fputs(table(total).c_str(), stdout));
  if (one != nullptr || bad != 0) return;
  // A fault that never came and an answer that nobody got were not tested.
  for (std::size_t i = 0; i < kCounts; ++i)
    EXPECT_GT(total.counts[i], 0U) << name_of(static_cast<Count>(i));
}

TEST(Simulation, IsTheSameForTheSameSeed) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SimResult once = simulate(seed);
    const SimResult again = simulate(seed);
    EXPECT_EQ(once.history.digest(), again.history.digest()) << "seed " << seed;
    EXPECT_EQ(once.stats.counts, again.stats.counts) << "seed " << seed;
  }
  EXPECT_NE(simulate(1).history.digest(), simulate(2).history.digest());
}

}  // namespace
}  // namespace pawl::testing
