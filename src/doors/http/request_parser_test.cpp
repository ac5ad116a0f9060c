// SPDX-License-Identifier: Apache-2.0
#include "doors/http/request_parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/random.h"

namespace pawl::doors::http {
namespace {

using Fault = RequestParser::Fault;

struct RequestParserTest : ::testing::Test {
  RequestText text;
  RequestBounds bounds{1024, 100};

  // Offers the bytes in pieces of `size`, each with what was left before; what was not taken stays.
  void feed(RequestParser& parser, std::string_view bytes, std::size_t size) {
    rest.clear();
    while (!bytes.empty() && !parser.done() && parser.fault() == Fault::none) {
      const std::size_t some = std::min(size, bytes.size());
      rest += bytes.substr(0, some);
      bytes.remove_prefix(some);
      rest.erase(0, parser.take(rest));
    }
    rest += bytes;
  }
  Fault fault_of(std::string_view bytes, std::size_t size) {
    RequestParser parser(text, bounds);
    feed(parser, bytes, size);
    return parser.fault();
  }
  // However the bytes are cut up.
  void expect_fault(std::string_view bytes, Fault fault) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
      EXPECT_EQ(fault_of(bytes, size), fault) << "in pieces of " << size << ": " << bytes;
    }
  }

  std::string rest;
};

TEST_F(RequestParserTest, KeepsWhatTheApiAsksForHoweverItIsCutUp) {
  const std::string_view bytes =
      "POST /v1/locks/acquire?x=%20 HTTP/1.1\r\nHost: a:1\r\nContent-Type: application/json\r\n"
      "last-event-id: 1-2-3\r\norigin: http://a:1\r\nsec-fetch-site: same-origin\r\n"
      "Content-Length: 4\r\n\r\nbodyGET /";
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    RequestParser parser(text, bounds);
    feed(parser, bytes, size);
    ASSERT_TRUE(parser.done()) << size;
    const Request request = text.view();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, "/v1/locks/acquire?x=%20");
    EXPECT_EQ(request.content_type, "application/json");
    EXPECT_EQ(request.last_event_id, "1-2-3");
    EXPECT_EQ(request.body, "body");
    EXPECT_EQ(request.host, "a:1");
    EXPECT_EQ(request.origin, "http://a:1");
    EXPECT_EQ(request.fetch_site, "same-origin");
    EXPECT_TRUE(parser.keeps_alive());
    EXPECT_EQ(rest, "GET /") << "the next request is not touched";
  }
}

TEST_F(RequestParserTest, ANewRequestHasNothingOfTheOneBefore) {
  RequestParser first(text, bounds);
  feed(first,
       "POST /a HTTP/1.1\r\nHost: a\r\nOrigin: b\r\nSec-Fetch-Site: c\r\nContent-Type: x\r\n"
       "Content-Length: 1\r\n\r\nb",
       1000);
  ASSERT_TRUE(first.done());
  RequestParser second(text, bounds);
  feed(second, "GET /b HTTP/1.0\r\n\r\n", 1000);
  ASSERT_TRUE(second.done());
  EXPECT_EQ(text.view().content_type, "");
  EXPECT_EQ(text.view().body, "");
  EXPECT_EQ(text.view().host, "");
  EXPECT_EQ(text.view().origin, "");
  EXPECT_EQ(text.view().fetch_site, "");
  EXPECT_FALSE(second.http_1_1());
  EXPECT_FALSE(second.keeps_alive());
}

TEST_F(RequestParserTest, TrailersAreNotHeaders) {
  RequestParser parser(text, bounds);
  feed(parser,
       "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n"
       "Content-Type: text/evil\r\nLast-Event-ID: 9\r\nHost: b\r\nOrigin: http://b\r\n\r\n",
       3);
  ASSERT_TRUE(parser.done());
  EXPECT_EQ(text.view().body, "ab");
  EXPECT_EQ(text.view().content_type, "");
  EXPECT_EQ(text.view().last_event_id, "");
  EXPECT_EQ(text.view().host, "a");
  EXPECT_EQ(text.view().origin, "");
}

TEST_F(RequestParserTest, BoundsHoldHoweverTheBytesAreCutUp) {
  const std::string much(2000, 'a');
  expect_fault("GET /" + much + " HTTP/1.1\r\nHost: a\r\n\r\n", Fault::head_too_large);
  expect_fault("GET / HTTP/1.1\r\nHost: a\r\nA: " + much + "\r\n\r\n", Fault::head_too_large);
  std::string many = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 200; ++i) many += "Abc: d\r\n";
  expect_fault(many, Fault::head_too_large);
  // One line at a time, which Beast alone would take for ever.
  EXPECT_EQ(fault_of(many, 8), Fault::head_too_large);

  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\n";
  expect_fault(head + "Content-Length: 101\r\n\r\n", Fault::body_too_large);
  const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  expect_fault(chunked + "65\r\nx", Fault::body_too_large);
  std::string bytes_one_by_one = chunked;
  for (int i = 0; i < 101; ++i) bytes_one_by_one += "1\r\nx\r\n";
  expect_fault(bytes_one_by_one, Fault::body_too_large);
  expect_fault(chunked + "1;" + much, Fault::head_too_large);
  expect_fault(chunked + "0\r\nA: " + much, Fault::head_too_large);
}

