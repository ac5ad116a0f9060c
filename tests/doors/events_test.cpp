// SPDX-License-Identifier: Apache-2.0
// Streams of server-sent events over real sockets.
#include "doors/server_test.h"

namespace pawl::testing {
namespace {

using namespace std::chrono_literals;

struct EventsTest : ServerTest {
  void add(std::uint64_t index, std::string json) {
    in_loop([&] {
      service::FeedEvent event;
      event.id = service::EventId{{index, 0}, 0};
      event.name = "lock_acquired";
      event.space = core::Namespace("default");
      event.resources = {core::ResourceName("r")};
      event.json = std::move(json);
      handler->events.add(std::move(event));
    });
  }
  RawClient reader(int receive_buffer_bytes = 0) {
    RawClient one = client(receive_buffer_bytes);
    one.send(get("/events", "Last-Event-ID: 5-0-0\r\n"));
    return one;
  }
};

TEST_F(EventsTest, AStreamBeginsAtOnceAndThenTellsEachEvent) {
  start();
  RawClient one = reader();
  const std::string head = one.read_until(": pawl events\n\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\n")) << head;
  for (const std::string_view line :
       {"Content-Type: text/event-stream\r\n", "Cache-Control: no-store\r\n",
        "Connection: close\r\n", "X-Accel-Buffering: no\r\n"}) {
    EXPECT_NE(head.find(line), std::string::npos) << line;
  }
  EXPECT_EQ(in_loop([&] { return handler->last_event_id; }), "5-0-0");
  for (std::uint64_t i = 1; i <= 5; ++i) {
    add(i, "{\"n\":" + std::to_string(i) + "}");
    const std::string n = std::to_string(i);
    EXPECT_EQ(one.read_until("\n\n"),
              "id: " + n + "-0-0\nevent: lock_acquired\ndata: {\"n\":" + n + "}\n\n");
  }
  EXPECT_EQ(in_loop([&] { return server->event_readers(); }), 1U);
  EXPECT_EQ(in_loop([&] { return handler->requests[{"events", 200}]; }), 1U);
  one.close();
  await_connections(0);
  EXPECT_EQ(in_loop([&] { return server->event_readers(); }), 0U);
  add(6, "{}");  // to nobody
}

TEST_F(EventsTest, ASilentStreamHasAHeartbeat) {
  options.heartbeat = 20ms;
  start();
  RawClient one = reader();
  one.read_until(": pawl events\n\n");
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(one.read_until("\n\n").starts_with(": heartbeat\n\n"));
  }
}

TEST_F(EventsTest, ALongFeedIsToldWhole) {
  start();
  const std::string padding(10'000, 'p');
  for (std::uint64_t i = 1; i <= 900; ++i) add(i, "{\"p\":\"" + padding + "\"}");
  RawClient one = reader();
  const std::string last = "id: 900-0-0\n";
  std::string all = one.read_until(last);
  std::size_t events = 0;
  for (std::size_t at = 0; (at = all.find("id: ", at)) != std::string::npos; ++at) ++events;
  EXPECT_EQ(events, 900U);
  EXPECT_EQ(all.find("missed"), std::string::npos);
}

TEST_F(EventsTest, AReaderThatFallsBehindIsToldThatItMissedSomething) {
  start();
  RawClient one = reader(4096);
  one.read_until(": pawl events\n\n");
  const std::string padding(10'000, 'p');
  // The feed of the stand-in keeps 1,000.
  for (std::uint64_t i = 1; i <= 3'000; ++i) add(i, "{\"p\":\"" + padding + "\"}");
  const std::string all = one.read_until("id: 3000-0-0\n");
  EXPECT_NE(all.find("event: missed\ndata: {\"event\":\"missed\""), std::string::npos);
  EXPECT_NE(all.find("id: 3000-0-0\n"), std::string::npos);
}

TEST_F(EventsTest, AReaderThatDoesNotReadIsCut) {
  options.write_timeout = 50ms;
  start();
  RawClient one = reader(4096);
  one.read_until(": pawl events\n\n");
  const std::string padding(10'000, 'p');
  for (std::uint64_t i = 1; i <= 100; ++i) add(i, "{\"p\":\"" + padding + "\"}");
  await_connections(0);
  EXPECT_EQ(in_loop([&] { return server->event_readers(); }), 0U);
}

TEST_F(EventsTest, WhatAReaderOfEventsSaysIsNotListenedTo) {
  start();
  RawClient one = reader();
  one.send(get("/echo"));
  one.read_until(": pawl events\n\n");
  add(1, "{}");
  EXPECT_EQ(one.read_until("\n\n"), "id: 1-0-0\nevent: lock_acquired\ndata: {}\n\n");
  EXPECT_EQ(in_loop([&] { return handler->taken; }), 1U);
}

TEST_F(EventsTest, HeadOfAStreamIsAHeadAndNoStream) {
  start();
  RawClient one = client();
  one.send("HEAD /events HTTP/1.1\r\nHost: pawl\r\n\r\n");
  EXPECT_EQ(one.response(true).header("Content-Type"), "text/event-stream");
  EXPECT_TRUE(one.is_over());
  EXPECT_EQ(in_loop([&] { return server->event_readers(); }), 0U);
}

}  // namespace
}  // namespace pawl::testing
