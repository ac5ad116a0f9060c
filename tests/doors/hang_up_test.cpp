// SPDX-License-Identifier: Apache-2.0
// Clients that go away before they have their answer (P7), and those that have it in time.
#include "doors/server_test.h"

namespace pawl::testing {
namespace {

struct HangUpTest : ServerTest {
  HangUpTest() { start(); }

  void await_hung_up(std::size_t count) {
    await([=, this] { return handler->hung_up_calls.size() == count; });
    EXPECT_TRUE(in_loop([&] { return handler->waiting.empty(); }));
    await_connections(0);
  }
};

TEST_F(HangUpTest, AClientThatClosesWhileItWaitsIsHungUp) {
  RawClient one = client();
  one.send(get("/wait"));
  await_waiting(1);
  one.close();
  await_hung_up(1);
}

TEST_F(HangUpTest, AClientThatResetsWhileItWaitsIsHungUp) {
  RawClient one = client();
  one.send(get("/wait"));
  await_waiting(1);
  one.reset();
  await_hung_up(1);
}

// It can't be told from one that has died, and once it is given up it must hear nothing (P4).
TEST_F(HangUpTest, AClientThatHalfClosesWhileItWaitsIsHungUpAndHearsNothing) {
  RawClient one = client();
  one.send(get("/wait"));
  one.half_close();
  EXPECT_EQ(one.read_to_end(), "");
  await_hung_up(1);
}

TEST_F(HangUpTest, AClientThatPipelinesAndClosesIsHungUp) {
  RawClient one = client();
  one.send(get("/wait"));
  one.send(get("/echo"));
  await_waiting(1);
  one.close();
  await_hung_up(1);
  EXPECT_EQ(in_loop([&] { return handler->taken; }), 1U);
}

TEST_F(HangUpTest, AResetIsNoticedAlsoWhenNothingMoreIsReadAhead) {
  RawClient one = client();
  one.send(get("/wait"));
  await_waiting(1);
  one.send(std::string(2 * options.max_header_bytes, 'x'));
  one.reset();
  await_hung_up(1);
}

TEST_F(HangUpTest, AnEndBehindBytesThatNobodyReadsIsNoticed) {
  RawClient one = client();
  one.send(get("/wait"));
  await_waiting(1);
  one.send(std::string(2 * options.max_header_bytes, 'x'));
  one.close();
  await_hung_up(1);
}

TEST_F(HangUpTest, OfManyWaitersOnlyThoseWhoLeftAreHungUp) {
  std::vector<RawClient> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(client());
  for (RawClient& one : clients) one.send(get("/wait"));
  await_waiting(20);
  for (std::size_t i = 0; i < clients.size(); i += 2) clients[i].close();
  await([&] { return handler->hung_up_calls.size() == 10; });
  answer_all();
  for (std::size_t i = 1; i < clients.size(); i += 2) {
    EXPECT_EQ(clients[i].response().body, "at last");
  }
  EXPECT_EQ(in_loop([&] { return handler->hung_up_calls.size(); }), 10U);
}

TEST_F(HangUpTest, AReplyToNobodyIsDropped) {
  RawClient one = client();
  one.send(get("/look"));
  await_waiting(1);
  one.close();
  await_connections(0);
  answer_all();
  EXPECT_TRUE(in_loop([&] { return handler->hung_up_calls.empty(); }));
  expect_well();
}

TEST_F(HangUpTest, AGrantThatWasWrittenIsNotGivenUp) {
  RawClient one = client();
  one.send(get("/wait-grant"));
  await_waiting(1);
  answer_all();
  EXPECT_EQ(one.response().body, "at last");
  one.close();
  await_connections(0);
  EXPECT_TRUE(in_loop([&] { return handler->unheard_ids.empty(); }));
  EXPECT_TRUE(in_loop([&] { return handler->hung_up_calls.empty(); }));
}

TEST_F(HangUpTest, AGrantThatCantBeWrittenIsGivenUp) {
  for (const bool resets : {true, false}) {
    RawClient one = client(4096);
    one.send(get("/large-grant/20000000"));
    one.read_until("\r\n\r\n");
    if (resets) {
      one.reset();
    } else {
      one.half_close();  // gone, too: see above
    }
    await_connections(0);
  }
  EXPECT_EQ(in_loop([&] { return handler->unheard_ids.size(); }), 2U);
}

TEST_F(HangUpTest, AGrantThatComesWhenTheConnectionIsDeadIsGivenUp) {
  RawClient one = client();
  one.send(get("/wait-grant"));
  await_waiting(1);
  // The reset arrives, and the answer is made before the loop looks at the socket.
  in_loop([&] {
    one.reset();
    handler->answer_all();
  });
  await_connections(0);
  EXPECT_EQ(in_loop([&] { return handler->unheard_ids.size(); }), 1U);
  EXPECT_TRUE(in_loop([&] { return handler->hung_up_calls.empty(); }));
}

}  // namespace
}  // namespace pawl::testing
