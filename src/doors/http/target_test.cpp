// SPDX-License-Identifier: Apache-2.0
#include "doors/http/target.h"

#include <gtest/gtest.h>

namespace pawl::doors::http {
namespace {

std::string detail_of(std::string_view text) {
  Target target;
  const Verdict bad = target.parse(text);
  if (!bad) return "";
  EXPECT_EQ(bad->code, service::ProblemCode::malformed);
  return bad->detail;
}

TEST(Target, IsTakenApart) {
  Target target;
  ASSERT_FALSE(target.parse("/v1/resources/a%2Fb%20c?limit=5&prefix=x%26y&after="));
  EXPECT_EQ(target.path(), "/v1/resources/a%2Fb%20c");
  ASSERT_EQ(target.segments(), 3U);
  EXPECT_EQ(target.segment(2), "a/b c");
  ASSERT_NE(target.find("prefix"), nullptr);
  EXPECT_EQ(*target.find("prefix"), "x&y");
  EXPECT_EQ(*target.find("limit"), "5");
  EXPECT_EQ(*target.find("after"), "");
  EXPECT_EQ(target.find("other"), nullptr);
}

TEST(Target, APlusIsAPlus) {
  Target target;
  ASSERT_FALSE(target.parse("/v1/locks?prefix=a+b%2Bc"));
  EXPECT_EQ(*target.find("prefix"), "a+b+c");
}

TEST(Target, MayNameTheHostAsForAProxy) {
  Target target;
  ASSERT_FALSE(target.parse("http://127.0.0.1:7420/v1/locks?limit=1"));
  EXPECT_EQ(target.path(), "/v1/locks");
  Target bare;
  ASSERT_FALSE(bare.parse("http://127.0.0.1:7420"));
  EXPECT_EQ(bare.path(), "/");
}

TEST(Target, WhatHasMoreSegmentsThanAnyPathHasNone) {
  Target target;
  ASSERT_FALSE(target.parse("/a/b/c/d/e"));
  EXPECT_EQ(target.segments(), 0U);
}

TEST(Target, BadEscapesAreRefused) {
  const std::string why = "a '%' in the target has no two hex digits after it";
  for (const char* text : {"/%", "/%2", "/%2g", "/%g2", "/a?x=%", "/a?%zz=1", "/a?x=%f"})
    EXPECT_EQ(detail_of(text), why) << text;
}

TEST(Target, WhatIsNotTextIsRefused) {
  EXPECT_EQ(detail_of("/a%ff"), "the target is not UTF-8 once it is decoded");
  EXPECT_EQ(detail_of("/a?x=%c3"), "the target is not UTF-8 once it is decoded");
  EXPECT_EQ(detail_of("/a?%c3=1"), "the target is not UTF-8 once it is decoded");
  EXPECT_EQ(detail_of("/a b"), "the target has a byte that must be percent-encoded");
  EXPECT_EQ(detail_of("/\xc3\xa4"), "the target has a byte that must be percent-encoded");
  EXPECT_EQ(detail_of("*"), "the target must begin with '/'");
  EXPECT_EQ(detail_of(""), "the target must begin with '/'");
}

TEST(Target, AParameterStandsOnce) {
  Target target;
  const Verdict bad = target.parse("/a?limit=1&lim%69t=2");
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->code, service::ProblemCode::malformed);
  EXPECT_EQ(bad->field, "limit");
}

TEST(Target, AParameterHasANameAndAValue) {
  const std::string why = "a query parameter must look like name=value";
  for (const char* text : {"/a?limit", "/a?=5", "/a?x=1&&y=2", "/a?&"})
    EXPECT_EQ(detail_of(text), why) << text;
  EXPECT_EQ(detail_of("/a?"), "");
}

TEST(Target, ParametersAreBounded) {
  std::string text = "/a?p=1";
  for (int i = 0; i < 20; ++i) text += "&p" + std::to_string(i) + "=1";
  EXPECT_EQ(detail_of(text), "the query has too many parameters");
}

}  // namespace
}  // namespace pawl::doors::http
