// SPDX-License-Identifier: Apache-2.0
#include "service/json.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/limits.h"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;

template <class Write>
std::string written(Write write) {
  std::string out;
  JsonWriter json(out);
  write(json);
  return out;
}

std::string text(std::string_view value) {
  return written([&](JsonWriter& json) { json.text(value); });
}
std::string seconds(core::Duration value) {
  return written([&](JsonWriter& json) { json.seconds(value); });
}
std::string time(ports::WallTime value) {
  return written([&](JsonWriter& json) { json.time(value); });
}

constexpr ports::WallTime kDay{std::chrono::sys_days(std::chrono::year(2026) / 4 / 1)};

TEST(JsonTest, PutsTheCommasWhereTheyBelong) {
  const std::string out = written([](JsonWriter& json) {
    json.begin_object().key("a").number(1).key("b").begin_array().end_array();
    json.key("c").begin_array().boolean(true).null().begin_object().end_object().end_array();
    json.key("d").raw("[0]").key("e").text("").end_object();
  });
  EXPECT_EQ(out, R"({"a":1,"b":[],"c":[true,null,{}],"d":[0],"e":""})");
}

TEST(JsonTest, TheWriterAppends) {
  std::string out = "data: ";
  JsonWriter(out).begin_object().end_object();
  EXPECT_EQ(out, "data: {}");
}

TEST(JsonTest, TextIsEscapedAndUtf8LeftAlone) {
  EXPECT_EQ(text("plain"), R"("plain")");
  EXPECT_EQ(text("quote\" back\\slash"), R"("quote\" back\\slash")");
  EXPECT_EQ(text("line\nbreak"), R"("line\nbreak")");
  EXPECT_EQ(text(std::string("\0\x01\x1f\x7f\t", 5)), R"("\u0000\u0001\u001f\u007f\u0009")");
  EXPECT_EQ(text("gr\u00f6\u00dfe \u2603"), "\"gr\u00f6\u00dfe \u2603\"");
  EXPECT_EQ(written([](JsonWriter& json) { json.begin_object().key("a\"b").null().end_object(); }),
            R"({"a\"b":null})");
}

TEST(JsonTest, NumbersAreExact) {
  EXPECT_EQ(written([](JsonWriter& json) { json.number(18'446'744'073'709'551'615u); }),
            "18446744073709551615");
  EXPECT_EQ(written([](JsonWriter& json) {
              json.signed_number(std::numeric_limits<std::int64_t>::min());
            }),
            "-9223372036854775808");
  EXPECT_EQ(written([](JsonWriter& json) { json.token(core::FencingToken{core::kMaxToken}); }),
            "9007199254740991");
}

TEST(JsonTest, SecondsAreExactToTheMicrosecond) {
  EXPECT_EQ(seconds(0s), "0");
  EXPECT_EQ(seconds(30s), "30");
  EXPECT_EQ(seconds(100ms), "0.1");
  EXPECT_EQ(seconds(1'500ms), "1.5");
  EXPECT_EQ(seconds(1us), "0.000001");
  EXPECT_EQ(seconds(-1'250ms), "-1.25");
  EXPECT_EQ(seconds(24h), "86400");
  EXPECT_EQ(seconds(core::kUnlimited), "null");
}

TEST(JsonTest, TimesAreRfc3339) {
  EXPECT_EQ(time(kDay), R"("2026-04-01T00:00:00.000Z")");
  EXPECT_EQ(time(kDay + 13h + 5min + 9s + 7ms), R"("2026-04-01T13:05:09.007Z")");
  EXPECT_EQ(time(ports::WallTime{} - 1ms), R"("1969-12-31T23:59:59.999Z")");
}

TEST(JsonTest, AStateTimeIsToldByTheWallClock) {
  const core::Time now(100s);
  EXPECT_EQ(wall_of(now + 30s, now, kDay), kDay + 30s);
  EXPECT_EQ(wall_of(now - 100s, now, kDay), kDay - 100s);
  EXPECT_EQ(time(wall_of(core::kNever, now, kDay)), R"("9999-12-31T23:59:59.999Z")");
}

}  // namespace
}  // namespace pawl::service
