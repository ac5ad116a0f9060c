// SPDX-License-Identifier: Apache-2.0
// The server stops while its connections do all kinds of things.
#include <atomic>

#include "doors/server_test.h"

namespace pawl::testing {
namespace {

using namespace std::chrono_literals;

struct CloseTest : ServerTest {
  void close(std::chrono::milliseconds patience = kPatience) {
    in_loop([&] {
      server->close(patience, [this] { ++closed; });
      EXPECT_EQ(closed, 0) << "close() has not returned yet";
    });
  }
  void await_closed(int count = 1) {
    await([&] { return closed == count; });
    EXPECT_EQ(in_loop([&] { return server->connections(); }), 0U);
  }

  std::atomic<int> closed = 0;
};

TEST_F(CloseTest, WithoutConnectionsItIsDoneAtOnce) {
  start();
  close();
  await_closed();
}

TEST_F(CloseTest, IdleConnectionsAndEventStreamsAreClosed) {
  start();
  RawClient fresh = client();
  RawClient used = client();
  used.send(get("/echo"));
  EXPECT_EQ(used.response().status, 200);
  RawClient reader = client();
  reader.send(get("/events"));
  reader.read_until(": pawl events\n\n");
  await_connections(3);
  close();
  EXPECT_TRUE(fresh.is_over());
  EXPECT_TRUE(used.is_over());
  EXPECT_TRUE(reader.is_over());
  await_closed();
}

TEST_F(CloseTest, HalfARequestIsRefused) {
  start();
  RawClient head = client();
  head.send("GET /ec");
  RawClient body = client();
  body.send("POST /echo HTTP/1.1\r\nHost: pawl\r\nContent-Length: 10\r\n\r\nhalf");
  await_connections(2);
  // Both have been read once a third, sent later, is answered.
  expect_well();
  close();
  for (RawClient* one : {&head, &body}) {
    const Response response = one->response();
    EXPECT_TRUE(response.status == 503 || response.status == 0) << response.status;
    one->close();
  }
  await_closed();
  EXPECT_EQ(in_loop([&] { return handler->taken; }), 1U);
}

TEST_F(CloseTest, WhoeverWaitsIsAnsweredFirst) {
  start();
  RawClient one = client();
  one.send(get("/wait"));
  await_waiting(1);
  one.send(get("/echo"));  // too late: not taken any more
  close();
  EXPECT_EQ(in_loop([&] { return server->connections(); }), 1U);
  answer_all();
  const Response response = one.response();
  EXPECT_EQ(response.body, "at last");
  EXPECT_EQ(response.header("Connection"), "close");
  EXPECT_TRUE(one.is_over());
  one.close();
  await_closed();
  EXPECT_EQ(in_loop([&] { return handler->taken; }), 1U);
}

TEST_F(CloseTest, AnAnswerThatIsBeingWrittenIsFinished) {
  start();
  RawClient one = client(4096);
  one.send(get("/large/20000000"));
  await([&] { return handler->taken == 1; });
  close();
  EXPECT_EQ(one.response().body.size(), 20'000'000U);
  EXPECT_TRUE(one.is_over());
  one.close();
  await_closed();
}

TEST_F(CloseTest, WhenPatienceEndsTheRestIsCut) {
  start();
  RawClient waiting = client();
  waiting.send(get("/wait"));
  RawClient unread = client(4096);
  unread.send(get("/large-grant/20000000"));
  await([&] { return handler->taken == 2; });
  close(20ms);
  EXPECT_TRUE(waiting.is_over());
  await_closed();
  EXPECT_EQ(in_loop([&] { return handler->hung_up_calls.size(); }), 1U);
  EXPECT_EQ(in_loop([&] { return handler->unheard_ids.size(); }), 1U);
}

TEST_F(CloseTest, ASecondCloseMayBeLessPatient) {
  start();
  RawClient waiting = client();
  waiting.send(get("/wait"));
  await_waiting(1);
  close(1h);
  close(0ms);
  EXPECT_TRUE(waiting.is_over());
  await_closed(2);
}

TEST_F(CloseTest, NobodyIsAcceptedAnyMore) {
  start();
  close();
  await_closed();
  in_loop([&] { server.reset(); });
  auto again = doors::http::Server::open(io, handler, [&] {
    doors::http::ServerOptions same = options;
    same.port = port;
    return same;
  }());
  EXPECT_TRUE(again.ok()) << again.fault();  // the port is free
  in_loop([&] { std::move(again).value().reset(); });
}

TEST_F(CloseTest, AServerMayBeDestroyedWhileItsConnectionsDoAllKindsOfThings) {
  options.write_timeout = 1s;
  start();
  RawClient idle = client();
  RawClient half = client();
  half.send("POST /echo HTTP/1.1\r\nHost: pawl\r\nContent-Length: 10\r\n\r\nhalf");
  RawClient waiting = client();
  waiting.send(get("/wait"));
  RawClient looking = client();
  looking.send(get("/look"));
  RawClient unread = client(4096);
  unread.send(get("/large-grant/20000000"));
  RawClient reader = client();
  reader.send(get("/events"));
  RawClient lingering = client();
  lingering.send("rubbish\r\n\r\n");
  reader.read_until(": pawl events\n\n");
  EXPECT_EQ(lingering.response().status, 400);
  await([&] { return handler->taken == 4; });
  in_loop([&] { server.reset(); });
  for (RawClient* one : {&idle, &half, &waiting, &looking, &unread, &reader, &lingering}) {
    one->read_to_end();
  }
  answer_all();  // the look comes back to nobody
  EXPECT_EQ(in_loop([&] { return handler->hung_up_calls.size(); }), 1U);
  EXPECT_EQ(in_loop([&] { return handler->unheard_ids.size(); }), 1U);
}

}  // namespace
}  // namespace pawl::testing
