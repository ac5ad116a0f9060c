// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/signals.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <csignal>

namespace pawl::cli {
namespace {

TEST(Signals, TheFirstAsksAlsoIfItCameBeforeTheLoopRan) {
  boost::asio::io_context io;
  int asked = 0;
  const Signals signals(io, [&](int number) { asked = number; });
  ASSERT_EQ(std::raise(SIGTERM), 0);
  EXPECT_EQ(asked, 0);
  io.run();
  EXPECT_EQ(asked, SIGTERM);
}

TEST(Signals, HangUpsAndBrokenPipesAreIgnored) {
  boost::asio::io_context io;
  int asked = 0;
  const Signals signals(io, [&](int number) { asked = number; });
  ASSERT_EQ(std::raise(SIGHUP), 0);
  ASSERT_EQ(std::raise(SIGPIPE), 0);
  io.poll();
  EXPECT_EQ(asked, 0);
}

TEST(SignalsDeathTest, TheSecondEndsTheProcessAtOnce) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        boost::asio::io_context io;
        const Signals signals(io, [](int) {});
        std::raise(SIGTERM);
        std::raise(SIGINT);
      },
      ::testing::ExitedWithCode(128 + SIGINT), "");
}

}  // namespace
}  // namespace pawl::cli
