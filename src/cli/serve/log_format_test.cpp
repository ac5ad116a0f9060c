// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/log_format.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace pawl::cli {
namespace {

using ports::Field;
using ports::Severity;

const ports::WallTime kAt =
    std::chrono::sys_days(std::chrono::year(2026) / 4 / 1) + std::chrono::milliseconds(5);

std::string line(LogStyle style, std::span<const Field> fields,
                 Severity severity = Severity::info) {
  return log_line(style, {severity, "lock_acquired", fields, kAt});
}

TEST(LogFormat, AJsonLineBeginsWithTheEvent) {
  const std::array fields = {Field{"resource", "a"}, Field{"fencingToken", std::int64_t{7}},
                             Field{"waitedSeconds", 0.25},
                             Field{"resources", ports::JsonText(R"(["a","b"])")}};
  EXPECT_EQ(line(LogStyle::json, fields),
            R"({"event":"lock_acquired","at":"2026-04-01T00:00:00.005Z","severity":"info",)"
            R"("resource":"a","fencingToken":7,"waitedSeconds":0.25,"resources":["a","b"]})");
}

TEST(LogFormat, NothingInAFieldBreaksTheLine) {
  const std::array fields = {Field{"resource", "a\n\"b\"\x1b[2J\x7f"}};
  for (const LogStyle style : {LogStyle::json, LogStyle::text}) {
    for (const char c : line(style, fields)) {
      EXPECT_GE(static_cast<unsigned char>(c), 0x20);
      EXPECT_NE(c, 0x7f);
    }
  }
  EXPECT_NE(line(LogStyle::json, fields).find(R"("a\n\"b\"\u001b[2J\u007f")"), std::string::npos);
}

TEST(LogFormat, ANumberThatJsonCannotWriteIsNull) {
  const std::array fields = {Field{"x", std::nan("")},
                             Field{"y", -std::numeric_limits<double>::infinity()}};
  EXPECT_NE(line(LogStyle::json, fields).find(R"("x":null,"y":null)"), std::string::npos);
}

TEST(LogFormat, TextHasItsFieldsInColumns) {
  const std::array fields = {Field{"resource", "a b"}, Field{"ownerId", "w-1"},
                             Field{"count", std::int64_t{-3}}};
  EXPECT_EQ(line(LogStyle::text, fields, Severity::warning),
            "2026-04-01T00:00:00.005Z warning lock_acquired        "
            "resource=\"a b\" ownerId=w-1 count=-3");
  EXPECT_EQ(line(LogStyle::text, {}), "2026-04-01T00:00:00.005Z info    lock_acquired");
}

TEST(LogFormat, ColoursAreForTerminalsOnly) {
  EXPECT_EQ(line(LogStyle::text, {}, Severity::error).find('\x1b'), std::string::npos);
  EXPECT_NE(line(LogStyle::coloured_text, {}, Severity::error).find("\x1b[1;31m"),
            std::string::npos);
}

}  // namespace
}  // namespace pawl::cli
