// SPDX-License-Identifier: Apache-2.0
// The small parts of a replica, each by itself.
#include <gtest/gtest.h>

#include "engine/replica/arrivals.h"
#include "engine/replica/tail.h"
#include "engine/replica/timekeeper.h"

namespace pawl::engine {
namespace {

using namespace std::chrono_literals;

Entry entry(Term term, const std::string& bytes = "12345678") {
  return {term, EntryKind::command, std::make_shared<const std::string>(bytes)};
}
core::Time at(core::Duration time) { return core::Time(time); }

TEST(Timekeeper, CountsFromTheStateTimeOfItsOfficeByItsOwnClock) {
  Timekeeper time(4s);
  EXPECT_FALSE(time.in_office());
  time.take_office(at(100s), 7s);
  EXPECT_EQ(time.stamp(7s), at(100s));
  EXPECT_EQ(time.stamp(9s), at(102s));
  time.leave_office();
  time.take_office(at(500s), 60s);  // another led meanwhile
  EXPECT_EQ(time.stamp(61s), at(501s));
}

TEST(Timekeeper, WantsAnAdvanceWhenTheFirstThingIsDue) {
  Timekeeper time(4s);
  time.take_office(at(100s), 7s);
  EXPECT_EQ(time.next_advance(at(101s), true), 8s);
  EXPECT_EQ(time.next_advance(core::kNever, true), 11s);
  EXPECT_EQ(time.next_advance(at(200s), true), 11s);
  EXPECT_EQ(time.next_advance(core::kNever, false), std::nullopt);
  time.leave_office();
  EXPECT_EQ(time.next_advance(at(101s), true), std::nullopt);
}

TEST(Tail, KeepsWhatIsBehindTheCutAndForgetsWhatIsReplaced) {
  Tail tail(5);
  EXPECT_EQ(tail.last(), 4U);
  tail.append(5, {entry(1), entry(1), entry(1)});
  tail.append(6, {entry(2)});
  EXPECT_EQ(tail.last(), 6U);
  EXPECT_EQ(tail.term_of(5), 1U);
  EXPECT_EQ(tail.term_of(6), 2U);
  EXPECT_EQ(tail.term_of(7), 0U);
  tail.cut(5);
  EXPECT_EQ(tail.first(), 6U);
  EXPECT_EQ(tail.term_of(5), 0U);
  tail.cut(9);
  EXPECT_EQ(tail.first(), 7U);
  EXPECT_EQ(tail.last(), 6U);
}

TEST(Tail, CountsTheBytesBehindAnIndex) {
  Tail tail(1);
  tail.append(1, {entry(1), entry(1), entry(1)});
  const std::uint64_t all = tail.bytes_after(0);
  EXPECT_EQ(tail.bytes_after(3), 0U);
  EXPECT_EQ(tail.bytes_after(2) * 3, all);
  tail.cut(1);
  EXPECT_EQ(tail.bytes_after(0), tail.bytes_after(1));
  EXPECT_EQ(tail.bytes_after(1) + tail.bytes_after(2), all);
  tail.append(3, {});
  EXPECT_EQ(tail.bytes_after(1), tail.bytes_after(2) + all / 3);
}

TEST(Arrivals, GoIntoABatchAsFarAsTheyFitAndAtLeastOne) {
  Arrivals arrivals(2, 250);
  for (const std::size_t bytes : {100U, 100U, 100U, 200U, 300U})
    arrivals.add({at(1s), core::Advance{}}, nullptr, bytes);
  EXPECT_EQ(arrivals.take().commands.size(), 2U);  // as many as may be
  EXPECT_EQ(arrivals.take().commands.size(), 1U);  // the next one would be too much
  EXPECT_EQ(arrivals.take().commands.size(), 1U);
  arrivals.stamp(at(9s));
  const Batch last = arrivals.take();  // too large for any
  EXPECT_EQ(last.commands.front().at, at(9s));
  EXPECT_EQ(last.bytes, 300U);
  EXPECT_TRUE(arrivals.empty());
}

}  // namespace
}  // namespace pawl::engine
