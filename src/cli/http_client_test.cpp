// SPDX-License-Identifier: Apache-2.0
#include "cli/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>

#include "cli/test_peer.h"

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

HttpClient client_of(const std::string& url) { return HttpClient(parse_url(url).value()); }

TEST(HttpClient, SendsTheRequestAndReadsTheAnswer) {
  const TestPeer peer([](const PeerRequest&) {
    return "HTTP/1.1 201 Created\r\nContent-Type: a/b\r\nDate: Thu, 30 Apr 2026 23:59:01 GMT\r\n"
           "Content-Length: 5\r\n\r\nhello";
  });
  const auto reply =
      client_of(peer.url()).call({.method = "POST", .target = "/x?y=1", .body = "{\"a\":1}"}, 30s);
  ASSERT_TRUE(reply.ok()) << reply.fault().why;
  EXPECT_EQ(reply.value().status, 201);
  EXPECT_EQ(reply.value().content_type, "a/b");
  EXPECT_EQ(reply.value().body, "hello");
  EXPECT_EQ(reply.value().date, WallTime(1'777'593'541s));
  const PeerRequest sent = peer.requests().at(0);
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(sent.target, "/x?y=1");
  EXPECT_EQ(sent.body, "{\"a\":1}");
  EXPECT_THAT(sent.head, HasSubstr("\r\nHost: " + peer.url().substr(7) + "\r\n"));
  EXPECT_THAT(sent.head, HasSubstr("\r\nContent-Type: application/json\r\n"));
}

TEST(HttpClient, ReadsAnswersInChunksAndUntilTheEnd) {
  const TestPeer peer([](const PeerRequest& request) -> std::string {
    if (request.target == "/end") return "HTTP/1.1 200 OK\r\n\r\nuntil the end";
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
  });
  EXPECT_EQ(client_of(peer.url()).call({.target = "/chunks"}, 30s).value().body, "abcde");
  EXPECT_EQ(client_of(peer.url()).call({.target = "/end"}, 30s).value().body, "until the end");
}

TEST(HttpClient, SpeaksIpv6) {
  const TestPeer peer([](const PeerRequest&) { return json_answer(200, "{}"); }, true);
  const auto reply = client_of(peer.url()).call({.target = "/"}, 30s);
  ASSERT_TRUE(reply.ok()) << reply.fault().why;
  EXPECT_EQ(reply.value().body, "{}");
}

TEST(HttpClient, NobodyThereIsToldFromAnAnswerThatWasLost) {
  std::string url;
  {
    const TestPeer peer([](const PeerRequest&) { return ""; });
    url = peer.url();
    const auto lost = client_of(url).call({.target = "/"}, 30s);
    ASSERT_FALSE(lost.ok());
    EXPECT_TRUE(lost.fault().sent);
    EXPECT_THAT(lost.fault().why, HasSubstr("without an answer"));
  }
  const auto refused = client_of(url).call({.target = "/"}, 30s);
  ASSERT_FALSE(refused.ok());
  EXPECT_FALSE(refused.fault().sent);
  EXPECT_THAT(refused.fault().why, HasSubstr("refused"));
}

TEST(HttpClient, AnAnswerThatNeverComesEndsAtTheDeadline) {
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  const TestPeer peer([&](const PeerRequest&) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return over; });
    return "";
  });
  const auto reply = client_of(peer.url()).call({.target = "/"}, 50ms);
  {
    const std::lock_guard lock(mutex);
    over = true;
  }
  changed.notify_all();
  ASSERT_FALSE(reply.ok());
  EXPECT_TRUE(reply.fault().sent);
  EXPECT_THAT(reply.fault().why, HasSubstr("timed out"));
}

TEST(HttpClient, WhatIsNotHttpOrCutShortIsAFault) {
  const TestPeer peer([](const PeerRequest& request) -> std::string {
    if (request.target == "/smtp") return "220 mail.example ESMTP\r\n\r\n";
    return "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort";
  });
  EXPECT_THAT(client_of(peer.url()).call({.target = "/smtp"}, 30s).fault().why,
              HasSubstr("not HTTP"));
  EXPECT_THAT(client_of(peer.url()).call({.target = "/cut"}, 30s).fault().why,
              HasSubstr("too early"));
}

TEST(HttpClient, AnAnswerWithoutBoundsIsRefused) {
  const TestPeer peer([](const PeerRequest& request) -> std::string {
    if (request.target == "/headers") return "HTTP/1.1 200 OK\r\nX: " + std::string(200'000, 'x');
    return "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n";
  });
  EXPECT_FALSE(client_of(peer.url()).call({.target = "/headers"}, 30s).ok());
  EXPECT_THAT(client_of(peer.url()).call({.target = "/body"}, 30s).fault().why,
              HasSubstr("too large"));
}

TEST(HttpClient, AStreamIsGivenAsItArrives) {
  const TestPeer peer([](const PeerRequest&) {
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
  });
  std::string seen;
  const auto reply =
      client_of(peer.url())
          .follow({.target = "/events", .last_event_id = "7"}, 30s, [&](std::string_view bytes) {
            seen += bytes;
            return true;
          });
  ASSERT_TRUE(reply.ok()) << reply.fault().why;
  EXPECT_EQ(seen, "abcde");
  EXPECT_THAT(peer.requests().at(0).head, HasSubstr("\r\nLast-Event-ID: 7\r\n"));
}

TEST(HttpClient, ARefusedStreamIsAnAnswer) {
  const TestPeer peer(
      [](const PeerRequest&) { return json_answer(429, "{\"code\":\"too_many\"}"); });
  const auto reply = client_of(peer.url()).follow({.target = "/events"}, 30s, [](std::string_view) {
    ADD_FAILURE() << "no part of the stream";
    return true;
  });
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply.value().status, 429);
  EXPECT_EQ(reply.value().body, "{\"code\":\"too_many\"}");
}

}  // namespace
}  // namespace pawl::cli
