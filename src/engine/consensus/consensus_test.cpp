// SPDX-License-Identifier: Apache-2.0
#include "engine/consensus/consensus.h"

#include <gtest/gtest.h>

#include "engine/consensus/test_cluster.h"

namespace pawl::engine {
namespace {

using testing::Faults;
using testing::TestCluster;

void run(std::size_t nodes, std::uint64_t seed, const Faults& faults, int steps) {
  SCOPED_TRACE("nodes " + std::to_string(nodes) + ", seed " + std::to_string(seed));
  TestCluster cluster(nodes, seed);
  for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) cluster.step(faults);
  ASSERT_FALSE(::testing::Test::HasFatalFailure());
  EXPECT_TRUE(cluster.heals()) << cluster.text();
  EXPECT_GT(cluster.committed(), 10u);
}

TEST(ConsensusTest, AQuietClusterCommitsAndStaysWithItsLeader) {
  TestCluster cluster(3, 1);
  Faults none{0, 0, false, false, false, false};
  for (int i = 0; i < 4'000; ++i) cluster.step(none);
  EXPECT_TRUE(cluster.heals());
  EXPECT_GT(cluster.committed(), 200u);
}

TEST(ConsensusTest, ThreeNodesKeepRaftsPromisesUnderLossDuplicationReorderingAndCrashes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) run(3, seed, {}, 4'000);
}

TEST(ConsensusTest, FiveNodesKeepRaftsPromisesUnderLossDuplicationReorderingAndCrashes) {
  for (std::uint64_t seed = 100; seed < 110; ++seed) run(5, seed, {}, 6'000);
}

TEST(ConsensusTest, NodesKeepRaftsPromisesWhileMembersComeAndGo) {
  Faults faults;
  faults.changes = true;
  for (std::uint64_t seed = 200; seed < 220; ++seed) run(5, seed, faults, 6'000);
}

TEST(ConsensusTest, TheSameSeedIsTheSameRun) {
  Faults faults;
  faults.changes = true;
  TestCluster one(5, 7);
  TestCluster other(5, 7);
  for (int i = 0; i < 3'000; ++i) {
    one.step(faults);
    other.step(faults);
  }
  EXPECT_EQ(one.committed(), other.committed());
  EXPECT_EQ(one.elected(), other.elected());
}

}  // namespace
}  // namespace pawl::engine
