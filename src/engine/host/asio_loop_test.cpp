// SPDX-License-Identifier: Apache-2.0
#include "engine/host/asio_loop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "engine/host/system_clock.h"
#include "engine/host/system_random.h"

namespace pawl::engine {
namespace {

using namespace std::chrono_literals;

// Runs at half the speed of the system's clock, and can be put forward.
class SlowClock final : public ports::Clock {
 public:
  ports::Ticks now() const override { return system_.now() / 2 + ahead; }
  ports::Ticks ahead{0};

 private:
  SystemClock system_;
};

struct AsioLoopTest : ::testing::Test {
  boost::asio::io_context io{1};
  SlowClock clock;
  std::unique_ptr<AsioLoop> loop = std::make_unique<AsioLoop>(io, clock);
  std::string seen;
};

TEST_F(AsioLoopTest, WhatIsPostedRunsLaterAndInOrder) {
  loop->post([&] {
    loop->post([&] { seen += 'c'; });
    seen += 'a';
  });
  loop->post([&] { seen += 'b'; });
  EXPECT_EQ(seen, "");
  io.run();
  EXPECT_EQ(seen, "abc");
}

TEST_F(AsioLoopTest, OtherThreadsPost) {
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) loop->post([&] { seen += 'x'; });
  });
  other.join();
  io.run();
  EXPECT_EQ(seen.size(), 1000U);
}

TEST_F(AsioLoopTest, WhatWasPostedIsDroppedWithTheLoop) {
  loop->post([&] { seen += 'a'; });
  loop.reset();
  io.run();
  EXPECT_EQ(seen, "");
}

TEST_F(AsioLoopTest, ATimerFiresOnceAndNeverBeforeItsClockShowsTheTime) {
  const ports::Ticks when = clock.now() + 5ms;
  ports::Ticks fired{0};
  const auto timer = loop->make_timer([&] {
    fired = clock.now();
    seen += 'x';
  });
  timer->set(when);
  io.run();
  EXPECT_EQ(seen, "x");
  EXPECT_GE(fired, when);
}

TEST_F(AsioLoopTest, SettingATimerAgainReplacesTheTimeBefore) {
  const ports::Ticks start = clock.now();
  ports::Ticks put_off_fired{0};
  const auto put_off = loop->make_timer([&] { put_off_fired = clock.now(), seen += 'l'; });
  const auto hurried = loop->make_timer([&] { seen += 'e'; });
  put_off->set(start);
  put_off->set(start + 10ms);
  hurried->set(start + 24h);
  hurried->set(start + 1ms);
  io.run();
  EXPECT_EQ(seen, "el");
  EXPECT_GE(put_off_fired, start + 10ms);
}

TEST_F(AsioLoopTest, ATimerInThePastFiresInTheLoopAndNotAtOnce) {
  const auto timer = loop->make_timer([&] { seen += 'x'; });
  timer->set(0us);
  EXPECT_EQ(seen, "");
  io.run();
  EXPECT_EQ(seen, "x");
}

TEST_F(AsioLoopTest, ACancelledOrDestroyedTimerIsSilent) {
  auto cancelled = loop->make_timer([&] { seen += 'c'; });
  auto destroyed = loop->make_timer([&] { seen += 'd'; });
  auto revived = loop->make_timer([&] { seen += 'r'; });
  cancelled->set(0us);
  cancelled->cancel();
  destroyed->set(0us);
  destroyed.reset();
  revived->set(0us);
  revived->cancel();
  revived->set(0us);
  io.run();
  EXPECT_EQ(seen, "r");
}

TEST_F(AsioLoopTest, ATimerMaySetOrDestroyItself) {
  std::unique_ptr<ports::Timer> timer;
  timer = loop->make_timer([&] {
    seen += 'x';
    if (seen.size() < 3) {
      timer->set(clock.now() + 100us);
    } else {
      timer.reset();
    }
  });
  timer->set(0us);
  io.run();
  EXPECT_EQ(seen, "xxx");
}

TEST_F(AsioLoopTest, AFarTimerIsNoOverflow) {
  const auto timer = loop->make_timer([&] { seen += 'x'; });
  timer->set(ports::Ticks::max());
  io.poll();
  EXPECT_EQ(seen, "");
  clock.ahead = 10ms;
  timer->set(1us);
  io.run();
  EXPECT_EQ(seen, "x");
}

TEST(SystemRandom, NoTwoAreAlike) {
  SystemRandom one;
  SystemRandom other;
  EXPECT_NE(one.next(), one.next());
  EXPECT_NE(one.next(), other.next());
}

}  // namespace
}  // namespace pawl::engine
