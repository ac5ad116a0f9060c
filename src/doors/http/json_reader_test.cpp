// SPDX-License-Identifier: Apache-2.0
#include "doors/http/json_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "support/random.h"

namespace pawl::doors::http {
namespace {

// The document written again, so that a test can compare it.
std::string rewritten(const JsonDocument& document, const JsonValue& value) {
  if (value.kind == JsonKind::text) return "'" + std::string(value.text) + "'";
  if (value.kind != JsonKind::array && value.kind != JsonKind::object)
    return std::string(value.text);
  const bool is_object = value.kind == JsonKind::object;
  std::string out(1, is_object ? '{' : '[');
  for (const JsonValue& member : JsonMembers(document, value)) {
    if (is_object) out += std::string(member.key) + ":";
    out += rewritten(document, member) + ",";
  }
  return out + (is_object ? "}" : "]");
}

std::string read(std::string_view body) {
  JsonDocument document;
  const Verdict bad = document.parse(body);
  if (!bad) return rewritten(document, document.root());
  EXPECT_EQ(bad->code, service::ProblemCode::malformed);
  return bad->detail;
}

TEST(JsonReader, ReadsADocument) {
  EXPECT_EQ(read(R"( {"a":1,"b":[true,null,"x",{}],"c":{"d":-1.50e+3}} )"),
            "{a:1,b:[true,null,'x',{},],c:{d:-1.50e+3,},}");
  EXPECT_EQ(read("[]"), "[]");
  EXPECT_EQ(read("\"x\""), "'x'");
}

TEST(JsonReader, KeepsNumbersAsTheyWereWritten) {
  EXPECT_EQ(read("[0.1,1e400,123456789012345678901234567890,-0]"),
            "[0.1,1e400,123456789012345678901234567890,-0,]");
}

TEST(JsonReader, UnescapesKeysAndTexts) {
  EXPECT_EQ(read(R"({"\u0061b":"\"\\\/\n","plain":"\u20ac\ud83d\udd12!","e":""})"),
            "{ab:'\"\\/\n',plain:'\xe2\x82\xac\xf0\x9f\x94\x92!',e:'',}");
  const std::string long_text(5'000, 'x');
  EXPECT_EQ(read("[\"\\n" + long_text + "\",\"" + long_text + "\\n\"]"),
            "['\n" + long_text + "','" + long_text + "\n',]");
}

TEST(JsonReader, DuplicateKeysAreRefusedByName) {
  for (const char* body :
       {R"({"a":1,"b":2,"a":3})", R"({"x":{"a":1,"\u0061":2}})", R"([{"a":1,"a":1}])"}) {
    JsonDocument document;
    const Verdict bad = document.parse(body);
    ASSERT_TRUE(bad) << body;
    EXPECT_EQ(bad->code, service::ProblemCode::malformed);
    EXPECT_EQ(bad->field, "a");
    EXPECT_EQ(bad->detail, "the body has the key 'a' twice");
  }
  EXPECT_EQ(read(R"({"a":{"a":1},"b":{"a":2}})"), "{a:{a:1,},b:{a:2,},}");
}

TEST(JsonReader, SaysWhereItIsNotJson) {
  EXPECT_EQ(read("{\"a\":NaN}"), "the body is not JSON: syntax error at byte 5");
  EXPECT_EQ(read("{\"a\":01}"), "the body is not JSON: syntax error at byte 6");
  EXPECT_EQ(read("{'a':1}"), "the body is not JSON: syntax error at byte 1");
  for (const char* body : {"{\"a\":1,}", "[1,]", "{a:1}", "nul", "+1", ".5", "1.", "\"\n\"",
                           "/**/1", "[Infinity]", "\"\\x\"", "\"\\ud800\"", "{\"a\" 1}"}) {
    JsonDocument document;
    EXPECT_TRUE(document.parse(body)) << body;
  }
}

TEST(JsonReader, WhatEndsTooEarlyIsRefused) {
  const std::string whole = R"({"a":[1,{"b":"c\u0041"}],"d":true})";
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(read(whole.substr(0, size)), "the body ends before its JSON does") << size;
}

TEST(JsonReader, WhatGoesOnIsRefused) {
  EXPECT_EQ(read("{} {}"), "the body goes on after its JSON ends at byte 3");
  EXPECT_EQ(read("{}x"), "the body goes on after its JSON ends at byte 2");
  EXPECT_EQ(read("{} \n"), "{}");
}

TEST(JsonReader, InvalidUtf8IsRefused) {
  EXPECT_EQ(read("[\"ab\xff\"]"), "the body is not UTF-8 at byte 4");
  for (const char* text : {"\x80", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    JsonDocument document;
    EXPECT_TRUE(document.parse("[\"" + std::string(text) + "\"]"));
    EXPECT_TRUE(document.parse("{\"" + std::string(text) + "\":1}"));
  }
}

TEST(JsonReader, AByteOrderMarkIsNamed) {
  EXPECT_EQ(read("\xef\xbb\xbf{}"), "the body begins with a byte order mark; leave it out");
}

TEST(JsonReader, DepthIsBounded) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_EQ(read(nested(8)), "[[[[[[[[],],],],],],],]");
  EXPECT_EQ(read(nested(9)), "the body is nested deeper than 8 levels at byte 8");
  EXPECT_EQ(read(std::string(60'000, '[')), "the body is nested deeper than 8 levels at byte 8");
}

TEST(JsonReader, TheNumberOfValuesIsBounded) {
  std::string body = "[0";
  for (std::size_t i = 2; i < JsonDocument::kMostValues; ++i) body += ",0";
  EXPECT_NE(read(body + "]").find("[0,0,"), std::string::npos);
  EXPECT_EQ(read(body + ",0]"), "the body has more than 4096 values");
  EXPECT_EQ(read(body + ",[]]"), "the body has more than 4096 values");
}

TEST(JsonReader, NoBytesBringItDown) {
  constexpr std::uint64_t kSeed = 4711;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  testing::Random random(kSeed);
  const std::string good =
      R"({"resource":"a\u00e4","ttlSeconds":1.5e1,"metadata":{"k":"v"},"x":[1,null,true]})";
  int taken = 0;
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string body = good;
    for (std::uint64_t n = random.between(1, 4); n > 0; --n)
      body[random.below(body.size())] = static_cast<char>(random.below(256));
    body.resize(random.percent(50) ? body.size() : random.below(body.size() + 1));
    JsonDocument document;
    if (document.parse(body)) {
      ++refused;
    } else {
      ++taken;
      EXPECT_FALSE(rewritten(document, document.root()).empty());
    }
  }
  EXPECT_GT(taken, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace pawl::doors::http
