// SPDX-License-Identifier: Apache-2.0
// Clients that are slow, broken or hostile: each gets an error or a closed connection, and costs
// the others nothing.
#include "doors/server_test.h"
#include "support/random.h"

namespace pawl::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kPostHead = "POST /echo HTTP/1.1\r\nHost: pawl\r\n";

struct BadInputTest : ServerTest {
  // What the server makes of these bytes when nothing follows them.
  void expect_refused(std::string_view bytes, int status) {
    RawClient one = client();
    one.send(bytes);
    const Response response = one.response();
    EXPECT_EQ(response.status, status) << bytes.substr(0, 200);
    EXPECT_EQ(response.header("Connection"), "close");
    EXPECT_TRUE(one.is_over());
    EXPECT_EQ(in_loop([&] { return handler->taken; }), 0U);
  }
};

TEST_F(BadInputTest, WhatIsNotHttpIsRefusedAndTheConnectionClosed) {
  start();
  for (const std::string_view bytes : {
           std::string_view("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11),  // TLS
           std::string_view("\0\0\0\0", 4),
           std::string_view("GET /echo HTTP/2.0\r\n\r\n"),
           std::string_view("GET /echo HTTP/0.9\r\n\r\n"),
           std::string_view("GET  HTTP/1.1\r\nHost: pawl\r\n\r\n"),
           std::string_view("GET /echo\r\n\r\n"),
           std::string_view("GET /\x01 HTTP/1.1\r\nHost: pawl\r\n\r\n"),
           std::string_view("GET /echo HTTP/1.1\r\nHost: pawl\r\nno colon\r\n\r\n"),
           std::string_view("GET /echo HTTP/1.1\r\nHost: pawl\r\nA : b\r\n\r\n"),
           std::string_view("GET /echo HTTP/1.1\nHost: pawl\n\n"),
           std::string_view("POST /echo HTTP/1.1\r\nHost: pawl\r\nContent-Length: -1\r\n\r\n"),
           std::string_view("POST /echo HTTP/1.1\r\nHost: pawl\r\nContent-Length: 1\r\n"
                            "Content-Length: 2\r\n\r\n"),
       }) {
    expect_refused(bytes, 400);
  }
  expect_well();
}

// A proxy in front of us, or a browser, could mean another host than we do.
TEST_F(BadInputTest, ARequestThatDoesNotSayItsHostOnceIsRefused) {
  start();
  expect_refused("GET /echo HTTP/1.1\r\n\r\n", 400);
  expect_refused("POST /echo HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", 400);
  expect_refused("GET /echo HTTP/1.1\r\nHost: pawl\r\nHost: pawl\r\n\r\n", 400);
  expect_refused("GET /echo HTTP/1.1\r\nHost: pa wl\r\n\r\n", 400);
  RawClient one = client();
  one.send("GET /echo HTTP/1.1\r\n\r\n");
  EXPECT_EQ(one.response().body,
            "malformed: This can't be read as HTTP/1.1: there is no Host field.");
  expect_well();
}

// A proxy in front of us could understand these differently, and so smuggle a request through.
TEST_F(BadInputTest, ARequestWhoseEndIsInDoubtIsRefused) {
  start();
  const std::string head(kPostHead);
  expect_refused(head + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400);
  expect_refused(head + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 400);
  expect_refused(head + "Transfer-Encoding: gzip\r\n\r\n", 400);
  expect_refused(head + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400);
  expect_refused(head + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", 400);
  expect_refused("POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400);
  expect_refused(head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400);
  expect_refused(head + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n", 400);
}

TEST_F(BadInputTest, AHeadThatIsTooLargeIsRefused) {
  start();
  const std::string much(options.max_header_bytes, 'a');
  expect_refused(much, 413);
  expect_refused("GET /" + much + " HTTP/1.1\r\n\r\n", 413);
  expect_refused(std::string(kPostHead) + "Note: " + much + "\r\n\r\n", 413);
  expect_refused(std::string(kPostHead) + "Note: " + much, 413);
  expect_well();
}

TEST_F(BadInputTest, HeadersThatComeOneByOneAndNeverEndAreRefused) {
  start();
  RawClient one = client();
  one.send(kPostHead);
  std::size_t sent = 0;
  // Each line on its own, so that the server has no more than one to look at.
  while (sent < 4 * options.max_header_bytes && one.send("Note: one more line of this\r\n")) {
    sent += 29;
    in_loop([] {});
  }
  EXPECT_EQ(one.response().status, 413);
}

TEST_F(BadInputTest, ABodyThatIsTooLargeIsRefused) {
  start();
  const std::string head(kPostHead);
  expect_refused(head + "Content-Length: 65537\r\n\r\n", 413);
  expect_refused(head + "Content-Length: 18446744073709551615\r\n\r\n", 413);
  expect_refused(head + "Content-Length: 99999999999999999999999\r\n\r\n", 400);
  expect_refused(head + "Transfer-Encoding: chunked\r\n\r\n10001\r\n", 413);
  expect_refused(head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", 413);
  expect_well();
}

TEST_F(BadInputTest, AnEndlessBodyIsRefusedHoweverItIsCutUp) {
  start();
  for (const std::string_view chunk : {"1\r\nx\r\n", "1000\r\n"}) {
    std::string piece(chunk);
    if (chunk == "1000\r\n") piece += std::string(0x1000, 'x') + "\r\n";
    RawClient one = client();
    one.send(std::string(kPostHead) + "Transfer-Encoding: chunked\r\n\r\n");
    std::string many;
    while (many.size() < 64 * 1024) many += piece;
    for (int i = 0; i < 100 && one.send(many); ++i) {
    }
    EXPECT_EQ(one.response().status, 413);
  }
  EXPECT_EQ(in_loop([&] { return handler->taken; }), 0U);
}

TEST_F(BadInputTest, EndlessChunkExtensionsAndTrailersAreRefused) {
  start();
  const std::string chunked = std::string(kPostHead) + "Transfer-Encoding: chunked\r\n\r\n";
  expect_refused(chunked + "1;" + std::string(options.max_header_bytes, 'a'), 413);
  std::string trailers = "0\r\n";
  while (trailers.size() < options.max_header_bytes) trailers += "Note: one more\r\n";
  expect_refused(chunked + trailers, 413);
}

TEST_F(BadInputTest, AClientThatStillSendsItsBodyHearsWhyItWasRefused) {
  start();
  RawClient one = client();
  const std::string body(1'000'000, 'b');
  one.send(post("/echo", body));
  EXPECT_EQ(one.response().status, 413);
}

TEST_F(BadInputTest, AClientThatNeverFinishesItsHeadIsToldAndDropped) {
  options.header_timeout = 50ms;
  start();
  expect_refused("GET /echo HT", 408);
  expect_refused("GET /echo HTTP/1.1\r\nHost: pawl\r\n", 408);
  // A byte now and then does not help.
  RawClient slow = client();
  const std::string head = "GET /echo HTTP/1.1\r\nNote: " + std::string(100'000, 'a');
  for (const char byte : head) {
    if (!slow.send(std::string(1, byte))) break;
    if (in_loop([&] { return server->connections(); }) == 0) break;
    std::this_thread::sleep_for(1ms);
  }
  await_connections(0);
  expect_well();
}

TEST_F(BadInputTest, AClientThatNeverFinishesItsBodyIsToldAndDropped) {
  options.body_timeout = 50ms;
  start();
  expect_refused(std::string(kPostHead) + "Content-Length: 10\r\n\r\nhalf", 408);
  expect_refused(std::string(kPostHead) + "Transfer-Encoding: chunked\r\n\r\n5\r\nhal", 408);
  expect_refused(std::string(kPostHead) + "Transfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n", 408);
}

TEST_F(BadInputTest, ASilentClientIsDroppedWithoutAWord) {
  options.idle_timeout = 50ms;
  start();
  RawClient silent = client();
  EXPECT_TRUE(silent.is_over());
  RawClient served = client();
  served.send(get("/echo"));
  EXPECT_EQ(served.response().status, 200);
  EXPECT_TRUE(served.is_over());
  await_connections(0);
}

TEST_F(BadInputTest, AClientThatLeavesInTheMiddleOfARequestIsForgotten) {
  start();
  const std::string whole = post("/echo", "hello");
  for (std::size_t cut = 0; cut < whole.size(); cut += 7) {
    RawClient one = client();
    one.send(std::string_view(whole).substr(0, cut));
    if (cut % 2 == 0) {
      one.close();
    } else {
      one.reset();
    }
  }
  await_connections(0);
  EXPECT_EQ(in_loop([&] { return handler->taken; }), 0U);
  EXPECT_TRUE(in_loop([&] { return handler->hung_up_calls.empty(); }));
}

TEST_F(BadInputTest, AClientThatReadsNothingIsCutAndItsGrantGivenUp) {
  options.write_timeout = 50ms;
  start();
  RawClient plain = client(4096);
  plain.send(get("/large/20000000"));
  RawClient granted = client(4096);
  granted.send(get("/large-grant/20000000"));
  await([&] { return handler->taken == 2 && server->connections() == 0; });
  EXPECT_EQ(in_loop([&] { return handler->unheard_ids; }),
            std::vector<std::string>{"/large-grant/20000000"});
  expect_well();
}

TEST_F(BadInputTest, RandomDamageToRequestsNeverHurtsTheServer) {
  start();
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const std::vector<std::string> good = {
      get("/echo?x=%20", "Accept: */*\r\nConnection: keep-alive\r\n"),
      post("/echo", "{\"resource\":\"r\"}"),
      std::string(kPostHead) + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
  };
  for (int round = 0; round < 500; ++round) {
    std::string bytes;
    while (random.percent(70)) bytes += random.pick(good);
    for (std::uint64_t i = random.below(6); i > 0 && !bytes.empty(); --i) {
      const std::size_t at = random.below(bytes.size());
      if (random.percent(30)) {
        bytes.erase(at, random.below(20));
      } else if (random.percent(30)) {
        bytes.insert(at, random.below(20), static_cast<char>(random.below(256)));
      } else {
        bytes[at] = static_cast<char>(random.below(256));
      }
    }
    RawClient one = client();
    for (std::string_view rest = bytes; !rest.empty();) {
      const std::size_t some = 1 + random.below(rest.size());
      if (!one.send(rest.substr(0, some))) break;
      rest.remove_prefix(some);
    }
    one.half_close();
    one.read_to_end();  // it ends
  }
  await_connections(0);
  expect_well();
}

}  // namespace
}  // namespace pawl::testing
