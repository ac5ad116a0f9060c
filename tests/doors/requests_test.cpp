// SPDX-License-Identifier: Apache-2.0
// Clients that do as HTTP says.
#include "doors/server_test.h"

namespace pawl::testing {
namespace {

struct RequestsTest : ServerTest {
  RequestsTest() { start(); }
};

TEST_F(RequestsTest, AConnectionServesOneRequestAfterTheOther) {
  RawClient one = client();
  for (int i = 0; i < 50; ++i) {
    const std::string body = "body " + std::to_string(i);
    ASSERT_TRUE(one.send(post("/echo", body)));
    const Response response = one.response();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "POST /echo " + body);
    EXPECT_EQ(response.header("Content-Type"), "text/plain");
    EXPECT_EQ(response.header("Cache-Control"), "no-store");
    EXPECT_EQ(response.header("Connection"), "");
  }
  EXPECT_EQ(in_loop([&] { return server->connections(); }), 1U);
  EXPECT_EQ(in_loop([&] { return handler->requests[{"stand_in", 200}]; }), 50U);
  EXPECT_EQ(in_loop([&] { return handler->last_content_type; }), "application/json");
}

TEST_F(RequestsTest, WhatABrowserSaysOfItsPageIsPassedOnAndBelongsToOneRequest) {
  RawClient one = client();
  one.send(get("/echo", "Origin: http://evil.example\r\nSec-Fetch-Site: cross-site\r\n"));
  EXPECT_EQ(one.response().status, 200);
  EXPECT_EQ(in_loop([&] { return handler->last_host; }), "pawl");
  EXPECT_EQ(in_loop([&] { return handler->last_origin; }), "http://evil.example");
  EXPECT_EQ(in_loop([&] { return handler->last_fetch_site; }), "cross-site");
  one.send(get("/echo"));
  EXPECT_EQ(one.response().status, 200);
  EXPECT_EQ(in_loop([&] { return handler->last_origin; }), "");
  EXPECT_EQ(in_loop([&] { return handler->last_fetch_site; }), "");
}

TEST_F(RequestsTest, AConnectionIsClosedWhenTheClientSaysSo) {
  RawClient one = client();
  one.send(get("/echo", "Connection: close\r\n"));
  EXPECT_EQ(one.response().header("Connection"), "close");
  EXPECT_TRUE(one.is_over());
}

TEST_F(RequestsTest, HttpOneDotZeroClosesUnlessAskedToKeepAlive) {
  RawClient plain = client();
  plain.send("GET /echo HTTP/1.0\r\n\r\n");
  EXPECT_EQ(plain.response().header("Connection"), "close");
  EXPECT_TRUE(plain.is_over());

  RawClient keeping = client();
  for (int i = 0; i < 3; ++i) {
    keeping.send("GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(keeping.response().header("Connection"), "keep-alive");
  }
}

TEST_F(RequestsTest, HeadTellsTheLengthAndSendsNoBody) {
  RawClient one = client();
  one.send("HEAD /large/1000 HTTP/1.1\r\nHost: pawl\r\n\r\n");
  EXPECT_EQ(one.response(true).header("Content-Length"), "1000");
  one.send(get("/echo"));
  EXPECT_EQ(one.response().body, "GET /echo ");
}

TEST_F(RequestsTest, AHundredPipelinedRequestsAreAnsweredInOrder) {
  std::string all;
  for (int i = 0; i < 100; ++i) all += post("/echo/" + std::to_string(i), "b" + std::to_string(i));
  RawClient one = client();
  one.send(all);
  for (int i = 0; i < 100; ++i) {
    const std::string n = std::to_string(i);
    EXPECT_EQ(one.response().body, "POST /echo/" + n + " b" + n);
  }
}

TEST_F(RequestsTest, WhatIsPipelinedBehindAWaitIsServedAfterIt) {
  // Far more than is read ahead: the rest stays in the client's socket until there is room.
  std::string behind;
  const int count = 2'000;
  for (int i = 0; i < count; ++i) behind += get("/echo/" + std::to_string(i));
  ASSERT_GT(behind.size(), 4 * options.max_header_bytes);
  RawClient one = client();
  one.send(get("/wait"));
  one.send(behind);
  await_waiting(1);
  EXPECT_EQ(in_loop([&] { return handler->taken; }), 1U);
  answer_all();
  EXPECT_EQ(one.response().body, "at last");
  for (int i = 0; i < count; ++i) {
    ASSERT_EQ(one.response().body, "GET /echo/" + std::to_string(i) + " ");
  }
}

TEST_F(RequestsTest, ARequestMayComeByteByByte) {
  RawClient one = client();
  for (const char byte : post("/echo", "slow but steady")) one.send(std::string(1, byte));
  EXPECT_EQ(one.response().body, "POST /echo slow but steady");
}

TEST_F(RequestsTest, AChunkedBodyIsPutTogether) {
  RawClient one = client();
  one.send(
      "POST /echo HTTP/1.1\r\nHost: pawl\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n1;note=\"x\"\r\n,\r\n6\r\n world\r\n0\r\nChecked: yes\r\n\r\n");
  EXPECT_EQ(one.response().body, "POST /echo hello, world");
  one.send(get("/echo"));
  EXPECT_EQ(one.response().status, 200);
}

TEST_F(RequestsTest, AClientThatAsksFirstIsToldToGoOn) {
  RawClient one = client();
  one.send(
      "POST /echo HTTP/1.1\r\nHost: pawl\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(one.response().status, 100);
  one.send("abc");
  EXPECT_EQ(one.response().body, "POST /echo abc");
}

TEST_F(RequestsTest, AClientThatAsksFirstIsToldNotToSendTooMuch) {
  RawClient one = client();
  one.send(
      "POST /echo HTTP/1.1\r\nHost: pawl\r\nExpect: 100-continue\r\nContent-Length: "
      "99999999\r\n\r\n");
  EXPECT_EQ(one.response().status, 413);
  EXPECT_TRUE(one.is_over());
}

TEST_F(RequestsTest, EmptyLinesBeforeARequestAreIgnored) {
  RawClient one = client();
  one.send("\r\n\r\n" + get("/echo") + "\r\n" + get("/echo"));
  EXPECT_EQ(one.response().status, 200);
  EXPECT_EQ(one.response().status, 200);
}

TEST_F(RequestsTest, ABodyOfExactlyTheLimitIsTaken) {
  RawClient one = client();
  one.send(post("/echo", std::string(options.max_body_bytes, 'b')));
  EXPECT_EQ(one.response().body.size(), options.max_body_bytes + 11);
}

TEST_F(RequestsTest, ALargeAnswerArrivesWhole) {
  RawClient one = client();
  one.send(get("/large/20000000"));
  const Response response = one.response();
  EXPECT_EQ(response.body, std::string(20'000'000, 'x'));
  one.send(get("/echo"));
  EXPECT_EQ(one.response().status, 200);
}

TEST_F(RequestsTest, AClientThatHasSaidAllItWantsIsStillAnsweredWhatCanBeAnsweredAtOnce) {
  RawClient one = client();
  one.send(get("/large/5000000") + get("/echo"));
  one.half_close();
  EXPECT_EQ(one.response().body.size(), 5'000'000U);
  EXPECT_EQ(one.response().body, "GET /echo ");
  EXPECT_TRUE(one.is_over());
}

TEST(ServerOpenTest, APortThatIsTakenIsNamedInTheFault) {
  boost::asio::io_context io{1};
  const auto handler = std::make_shared<StandIn>(io);
  doors::http::ServerOptions options;
  options.port = 0;
  auto first = doors::http::Server::open(io, handler, options);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first.value()->address(), "127.0.0.1:" + std::to_string(first.value()->port()));
  options.port = first.value()->port();
  const auto second = doors::http::Server::open(io, handler, options);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.fault().find(std::to_string(options.port)), std::string::npos) << second.fault();
  options.host = "no such host";
  EXPECT_FALSE(doors::http::Server::open(io, handler, options).ok());
}

}  // namespace
}  // namespace pawl::testing
