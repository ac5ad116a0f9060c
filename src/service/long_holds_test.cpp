// SPDX-License-Identifier: Apache-2.0
#include "service/long_holds.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "support/lab.h"
#include "support/manual_loop.h"

namespace pawl::service {
namespace {

using testing::ask;
using namespace std::chrono_literals;

class LongHoldsTest : public ::testing::Test {
 protected:
  void start(core::Duration limit) {
    holds.emplace(
        loop, loop.clock, limit,
        [this](LongHolds::OnLook done) {
          ++looks;
          if (later) {
            waiting = std::move(done);
          } else {
            done(readable ? &lab.state : nullptr, lab.state.now);
          }
        },
        [this](const core::LeaseInfo& lease, core::Time) { ++told[lease.id.str()]; });
  }
  void take(const std::string& name, core::Duration ttl = 10h) {
    lab.acquire(ask(name, "r-" + name).ttl(ttl));
  }
  void pass(core::Duration by) {
    lab.pass(by);
    loop.pass(by);
  }
  // Long enough for a whole sweep of what these tests hold.
  void sweep() { loop.pass(1'500ms); }

  testing::ManualLoop loop;
  testing::Lab lab;
  std::optional<LongHolds> holds;
  std::map<std::string, int> told;
  int looks = 0;
  bool readable = true;
  bool later = false;
  LongHolds::OnLook waiting;
};

using Told = std::map<std::string, int>;

TEST_F(LongHoldsTest, TellsOnceOfALeaseThatIsHeldForTooLong) {
  start(10min);
  take("a");
  pass(5min);
  take("b");
  pass(4min);
  sweep();
  EXPECT_EQ(told, Told{});
  EXPECT_EQ(holds->longest(), 9min);
  EXPECT_EQ(holds->count(), 0u);
  pass(1min);
  sweep();
  EXPECT_EQ(told, (Told{{testing::id("a").str(), 1}}));
  EXPECT_EQ(holds->count(), 1u);
  pass(20min);
  sweep();
  EXPECT_EQ(told, (Told{{testing::id("a").str(), 1}, {testing::id("b").str(), 1}}));
  EXPECT_EQ(holds->count(), 2u);
  EXPECT_EQ(holds->longest(), 30min);
}

TEST_F(LongHoldsTest, WhoLetGoIsNotCountedAnyMore) {
  start(10min);
  take("a");
  take("b");
  pass(11min);
  sweep();
  EXPECT_EQ(holds->count(), 2u);
  lab.release("a");
  sweep();
  EXPECT_EQ(holds->count(), 1u);
  lab.release("b");
  sweep();
  EXPECT_EQ(holds->count(), 0u);
  EXPECT_EQ(holds->longest(), 0s);
}

TEST_F(LongHoldsTest, WhoeverTakesTheSameNameAgainIsToldOfAgain) {
  start(1min);
  for (int round = 1; round <= 3; ++round) {
    take("a" + std::to_string(round));
    pass(2min);
    sweep();
    lab.release("a" + std::to_string(round));
  }
  EXPECT_EQ(told.size(), 3u);
  for (const auto& [id, times] : told) EXPECT_EQ(times, 1) << id;
}

TEST_F(LongHoldsTest, ManyAreSweptInSlicesAndEachIsToldOnce) {
  start(1min);
  for (int i = 0; i < 3'000; ++i)
    core::step(lab.state, {lab.now, ask(std::to_string(i), "r-" + std::to_string(i)).ttl(10h)});
  pass(2min);
  sweep();
  EXPECT_EQ(told.size(), 3'000u);
  EXPECT_EQ(holds->count(), 3'000u);
  for (int i = 0; i < 5; ++i) sweep();
  for (const auto& [id, times] : told) EXPECT_EQ(times, 1) << id;
}

TEST_F(LongHoldsTest, ASweepThatWasCutShortLeavesNobodyOut) {
  start(1min);
  for (int i = 0; i < 3'000; ++i)
    core::step(lab.state, {lab.now, ask(std::to_string(i), "r-" + std::to_string(i)).ttl(10h)});
  lab.pass(2min);
  looks = 0;
  while (looks < 2) loop.pass(1ms);
  readable = false;
  loop.pass(5s);
  EXPECT_EQ(holds->count(), 0u);
  EXPECT_LT(told.size(), 3'000u);
  readable = true;
  sweep();
  EXPECT_EQ(told.size(), 3'000u);
  EXPECT_EQ(holds->count(), 3'000u);
}

TEST_F(LongHoldsTest, WithoutALimitOnlyTheLongestHoldIsKept) {
  start(0s);
  take("a");
  pass(5h);
  sweep();
  EXPECT_EQ(told, Told{});
  EXPECT_EQ(holds->count(), 0u);
  EXPECT_EQ(holds->longest(), 5h);
}

TEST_F(LongHoldsTest, LooksNoMoreThanOnceASecondWhenLittleIsHeld) {
  start(1min);
  loop.pass(10s);
  EXPECT_EQ(looks, 10);
  take("a");
  loop.pass(10s);
  EXPECT_EQ(looks, 20);
}

TEST_F(LongHoldsTest, AnAnswerThatComesAfterItsEndIsHarmless) {
  later = true;
  start(1min);
  take("a");
  lab.pass(2min);
  loop.pass(2s);
  ASSERT_TRUE(waiting);
  holds.reset();
  waiting(&lab.state, lab.state.now);
  EXPECT_EQ(told, Told{});
}

}  // namespace
}  // namespace pawl::service
