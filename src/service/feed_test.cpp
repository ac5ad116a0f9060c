// SPDX-License-Identifier: Apache-2.0
#include "service/feed.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/manual_loop.h"

namespace pawl::service {
namespace {

EventId number(std::uint64_t index, std::uint32_t event = 0) { return {{index, 0}, event}; }

FeedEvent event(std::optional<EventId> id, const std::string& resource = "db",
                const std::string& space = "default") {
  return {id, "lock_acquired", core::Namespace(space), {core::ResourceName(resource)}, "{}"};
}

class FeedTest : public ::testing::Test {
 protected:
  std::vector<std::string> read(Feed& from, Feed::Place& place, const FeedFilter& filter = {}) {
    std::vector<std::string> ids;
    const auto result = from.read(place, filter, 1'000, [&](const FeedEvent& seen) {
      ids.push_back(seen.id ? to_text(*seen.id) : "none");
      return true;
    });
    missed = result.missed;
    place = result.next;
    return ids;
  }

  testing::ManualLoop loop;
  Feed feed{loop, 100, std::size_t{1} << 20};
  bool missed = false;
};

using Ids = std::vector<std::string>;

TEST(EventIdTest, HasOneText) {
  const EventId id{{18'446'744'073'709'551'615u, 7}, 3};
  EXPECT_EQ(to_text(id), "18446744073709551615-7-3");
  EXPECT_EQ(parse_event_id(to_text(id)), id);
  for (const char* wrong :
       {"", "1", "1-2", "1-2-", "-1-2-3", "1-2-3-4", "1-2-3 ", " 1-2-3", "01-2-3", "+1-2-3",
        "1-2-4294967296", "18446744073709551616-0-0", "a-b-c"}) {
    EXPECT_FALSE(parse_event_id(wrong)) << wrong;
  }
}

TEST_F(FeedTest, AReaderSeesEveryEventOnceInOrder) {
  Feed::Place place = feed.end();
  feed.add(event(number(1)));
  feed.add(event(number(1, 1)));
  EXPECT_EQ(read(feed, place), (Ids{"1-0-0", "1-0-1"}));
  EXPECT_FALSE(missed);
  EXPECT_EQ(read(feed, place), Ids{});
  feed.add(event(number(2)));
  EXPECT_EQ(read(feed, place), Ids{"2-0-0"});
}

TEST_F(FeedTest, AReaderThatComesBackGoesOnAfterTheEventItNames) {
  feed.add(event(number(1)));
  feed.add(event(number(2)));
  feed.add(event({}));  // it may have seen this one or not: better twice than never
  feed.add(event(number(3)));
  auto found = feed.after(number(2));
  EXPECT_FALSE(found.missed);
  EXPECT_EQ(read(feed, found.place), (Ids{"none", "3-0-0"}));
  found = feed.after(number(3));
  EXPECT_FALSE(found.missed);
  EXPECT_EQ(found.place, feed.end());
}

TEST_F(FeedTest, AReaderIsToldWhenItsEventIsNotThere) {
  EXPECT_TRUE(feed.after(number(1)).missed);
  feed.add(event(number(5)));
  feed.add(event(number(7)));
  for (const std::uint64_t index : {4u, 6u, 8u}) {
    const auto found = feed.after(number(index));
    EXPECT_TRUE(found.missed) << index;
    EXPECT_EQ(found.place, 0u) << index;
  }
}

TEST_F(FeedTest, KeepsNoMoreEventsThanItMayAndTellsWhoFellBehind) {
  Feed small(loop, 3, std::size_t{1} << 20);
  Feed::Place slow = small.end();
  for (std::uint64_t i = 1; i <= 3; ++i) small.add(event(number(i)));
  Feed::Place quick = slow;
  read(small, quick);
  for (std::uint64_t i = 4; i <= 5; ++i) small.add(event(number(i)));
  EXPECT_EQ(read(small, quick), (Ids{"4-0-0", "5-0-0"}));
  EXPECT_FALSE(missed);
  EXPECT_EQ(read(small, slow), (Ids{"3-0-0", "4-0-0", "5-0-0"}));
  EXPECT_TRUE(missed);
  EXPECT_TRUE(small.after(number(2)).missed);
  EXPECT_FALSE(small.after(number(3)).missed);
}

TEST_F(FeedTest, KeepsNoMoreBytesThanItMay) {
  Feed small(loop, 1'000, 64 << 10);
  for (std::uint64_t i = 1; i <= 100; ++i) {
    FeedEvent large = event(number(i));
    large.json.assign(10'000, 'x');
    small.add(std::move(large));
  }
  Feed::Place place = 0;
  EXPECT_EQ(read(small, place).size(), 6u);
  FeedEvent larger_than_all = event(number(101));
  larger_than_all.json.assign(100'000, 'x');
  small.add(std::move(larger_than_all));
  EXPECT_EQ(read(small, place).size(), 0u);
  EXPECT_TRUE(missed);
}

TEST_F(FeedTest, FiltersByNamespaceAndByPrefixOfAnyResource) {
  feed.add(event(number(1), "db:1"));
  feed.add(event(number(2), "cache:1"));
  feed.add(event(number(3), "db:1", "tenant"));
  FeedEvent several = event(number(4), "cache:2");
  several.resources.emplace_back("db:2");
  feed.add(std::move(several));

  const auto ids = [&](const FeedFilter& filter) {
    Feed::Place place = 0;
    return read(feed, place, filter);
  };
  EXPECT_EQ(ids({}).size(), 4u);
  EXPECT_EQ(ids({{}, "db:"}), (Ids{"1-0-0", "3-0-0", "4-0-0"}));
  EXPECT_EQ(ids({core::Namespace("default"), "db:"}), (Ids{"1-0-0", "4-0-0"}));
  EXPECT_EQ(ids({core::Namespace("tenant"), ""}), Ids{"3-0-0"});
  EXPECT_EQ(ids({core::Namespace("nobody"), ""}), Ids{});
}

TEST_F(FeedTest, ReadsNoMoreThanAsked) {
  for (std::uint64_t i = 1; i <= 10; ++i) feed.add(event(number(i)));
  int seen = 0;
  auto result = feed.read(0, {}, 4, [&](const FeedEvent&) { return ++seen > 0; });
  EXPECT_EQ(seen, 4);
  EXPECT_EQ(result.next, 4u);
  EXPECT_TRUE(result.more);
  result = feed.read(result.next, {}, 1'000, [&](const FeedEvent&) { return ++seen < 6; });
  EXPECT_EQ(seen, 6);
  EXPECT_EQ(result.next, 6u);
  EXPECT_TRUE(result.more);
  result = feed.read(result.next, {}, 1'000, [&](const FeedEvent&) { return true; });
  EXPECT_FALSE(result.more);
}

TEST_F(FeedTest, WakesAWatcherOnceAndNotInsideAdd) {
  int woken = 0;
  feed.watch([&] { ++woken; });
  feed.add(event(number(1)));
  feed.add(event(number(2)));
  EXPECT_EQ(woken, 0);
  loop.run();
  EXPECT_EQ(woken, 1);
  feed.add(event(number(3)));
  loop.run();
  EXPECT_EQ(woken, 1);
}

TEST_F(FeedTest, AWatcherMayWatchAgainAndUnwatchOthers) {
  int first = 0;
  int second = 0;
  Feed::WatchId other = 0;
  std::function<void()> again = [&] {
    ++first;
    feed.unwatch(other);
    feed.watch(again);
  };
  feed.watch(again);
  other = feed.watch([&] { ++second; });
  feed.add(event(number(1)));
  loop.run();
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 0);
  feed.add(event(number(2)));
  loop.run();
  EXPECT_EQ(first, 2);
}

TEST_F(FeedTest, WakesNobodyAfterItsEnd) {
  int woken = 0;
  {
    Feed brief(loop, 10, 10'000);
    brief.watch([&] { ++woken; });
    brief.add(event(number(1)));
  }
  loop.run();
  EXPECT_EQ(woken, 0);
}

}  // namespace
}  // namespace pawl::service