TEST_F(RequestParserTest, ABodyOfExactlyTheBoundIsTaken) {
  const std::string body(100, 'b');
  RequestParser parser(text, bounds);
  feed(parser, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n" + body, 11);
  EXPECT_TRUE(parser.done());
  EXPECT_EQ(text.view().body, body);
}

TEST_F(RequestParserTest, WhatIsNotHttpIsMalformed) {
  expect_fault("GET / HTTP/2.0\r\n\r\n", Fault::malformed);
  expect_fault("GET / HTTP/1.1\r\nHost: a\r\nA b\r\n\r\n", Fault::malformed);
  expect_fault("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", Fault::malformed);
  expect_fault("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", Fault::malformed);
  expect_fault(
      "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      Fault::malformed);
}

TEST_F(RequestParserTest, AnHttpOneDotOneRequestSaysItsHostOnce) {
  expect_fault("GET / HTTP/1.1\r\n\r\n", Fault::malformed);
  expect_fault("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n", Fault::malformed);
  expect_fault("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", Fault::malformed);
  expect_fault("GET / HTTP/1.1\r\nHost:\r\nhost: a\r\n\r\n", Fault::malformed);
  expect_fault("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", Fault::malformed);
  for (const std::string bad : {"a b", "a/b", "a@b", "http://a", "a\xc3\xa4", "a\"b", "a, b"})
    expect_fault("GET / HTTP/1.1\r\nHost: " + bad + "\r\n\r\n", Fault::malformed);
  for (const std::string good :
       {"", "a", "A-b_c.example:7420", "127.0.0.1:1", "[::1]:7420", "a%20"})
    expect_fault("GET / HTTP/1.1\r\nHost: " + good + "\r\n\r\n", Fault::none);
}

TEST_F(RequestParserTest, AFaultOfTheHostIsSaidInWords) {
  RequestParser parser(text, bounds);
  feed(parser, "GET / HTTP/1.1\r\n\r\n", 1000);
  EXPECT_EQ(parser.why(), "there is no Host field");
  EXPECT_FALSE(parser.done());
}

TEST_F(RequestParserTest, AnOriginThatComesTwiceIsNeither) {
  RequestParser parser(text, bounds);
  feed(parser, "GET / HTTP/1.1\r\nHost: a\r\nOrigin: http://b\r\nOrigin: http://a\r\n\r\n", 1000);
  ASSERT_TRUE(parser.done());
  EXPECT_EQ(text.view().origin, "http://b, http://a");
}

TEST_F(RequestParserTest, AnEmptyChunkedBodyIsReadHoweverItIsCutUp) {
  for (std::size_t size = 1; size < 79; ++size) {
    RequestParser parser(text, bounds);
    feed(parser, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET",
         size);
    ASSERT_TRUE(parser.done()) << size;
    EXPECT_EQ(text.view().body, "");
    EXPECT_EQ(rest, "GET");
  }
}

TEST_F(RequestParserTest, DamagedRequestsAreReadOrRefusedAndBoundsHold) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  testing::Random random(seed);
  const std::vector<std::string> good = {
      "GET /v1/events HTTP/1.1\r\nHost: a\r\nLast-Event-ID: 1-1-1\r\nA: b\r\n c\r\n\r\n",
      "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
      "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;a=\"b\"\r\nabc\r\n1\r\nd\r\n000;e\r\nT: u\r\nV: w\r\n\r\n",
  };
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = random.pick(good);
    for (std::uint64_t i = random.below(4); i > 0 && !bytes.empty(); --i) {
      const std::size_t at = random.below(bytes.size());
      if (random.percent(40)) {
        bytes.erase(at, random.below(5));
      } else if (random.percent(50)) {
        bytes.insert(at, random.pick({"\r\n", "\r", "\n", "0", ";", " ", "\r\n\r\n", ","}));
      } else {
        bytes[at] = static_cast<char>(random.below(256));
      }
    }
    RequestParser parser(text, bounds);
    feed(parser, bytes, 1 + random.below(bytes.size() + 1));
    EXPECT_LE(text.body.size(), bounds.max_body_bytes);
    EXPECT_FALSE(parser.done() && parser.fault() != Fault::none) << bytes;
  }
}

TEST_F(RequestParserTest, OnlyHttpOneDotOneIsToldToContinue) {
  for (const std::string version : {"1.0", "1.1"}) {
    RequestParser parser(text, bounds);
    feed(parser,
         "POST / HTTP/" + version +
             "\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n",
         1000);
    ASSERT_TRUE(parser.head_done());
    EXPECT_EQ(parser.wants_continue(), version == "1.1");
  }
}

TEST_F(RequestParserTest, AnnouncedBytesTakeNoMemory) {
  bounds.max_body_bytes = 1'000'000;
  RequestParser parser(text, bounds);
  feed(parser, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nab", 1000);
  EXPECT_EQ(text.body, "ab");
  EXPECT_LT(text.body.capacity(), 1000U);
}

TEST_F(RequestParserTest, MemoryOfALargeRequestIsGivenBack) {
  text.body = std::string(100'000, 'x');
  text.target = "/short";
  text.trim();
  EXPECT_LT(text.body.capacity(), 2000U);
  EXPECT_EQ(text.target, "/short");
}

}  // namespace
}  // namespace pawl::doors::http
