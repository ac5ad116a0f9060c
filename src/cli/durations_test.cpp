// SPDX-License-Identifier: Apache-2.0
#include "cli/durations.h"

#include <gtest/gtest.h>

#include "support/random.h"

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;

TEST(Durations, AreReadAsPeopleWriteThem) {
  EXPECT_EQ(parse_duration("30s"), 30s);
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("1.5m"), 90s);
  EXPECT_EQ(parse_duration("2h"), 2h);
  EXPECT_EQ(parse_duration("1h30m"), 90min);
  EXPECT_EQ(parse_duration("1d"), 24h);
  EXPECT_EQ(parse_duration("7us"), 7us);
  EXPECT_EQ(parse_duration("0"), 0s);
  EXPECT_EQ(parse_duration("0s"), 0s);
}

TEST(Durations, FractionsAreExactAndCutBelowAMicrosecond) {
  EXPECT_EQ(parse_duration("0.1s"), 100ms);
  EXPECT_EQ(parse_duration("0.000001s"), 1us);
  EXPECT_EQ(parse_duration("0.0000019s"), 1us);
  EXPECT_EQ(parse_duration("0.99999999999999999999999999s"), 999'999us);
  EXPECT_EQ(parse_duration("0.00000000001d"), 0us);
}

TEST(Durations, AnythingElseIsRefused) {
  for (const char* text :
       {"",     "30",   "s",  "-1s", "+1s",  "1 s",  " 1s", "1s ", "1.s",  ".5s",
        "1,5s", "1e3s", "1x", "1S",  "1s1h", "1s1s", "nan", "inf", "0x1s", "1.2.3s"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Durations, TooMuchIsRefusedAndNeverWrapsAround) {
  EXPECT_TRUE(parse_duration("50000000d"));
  for (const char* text :
       {"99999999999d", "9223372036854775807s", "18446744073709551617us",
        "53375995d53375995h99999999999999999s", "99999999999999999999999999999999999999s"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Durations, WhatIsWrittenIsReadBackExactly) {
  EXPECT_EQ(format_duration(0s), "0s");
  EXPECT_EQ(format_duration(90s), "1m30s");
  EXPECT_EQ(format_duration(10min), "10m");
  EXPECT_EQ(format_duration(24h), "1d");
  EXPECT_EQ(format_duration(1500ms), "1.5s");
  EXPECT_EQ(format_duration(250ms), "250ms");
  EXPECT_EQ(format_duration(61'000'001us), "1m1.000001s");
  EXPECT_EQ(format_duration(1'200us), "1.2ms");
  constexpr std::uint64_t kSeed = 4;
  SCOPED_TRACE(kSeed);
  testing::Random random(kSeed);
  for (int i = 0; i < 2'000; ++i) {
    const microseconds any(random.next() >> (10 + random.below(54)));
    if (any > 300'000'000h) continue;
    EXPECT_EQ(parse_duration(format_duration(any)), any) << format_duration(any);
  }
}

TEST(Durations, ForPeopleTwoUnitsAreEnough) {
  EXPECT_EQ(rough_duration(0s), "0s");
  EXPECT_EQ(rough_duration(3us), "1ms");
  EXPECT_EQ(rough_duration(250ms), "250ms");
  EXPECT_EQ(rough_duration(1250ms), "1.2s");
  EXPECT_EQ(rough_duration(4s), "4s");
  EXPECT_EQ(rough_duration(24'900ms), "24s");
  EXPECT_EQ(rough_duration(192s), "3m 12s");
  EXPECT_EQ(rough_duration(3min), "3m");
  EXPECT_EQ(rough_duration(2h + 5min + 9s), "2h 5m");
  EXPECT_EQ(rough_duration(52h), "2d 4h");
  EXPECT_EQ(rough_duration(-1s), "0s");
}

}  // namespace
}  // namespace pawl::cli
