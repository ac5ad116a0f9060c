// SPDX-License-Identifier: Apache-2.0
#include "doors/http/phases.h"

#include <gtest/gtest.h>

#include <vector>

namespace pawl::doors::http {
namespace {

using namespace std::chrono_literals;

struct PhasesTest : ::testing::Test {
  using Members = Phases<int>;
  static constexpr Members::Span kNo = Members::kForever;
  //                                idle head body waiting writing streaming lingering
  Members phases{{100ms, 10ms, 20ms, kNo, 10ms, 50ms, 10ms}};

  static Members::Moment at(std::chrono::milliseconds when) { return Members::Moment(when); }
  std::vector<int> all_overdue(std::chrono::milliseconds when) {
    std::vector<int> members;
    while (Members::Entry* late = phases.overdue(at(when))) {
      members.push_back(late->member);
      // A place is known to its member; here it is found.
      phases.remove(places.at(static_cast<std::size_t>(late->member)));
    }
    return members;
  }
  void add(Phase phase, std::chrono::milliseconds when) {
    places.push_back(phases.add(static_cast<int>(places.size()), phase, at(when)));
  }

  std::vector<Members::Place> places;
};

TEST_F(PhasesTest, EachIsOverdueWhenItsPhaseHasLastedTooLongAndNotBefore) {
  add(Phase::idle, 0ms);
  add(Phase::head, 0ms);
  add(Phase::body, 0ms);
  add(Phase::waiting, 0ms);
  EXPECT_EQ(all_overdue(9ms), (std::vector<int>{}));
  EXPECT_EQ(all_overdue(10ms), (std::vector<int>{1}));
  EXPECT_EQ(all_overdue(20ms), (std::vector<int>{2}));
  EXPECT_EQ(all_overdue(99ms), (std::vector<int>{}));
  EXPECT_EQ(all_overdue(24h), (std::vector<int>{0}));
  EXPECT_EQ(phases.size(), 1U);
  EXPECT_FALSE(phases.timed()) << "whoever waits has no time-out";
}

TEST_F(PhasesTest, EnteringAPhaseAgainBeginsItAnew) {
  add(Phase::idle, 0ms);
  add(Phase::idle, 0ms);
  phases.enter(places[0], Phase::idle, at(60ms));
  EXPECT_EQ(all_overdue(100ms), (std::vector<int>{1}));
  EXPECT_EQ(all_overdue(159ms), (std::vector<int>{}));
  EXPECT_EQ(all_overdue(160ms), (std::vector<int>{0}));
}

TEST_F(PhasesTest, TheFirstToEnterIsTheFirstToBeLate) {
  for (int i = 0; i < 5; ++i) add(Phase::waiting, 0ms);
  for (const std::size_t i : {3U, 1U, 4U, 0U}) {
    phases.enter(places[i], Phase::writing, at(std::chrono::milliseconds(places.size() - i)));
  }
  phases.enter(places[4], Phase::waiting, at(9ms));
  EXPECT_EQ(all_overdue(1h), (std::vector<int>{3, 1, 0}));
  EXPECT_EQ(phases.size(), 2U);
}

TEST_F(PhasesTest, EachVisitsAll) {
  add(Phase::idle, 0ms);
  add(Phase::waiting, 0ms);
  add(Phase::lingering, 0ms);
  int sum = 0;
  phases.each([&](int member) { sum += 1 + member; });
  EXPECT_EQ(sum, 6);
}

}  // namespace
}  // namespace pawl::doors::http
