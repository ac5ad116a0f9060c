// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/logger.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "support/manual_loop.h"

namespace pawl::cli {
namespace {

using ports::Severity;
using ::testing::HasSubstr;
using ::testing::Not;

class LoggerTest : public ::testing::Test {
 protected:
  LoggerTest() { EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0); }
  ~LoggerTest() override {
    ::close(ends_[0]);
    if (ends_[1] >= 0) ::close(ends_[1]);
  }

  // What a logger writes while `use` has it; less than a pipe holds.
  template <class Use>
  std::string written(LoggerOptions options, Use use) {
    options.fd = ends_[1];
    Logger logger(options, loop_.wall, metrics_);
    use(logger);
    logger.close();
    ::close(std::exchange(ends_[1], -1));
    std::string text;
    std::array<char, 4096> some{};
    for (ssize_t got = 0; (got = ::read(ends_[0], some.data(), some.size())) > 0;) {
      text.append(some.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

  pawl::testing::ManualLoop loop_;
  service::Metrics metrics_{10};
  std::array<int, 2> ends_{-1, -1};
};

TEST_F(LoggerTest, WritesOneJsonObjectALine) {
  EXPECT_EQ(written({},
                    [](Logger& log) {
                      log.event(Severity::info, "serving", {{"http", "127.0.0.1:1"}});
                      log.event(Severity::error, "engine_failed", {});
                    }),
            "{\"event\":\"serving\",\"at\":\"2026-04-01T00:00:00.000Z\",\"severity\":\"info\","
            "\"http\":\"127.0.0.1:1\"}\n"
            "{\"event\":\"engine_failed\",\"at\":\"2026-04-01T00:00:00.000Z\","
            "\"severity\":\"error\"}\n");
}

TEST_F(LoggerTest, LeavesOutWhatIsLessSevere) {
  LoggerOptions options;
  options.least = Severity::warning;
  const std::string text = written(options, [](Logger& log) {
    log.event(Severity::info, "quiet", {});
    log.event(Severity::warning, "loud", {});
    log.event(Severity::error, "louder", {});
  });
  EXPECT_THAT(text, Not(HasSubstr("quiet")));
  EXPECT_THAT(text, HasSubstr("loud"));
  EXPECT_THAT(text, HasSubstr("louder"));
}

TEST_F(LoggerTest, LeavesOutTheNormalLifeOfLocksButNotItsLosses) {
  LoggerOptions options;
  options.locks = false;
  const std::string text = written(options, [](Logger& log) {
    for (const char* name : {"lock_acquired", "lock_waiting", "lock_released", "wait_ended",
                             "lock_expired", "lock_force_released", "renewal_failed"}) {
      log.event(Severity::info, name, {});
    }
  });
  EXPECT_THAT(text, Not(HasSubstr("lock_acquired")));
  EXPECT_THAT(text, Not(HasSubstr("lock_waiting")));
  EXPECT_THAT(text, Not(HasSubstr("lock_released")));
  EXPECT_THAT(text, Not(HasSubstr("wait_ended")));
  EXPECT_THAT(text, HasSubstr("lock_expired"));
  EXPECT_THAT(text, HasSubstr("lock_force_released"));
  EXPECT_THAT(text, HasSubstr("renewal_failed"));
}

TEST_F(LoggerTest, TellsTheMetricsHowLongLogWritesTake) {
  const std::string before = metrics_.text();
  written({}, [](Logger& log) { log.log_written(std::chrono::milliseconds(3)); });
  EXPECT_NE(metrics_.text(), before);
}

TEST_F(LoggerTest, WhatComesAfterTheEndIsDropped) {
  const std::string text = written({}, [](Logger& log) {
    log.event(Severity::info, "early", {});
    log.close();
    log.event(Severity::info, "late", {});
    log.close();
  });
  EXPECT_THAT(text, HasSubstr("early"));
  EXPECT_THAT(text, Not(HasSubstr("late")));
}

}  // namespace
}  // namespace pawl::cli
