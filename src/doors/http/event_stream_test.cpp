// SPDX-License-Identifier: Apache-2.0
#include "doors/http/event_stream.h"

#include <gtest/gtest.h>

#include <utility>

#include "support/manual_loop.h"

namespace pawl::doors::http {
namespace {

struct EventStreamTest : ::testing::Test {
  testing::ManualLoop loop;
  static constexpr std::size_t kKept = 2'000;
  service::Feed feed{loop, kKept, std::size_t{64} << 20};

  void add(std::uint64_t index, std::string resource, std::string json = "{}") {
    service::FeedEvent event;
    if (index != 0) event.id = service::EventId{{index, 2}, 3};
    event.name = "lock_released";
    event.space = core::Namespace("default");
    event.resources = {core::ResourceName(std::move(resource))};
    event.json = std::move(json);
    feed.add(std::move(event));
  }
  static std::string filled(EventStream& stream) {
    std::string out;
    EXPECT_FALSE(stream.fill(out));
    return out;
  }
};

TEST_F(EventStreamTest, AnEventIsItsIdItsNameAndOneLineOfJson) {
  EventStream stream(feed, {});
  EXPECT_EQ(filled(stream), "");
  add(7, "a", "{\"event\":\"lock_released\"}");
  EXPECT_EQ(filled(stream),
            "id: 7-2-3\nevent: lock_released\ndata: {\"event\":\"lock_released\"}\n\n");
  EXPECT_EQ(filled(stream), "") << "once";
}

TEST_F(EventStreamTest, AnObservationOfThisNodeHasNoId) {
  EventStream stream(feed, {});
  add(0, "a");
  EXPECT_EQ(filled(stream), "event: lock_released\ndata: {}\n\n");
}

TEST_F(EventStreamTest, OnlyWhatPassesTheFilterIsTold) {
  Stream start;
  start.filter.prefix = "jobs:";
  EventStream stream(feed, start);
  add(1, "jobs:nightly");
  add(2, "other");
  add(3, "jobs:hourly");
  EXPECT_EQ(filled(stream),
            "id: 1-2-3\nevent: lock_released\ndata: {}\n\n"
            "id: 3-2-3\nevent: lock_released\ndata: {}\n\n");
}

TEST_F(EventStreamTest, WhatWasMissedIsToldFirstAndOnce) {
  Stream start;
  start.missed = true;
  EventStream stream(feed, start);
  add(1, "a");
  const std::string first = filled(stream);
  EXPECT_TRUE(first.starts_with("event: missed\ndata: {\"event\":\"missed\",\"detail\":\""));
  EXPECT_TRUE(first.ends_with("\n\nid: 1-2-3\nevent: lock_released\ndata: {}\n\n")) << first;
  add(2, "a");
  EXPECT_EQ(filled(stream).find("missed"), std::string::npos);
}

TEST_F(EventStreamTest, OneThatFallsBehindTheFeedIsTold) {
  EventStream stream(feed, {});
  for (std::uint64_t i = 1; i <= kKept + 1; ++i) add(i, "a");
  std::string out;
  stream.fill(out);
  EXPECT_TRUE(out.starts_with("event: missed\n"));
  EXPECT_EQ(out.find("id: 1-2-3\n"), std::string::npos);
  EXPECT_NE(out.find("id: 2-2-3\n"), std::string::npos);
}

TEST_F(EventStreamTest, OneFillIsBoundedInBytes) {
  EventStream stream(feed, {});
  const std::string kilobyte(1024, 'k');
  for (std::uint64_t i = 1; i <= 200; ++i) add(i, "a", kilobyte);
  std::size_t fills = 0;
  std::size_t bytes = 0;
  for (bool more = true; more; ++fills) {
    std::string out;
    more = stream.fill(out);
    EXPECT_LT(out.size(), EventStream::kEnoughBytes + 2 * kilobyte.size());
    bytes += out.size();
  }
  EXPECT_GT(fills, 5U);
  EXPECT_GT(bytes, 200 * kilobyte.size());
}

TEST_F(EventStreamTest, OneFillIsBoundedInEventsLookedAt) {
  Stream start;
  start.filter.prefix = "none";
  EventStream stream(feed, start);
  for (std::uint64_t i = 1; i <= EventStream::kMostEvents + 1; ++i) add(i, "a");
  std::string out;
  EXPECT_TRUE(stream.fill(out)) << "there is more to look at";
  EXPECT_FALSE(stream.fill(out));
  EXPECT_EQ(out, "");
}

}  // namespace
}  // namespace pawl::doors::http
