// SPDX-License-Identifier: Apache-2.0
#include "service/hold_times.h"

#include <gtest/gtest.h>

namespace pawl::service {
namespace {

using namespace std::chrono_literals;

const core::Namespace kSpace("default");

core::Ended held(const std::string& resource, core::Duration lasted) {
  core::Ended end;
  end.lease.space = kSpace;
  end.lease.terms.resources = {core::ResourceName(resource)};
  end.held = true;
  end.lasted = lasted;
  return end;
}

std::optional<HoldTimes::Usual> usual(const HoldTimes& times, const std::string& resource) {
  return times.usual(kSpace, core::ResourceName(resource));
}

TEST(HoldTimesTest, KnowsNothingOfWhatWasNeverHeld) {
  HoldTimes times(10);
  core::Ended only_waited = held("db", 1s);
  only_waited.held = false;
  times.ended(only_waited);
  EXPECT_FALSE(usual(times, "db"));
}

TEST(HoldTimesTest, PercentilesAreByNearestRank) {
  HoldTimes times(10);
  times.ended(held("db", 100ms));
  EXPECT_EQ(usual(times, "db")->p50, 100ms);
  EXPECT_EQ(usual(times, "db")->p99, 100ms);
  for (int i = 100; i >= 1; --i) times.ended(held("jobs", i * 1s));
  EXPECT_EQ(usual(times, "jobs")->p50, 50s);
  EXPECT_EQ(usual(times, "jobs")->p99, 99s);
  EXPECT_EQ(usual(times, "jobs")->count, 100u);
  EXPECT_EQ(usual(times, "db")->count, 1u);
}

TEST(HoldTimesTest, OnlyTheLastHoldsCount) {
  HoldTimes times(10);
  for (int i = 0; i < 1'000; ++i) times.ended(held("db", 1h));
  for (int i = 0; i < 128; ++i) times.ended(held("db", 1ms));
  EXPECT_EQ(usual(times, "db")->p99, 1ms);
  EXPECT_EQ(usual(times, "db")->count, 128u);
}

TEST(HoldTimesTest, ForgetsTheResourceThatWasLetGoLongestAgo) {
  HoldTimes times(2);
  times.ended(held("a", 1s));
  times.ended(held("b", 1s));
  times.ended(held("a", 2s));
  times.ended(held("c", 1s));
  EXPECT_EQ(usual(times, "a")->count, 2u);
  EXPECT_FALSE(usual(times, "b"));
  EXPECT_TRUE(usual(times, "c"));
}

TEST(HoldTimesTest, TellsNamespacesApartAndCountsEveryResourceOfALease) {
  HoldTimes times(10);
  core::Ended several = held("a", 1s);
  several.lease.terms.resources.emplace_back("b");
  times.ended(several);
  EXPECT_TRUE(usual(times, "a"));
  EXPECT_TRUE(usual(times, "b"));
  EXPECT_FALSE(times.usual(core::Namespace("other"), core::ResourceName("a")));
}

TEST(HoldTimesTest, MayBeSwitchedOff) {
  HoldTimes times(0);
  times.ended(held("a", 1s));
  EXPECT_FALSE(usual(times, "a"));
}

}  // namespace
}  // namespace pawl::service
