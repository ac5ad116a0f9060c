// SPDX-License-Identifier: Apache-2.0
#include "doors/http/nearest.h"

#include <gtest/gtest.h>

#include <array>

#include "doors/http/utf8.h"

namespace pawl::doors::http {
namespace {

constexpr std::array<std::string_view, 5> kKnown = {"resource", "resources", "ownerId",
                                                    "ttlSeconds", "waitSeconds"};

TEST(Nearest, FindsWhatWasMeant) {
  EXPECT_EQ(nearest("ttlSecond", kKnown), "ttlSeconds");
  EXPECT_EQ(nearest("ttl_seconds", kKnown), "ttlSeconds");
  EXPECT_EQ(nearest("TTLSECONDS", kKnown), "ttlSeconds");
  EXPECT_EQ(nearest("ttl", kKnown), "ttlSeconds");
  EXPECT_EQ(nearest("owner", kKnown), "ownerId");
  EXPECT_EQ(nearest("resuorce", kKnown), "resource");
}

TEST(Nearest, SaysNothingWhereNothingIsClose) {
  EXPECT_EQ(nearest("colour", kKnown), "");
  EXPECT_EQ(nearest("", kKnown), "");
  EXPECT_EQ(nearest("x", kKnown), "");
  EXPECT_EQ(nearest(std::string(100'000, 'r'), kKnown), "");
  EXPECT_EQ(nearest("ttlSeconds", {}), "");
  EXPECT_EQ(hint("colour", kKnown), "");
}

TEST(Nearest, TheHintIsAQuestion) {
  EXPECT_EQ(hint("ttlSecond", kKnown), "; did you mean 'ttlSeconds'?");
}

TEST(Nearest, ALongNameIsCutBetweenCharacters) {
  EXPECT_EQ(shortened("short"), "short");
  EXPECT_EQ(shortened(std::string(65, 'a')), std::string(64, 'a') + "...");
  std::string euros;
  for (int i = 0; i < 30; ++i) euros += "\xe2\x82\xac";
  EXPECT_TRUE(is_utf8(shortened(euros)));
  EXPECT_LE(shortened(euros).size(), 67U);
}

TEST(Utf8, KnowsWhatIsWellFormed) {
  EXPECT_TRUE(is_utf8("plain"));
  EXPECT_TRUE(is_utf8("\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\x92"));
  EXPECT_TRUE(is_utf8(std::string_view("\0", 1)));
  for (const char* bad : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xe2\x82",
                          "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_FALSE(is_utf8(bad));
  }
}

}  // namespace
}  // namespace pawl::doors::http
