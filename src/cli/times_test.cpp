// SPDX-License-Identifier: Apache-2.0
#include "cli/times.h"

#include <gtest/gtest.h>

#include "service/json.h"

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kNow{1'777'593'541'250ms};

TEST(Times, WhatTheServiceWritesIsReadBack) {
  for (const WallTime time : {kNow, WallTime{}, WallTime{951'782'400'001ms}}) {
    std::string text;
    service::append_rfc3339(text, time);
    EXPECT_EQ(parse_rfc3339(text), time) << text;
  }
  EXPECT_EQ(parse_rfc3339("2026-04-30T23:59:01.25Z"), kNow);
  EXPECT_EQ(parse_rfc3339("2026-04-30T23:59:01.2509999Z"), kNow);
  EXPECT_EQ(parse_rfc3339("2026-04-30T23:59:01Z"), kNow - 250ms);
}

TEST(Times, WhatIsNoTimeIsRefused) {
  for (const char* text : {"", "2026", "2026-04-30", "2026-13-30T23:59:01Z", "2026-02-30T23:59:01Z",
                           "2026-04-30T24:00:00Z", "2026-04-30T23:60:00Z", "2026-04-30T23:59:01",
                           "2026-04-30T23:59:01.Z", "2026-04-30T23:59:01Zx", "2026-04-30 23:59:01Z",
                           "20a6-04-30T23:59:01Z"}) {
    EXPECT_FALSE(parse_rfc3339(text)) << text;
  }
}

TEST(Times, TheDateOfAnAnswerIsRead) {
  EXPECT_EQ(parse_http_date("Thu, 30 Apr 2026 23:59:01 GMT"), kNow - 250ms);
  EXPECT_FALSE(parse_http_date("Thu, 30 Foo 2026 23:59:01 GMT"));
  EXPECT_FALSE(parse_http_date("Thu, 30 Apr 2026 23:59:01"));
  EXPECT_FALSE(parse_http_date(""));
}

TEST(Times, AreSaidAsPeopleSayThem) {
  EXPECT_EQ(relative(kNow + 24s, kNow), "in 24s");
  EXPECT_EQ(relative(kNow - 3min, kNow), "3m ago");
  EXPECT_EQ(relative(kNow - 3min - 12s, kNow), "3m 12s ago");
  EXPECT_EQ(relative(kNow, kNow), "now");
  EXPECT_EQ(relative(kNow - 400ms, kNow), "now");
}

}  // namespace
}  // namespace pawl::cli
