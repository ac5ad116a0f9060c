// SPDX-License-Identifier: Apache-2.0
// More clients than the server or the machine can take.
#include <sys/resource.h>
#include <unistd.h>

#include <deque>

#include "doors/memory.h"
#include "doors/server_test.h"

namespace pawl::testing {
namespace {

struct FloodTest : ServerTest {
  std::deque<RawClient> clients;
};

TEST_F(FloodTest, BeyondTheLimitClientsAreTurnedAwayAndLaterOnesServed) {
  options.max_connections = 10;
  start();
  for (int i = 0; i < 10; ++i) clients.push_back(client());
  await_connections(10);
  for (int i = 0; i < 50; ++i) {
    RawClient extra = client();
    const Response response = extra.response();
    EXPECT_EQ(response.status, 429);
    EXPECT_EQ(response.header("Connection"), "close");
    EXPECT_TRUE(extra.is_over());
  }
  EXPECT_EQ(in_loop([&] { return handler->refused["too_many"]; }), 50U);
  for (RawClient& one : clients) {
    one.send(get("/echo"));
    EXPECT_EQ(one.response().status, 200);
  }
  clients.clear();
  await_connections(0);
  expect_well();
}

TEST_F(FloodTest, WithoutFileDescriptorsNobodyIsLostAndLaterClientsAreServed) {
  start();
  // Connected by the kernel, but there is no descriptor for the server's side.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int spare = ::dup(0);
  ASSERT_GE(spare, 0);
  ::close(spare);
  rlimit tight = before;
  tight.rlim_cur = static_cast<rlim_t>(spare) + 1;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
  RawClient one = client();
  await([&] { return handler->refused["no_descriptors"] > 0; });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  one.send(get("/echo"));
  EXPECT_EQ(one.response().status, 200);
}

TEST_F(FloodTest, AnswersThatNobodyReadsTakeSoMuchMemoryAndNoMore) {
  options.write_timeout = std::chrono::hours(1);
  options.lost_timeout = std::chrono::hours(1);
  start();
  // Twenty times 20 MB: those for whom there is no room left are cut off.
  for (int i = 0; i < 20; ++i) {
    clients.push_back(client(4096));
    clients.back().send(get("/large/20000000"));
  }
  await([&] { return handler->taken == 20 && server->connections() <= 4; });
  EXPECT_GE(in_loop([&] { return server->connections(); }), 1U);
  expect_well();
}

TEST_F(FloodTest, AFloodThatComesAndGoesLeavesNothingBehind) {
  options.max_connections = 100;
  start();
  for (int i = 0; i < 3'000; ++i) {
    clients.push_back(client());
    if (i % 3 == 0) clients.back().send(get("/wait"));
    if (i % 3 == 1) clients.back().send("POST /echo HTTP/1.1\r\nContent-Le");
    if (clients.size() > 150) clients.pop_front();
  }
  clients.clear();
  await([&] { return server->connections() == 0 && handler->waiting.empty(); });
  expect_well();
}

TEST_F(FloodTest, AConnectionKeepsLittleOfALargeRequest) {
  start();
  const std::string large = post("/wait/" + std::string(10'000, 'p'), std::string(60'000, 'b'));
  clients.push_back(client());
  clients.back().send(large);
  await_waiting(1);
  const std::size_t before = resident_bytes();
  const std::size_t count = 400;
  for (std::size_t i = 0; i < count; ++i) {
    clients.push_back(client());
    clients.back().send(large);
    await_waiting(i + 2);
  }
  if (kCountsMemory) {
    // With what the stand-in remembers, which is the target.
    EXPECT_LT(growth_since(before) / count, 20'000U);
  }
  answer_all();
  for (RawClient& one : clients) EXPECT_EQ(one.response().status, 200);
}

TEST_F(FloodTest, TooManyReadersOfEventsAreTurnedAway) {
  options.max_event_readers = 3;
  start();
  for (int i = 0; i < 3; ++i) {
    clients.push_back(client());
    clients.back().send(get("/events"));
    clients.back().read_until(": pawl events");
  }
  RawClient extra = client();
  extra.send(get("/events"));
  EXPECT_EQ(extra.response().status, 429);
  clients.pop_back();
  await([&] { return server->event_readers() == 2; });
  RawClient next = client();
  next.send(get("/events"));
  EXPECT_NE(next.read_until(": pawl events").find("200 OK"), std::string::npos);
}

}  // namespace
}  // namespace pawl::testing
