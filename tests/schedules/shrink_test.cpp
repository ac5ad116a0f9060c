// SPDX-License-Identifier: Apache-2.0
#include "schedules/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

#include "schedules/shape.h"
#include "support/print.h"

namespace pawl::testing {
namespace {

// An artificial bug: a release some time after a takeover, however many commands stand between.
bool release_after_takeover(const Schedule& schedule) {
  const auto takeover = std::find_if(schedule.begin(), schedule.end(), [](const core::Command& c) {
    return std::holds_alternative<core::Takeover>(c.body);
  });
  return std::any_of(takeover, schedule.end(), [](const core::Command& c) {
    return std::holds_alternative<core::Release>(c.body);
  });
}

Schedule a_schedule_that_fails(const Fails& fails) {
  for (std::uint64_t seed = 1;; ++seed) {
    Schedule schedule = generate(seed, shape_of(seed));
    if (schedule.size() > 60 && fails(schedule)) return schedule;
  }
}

TEST(Shrink, LeavesOnlyTheCommandsThatTheFailureNeeds) {
  const Schedule small =
      shrink(a_schedule_that_fails(release_after_takeover), release_after_takeover);
  ASSERT_EQ(small.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<core::Takeover>(small[0].body));
  EXPECT_TRUE(std::holds_alternative<core::Release>(small[1].body));
  EXPECT_EQ(small[0].at, core::Time{});
  EXPECT_EQ(small[1].at, core::Time{});
}

TEST(Shrink, SimplifiesTheFieldsThatDoNotMatter) {
  const Fails shared_acquire = [](const Schedule& schedule) {
    return std::any_of(schedule.begin(), schedule.end(), [](const core::Command& c) {
      const auto* acquire = std::get_if<core::Acquire>(&c.body);
      return acquire != nullptr && acquire->terms.mode == core::Mode::shared &&
             acquire->ticket.door == 3;
    });
  };
  const Schedule small = shrink(a_schedule_that_fails(shared_acquire), shared_acquire);
  ASSERT_EQ(small.size(), 1U);
  const auto& acquire = std::get<core::Acquire>(small[0].body);
  EXPECT_EQ(acquire.ticket.door, 3U);
  EXPECT_EQ(acquire.wait, core::Duration{});
  EXPECT_EQ(acquire.terms.lock_delay, core::Duration{});
  EXPECT_TRUE(acquire.terms.resources.empty());
}

TEST(Shrink, LeavesAMinimalScheduleAlone) {
  Schedule minimal = {
      {core::Time{}, core::Takeover{}},
      {core::Time{}, core::Release{core::Namespace("default"), core::LeaseId("lease-0001")}}};
  EXPECT_EQ(shrink(minimal, release_after_takeover), minimal);
}

}  // namespace
}  // namespace pawl::testing
