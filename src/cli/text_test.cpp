// SPDX-License-Identifier: Apache-2.0
#include "cli/text.h"

#include <gtest/gtest.h>

#include <vector>

namespace pawl::cli {
namespace {

TEST(Text, WhatCameFromOthersCannotSteerTheTerminal) {
  EXPECT_EQ(printable("plain: text/1"), "plain: text/1");
  EXPECT_EQ(printable("\x1b[31mred\x1b]0;title\x07"), "\\x1b[31mred\\x1b]0;title\\x07");
  EXPECT_EQ(printable("two\nlines\t\r"), "two\\nlines\\t\\x0d");
  EXPECT_EQ(printable(std::string_view("nul\0", 4)), "nul\\x00");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\x9b31m")
      << "CSI in one letter";
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\u202eb")
      << "right-to-left override";
  EXPECT_EQ(printable("a\xe2\x81\xa6"
                      "b"),
            "a\\u2066b")
      << "isolate";
  EXPECT_EQ(printable("\xf3\xa0\x80\x81"), "\\U000e0001") << "tag";
}

TEST(Text, OtherLettersStayAsTheyAre) { EXPECT_EQ(printable("größe 数 🔒"), "größe 数 🔒"); }

TEST(Text, WhatIsNotUtf8IsSpelledByteByByte) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "past the last letter";
  EXPECT_EQ(printable("\xe2\x82x"), "\\xe2\\x82x");
}

TEST(Text, WidthCountsColumnsAndNotBytes) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("größe"), 5U);
  EXPECT_EQ(display_width("数"), 2U);
  EXPECT_EQ(display_width("e\xcc\x81"), 1U) << "combining accent";
  EXPECT_EQ(display_width("🔒"), 2U);
}

TEST(Text, AMistypedWordFindsItsNeighbour) {
  const std::vector<std::string> words = {"acquire", "release", "renew", "list", "why"};
  EXPECT_EQ(nearest("aquire", words), "acquire");
  EXPECT_EQ(nearest("lst", words), "list");
  EXPECT_EQ(nearest("relase", words), "release");
  EXPECT_EQ(nearest("wyh", words), "");
  EXPECT_EQ(nearest("frobnicate", words), "");
  EXPECT_EQ(nearest("", words), "");
  EXPECT_EQ(nearest(std::string(100'000, 'a'), words), "");
}

TEST(Text, APathSegmentKeepsEveryByteOfAName) {
  EXPECT_EQ(percent_encoded("a-b_c.d~9"), "a-b_c.d~9");
  EXPECT_EQ(percent_encoded("a/b:c d%?#+&="), "a%2Fb%3Ac%20d%25%3F%23%2B%26%3D");
  EXPECT_EQ(percent_encoded("ü"), "%C3%BC");
  EXPECT_EQ(percent_encoded(std::string_view("\0", 1)), "%00");
}

}  // namespace
}  // namespace pawl::cli
