// SPDX-License-Identifier: Apache-2.0
#include "doors/http/response.h"

#include <gtest/gtest.h>

namespace pawl::doors::http {
namespace {

std::string head_of(const Answer& answer, const Framing& framing) {
  std::string out;
  append_head(out, answer, framing);
  return out;
}

TEST(ResponseTest, AHeadHasTypeLengthAndNoStore) {
  Answer answer;
  answer.body = "{}";
  EXPECT_EQ(head_of(answer, {}),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
            "Cache-Control: no-store\r\n\r\n");
}

TEST(ResponseTest, TheTimeOfDayIsToldAsHttpWritesIt) {
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_NE(head_of({}, {.date = http_date(784111777)})
                .find("\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"),
            std::string::npos);
}

TEST(ResponseTest, WhatIsAllowedAndWhenToComeBackAreTold) {
  Answer answer;
  answer.status = 405;
  answer.allow = "GET, HEAD";
  answer.retry_after_s = 7;
  const std::string head = head_of(answer, {});
  EXPECT_TRUE(head.starts_with("HTTP/1.1 405 Method Not Allowed\r\n"));
  EXPECT_NE(head.find("\r\nAllow: GET, HEAD\r\n"), std::string::npos);
  EXPECT_NE(head.find("\r\nRetry-After: 7\r\n"), std::string::npos);
}

TEST(ResponseTest, TheConnectionIsNamedOnlyWhereItIsNotAsTheVersionSays) {
  const auto connection = [](bool keep, bool http_1_1) {
    const std::string head = head_of({}, {keep, http_1_1});
    const std::size_t at = head.find("Connection: ");
    return at == std::string::npos ? "" : head.substr(at + 12, head.find('\r', at) - at - 12);
  };
  EXPECT_EQ(connection(true, true), "");
  EXPECT_EQ(connection(true, false), "keep-alive");
  EXPECT_EQ(connection(false, true), "close");
  EXPECT_EQ(connection(false, false), "close");
}

TEST(ResponseTest, EveryStatusOfTheApiHasAName) {
  for (const int status : {200, 400, 404, 405, 408, 409, 410, 413, 422, 429, 500, 503}) {
    EXPECT_NE(reason_phrase(status), reason_phrase(0)) << status;
  }
}

}  // namespace
}  // namespace pawl::doors::http
