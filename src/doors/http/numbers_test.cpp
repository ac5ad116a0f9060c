// SPDX-License-Identifier: Apache-2.0
#include "doors/http/numbers.h"

#include <gtest/gtest.h>

#include <string>

#include "core/limits.h"
#include "support/random.h"

namespace pawl::doors::http {
namespace {

std::int64_t micros(std::string_view number) {
  core::Duration out{-1};
  EXPECT_EQ(read_seconds(number, out), "") << number;
  return out.count();
}

std::string_view refused(std::string_view number) {
  core::Duration out{-1};
  const std::string_view why = read_seconds(number, out);
  EXPECT_EQ(out.count(), -1) << number;
  return why;
}

TEST(Numbers, SecondsAreExact) {
  EXPECT_EQ(micros("0.1"), 100'000);
  EXPECT_EQ(micros("30"), 30'000'000);
  EXPECT_EQ(micros("0.3"), 300'000);
  EXPECT_EQ(micros("1.000001"), 1'000'001);
  EXPECT_EQ(micros("4.35"), 4'350'000);
  EXPECT_EQ(micros("999999999999.999999"), 999'999'999'999'999'999);
  EXPECT_EQ(micros("0"), 0);
  EXPECT_EQ(micros("0.000000"), 0);
}

TEST(Numbers, TheExponentMovesThePoint) {
  EXPECT_EQ(micros("1e1"), 10'000'000);
  EXPECT_EQ(micros("1.5E+2"), 150'000'000);
  EXPECT_EQ(micros("2500e-3"), 2'500'000);
  EXPECT_EQ(micros("0.00000000000000000001e20"), 1'000'000);
  EXPECT_EQ(micros("100000000000000000000000000e-26"), 1'000'000);
  EXPECT_EQ(micros("0e99999999999999999999"), 0);
  EXPECT_EQ(micros("-0"), 0);
}

TEST(Numbers, WhatIsFinerThanAMicrosecondIsLeftOut) {
  EXPECT_EQ(micros("0.1234567"), 123'456);
  EXPECT_EQ(micros("1.9999999"), 1'999'999);
}

TEST(Numbers, AFewNanosecondsAreNotTakenForNone) {
  EXPECT_EQ(refused("0.0000001"), "must be 0, or at least 0.000001 seconds");
  EXPECT_EQ(refused("1e-400"), "must be 0, or at least 0.000001 seconds");
  EXPECT_EQ(refused("1e-99999999999999999999"), "must be 0, or at least 0.000001 seconds");
}

TEST(Numbers, NegativeAndAbsurdDurationsAreRefused) {
  EXPECT_EQ(refused("-1"), "must not be negative");
  EXPECT_EQ(refused("-0.0000001"), "must not be negative");
  EXPECT_EQ(refused("-1e300"), "must not be negative");
  EXPECT_EQ(refused("1000000000000"), "must be less than 1000000000000 seconds");
  EXPECT_EQ(refused("1e400"), "must be less than 1000000000000 seconds");
  EXPECT_EQ(refused("1e99999999999999999999"), "must be less than 1000000000000 seconds");
  EXPECT_EQ(refused(std::string(60'000, '9')), "must be less than 1000000000000 seconds");
}

TEST(Numbers, EveryMicrosecondReadsBackAsItWasWritten) {
  constexpr std::uint64_t kSeed = 20260401;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  testing::Random random(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    const std::int64_t value = random.between(0, 999'999'999'999'999'999) >> random.below(50);
    const std::string digits = std::to_string(1'000'000 + value % 1'000'000).substr(1);
    ASSERT_EQ(micros(std::to_string(value / 1'000'000) + "." + digits), value);
    ASSERT_EQ(micros(std::to_string(value) + "e-6"), value);
  }
}

TEST(Numbers, WholeNumbersMayBeWrittenWithAPoint) {
  std::uint64_t out = 0;
  EXPECT_EQ(read_whole("9007199254740991", 1, core::kMaxToken, out), "");
  EXPECT_EQ(out, core::kMaxToken);
  EXPECT_EQ(read_whole("3.0", 1, 10, out), "");
  EXPECT_EQ(out, 3U);
  EXPECT_EQ(read_whole("30e-1", 1, 10, out), "");
  EXPECT_EQ(out, 3U);
}

TEST(Numbers, WhatIsNotWholeOrOutOfRangeIsRefused) {
  for (const char* number : {"0", "11", "1.5", "-1", "1e30", "0.1", "9007199254740992"}) {
    std::uint64_t out = 77;
    EXPECT_EQ(read_whole(number, 1, 10, out), "must be a whole number from 1 to 10") << number;
    EXPECT_EQ(out, 77U);
  }
}

}  // namespace
}  // namespace pawl::doors::http
