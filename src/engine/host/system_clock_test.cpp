// SPDX-License-Identifier: Apache-2.0
#include "engine/host/system_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace pawl::engine {
namespace {

using namespace std::chrono_literals;

TEST(SlowerClock, CountsTheSlowerOfTheTwo) {
  SlowerClock clock({100s, 7s});
  EXPECT_EQ(clock.elapsed({100s, 7s}), 0s);
  EXPECT_EQ(clock.elapsed({101s, 9s}), 1s);
  EXPECT_EQ(clock.elapsed({104s, 10s}), 2s);
}

TEST(SlowerClock, AClockThatLaggedCannotMakeUpForItLater) {
  SlowerClock clock({0s, 0s});
  EXPECT_EQ(clock.elapsed({10s, 12s}), 10s);  // the first one lags by two seconds
  EXPECT_EQ(clock.elapsed({22s, 22s}), 20s);  // and catches up: only the other's ten count
}

TEST(SlowerClock, GoesOnWithinAStretchAndNeverBack) {
  SlowerClock clock({0s, 0s});
  EXPECT_EQ(clock.elapsed({10ms, 11ms}), 10ms);
  EXPECT_EQ(clock.elapsed({20ms, 15ms}), 15ms);
  EXPECT_EQ(clock.elapsed({12ms, 30ms}), 15ms);  // no real clock does this
  EXPECT_EQ(clock.elapsed({40ms, 41ms}), 40ms);
}

TEST(SlowerClock, ReadingsTakenAMomentApartCostNothingInTheLongRun) {
  SlowerClock clock({0s, 0s});
  std::chrono::nanoseconds counted{};
  for (int i = 1; i <= 100'000; ++i) {
    const std::chrono::nanoseconds apart{i % 2 == 0 ? 0 : 400};
    counted = clock.elapsed({i * 100us, i * 100us + apart});
  }
  EXPECT_GT(counted, 10s - 100us);
  EXPECT_LE(counted, 10s);
}

TEST(SystemClock, NeverGoesBackWhicheverThreadAsks) {
  const SystemClock clock;
  std::atomic<bool> went_back{false};
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      ports::Ticks last{0};
      for (int n = 0; n < 20'000; ++n) {
        const ports::Ticks now = clock.now();
        if (now < last) went_back = true;
        last = now;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(went_back);
  EXPECT_GT(clock.now(), 0us);
}

TEST(SystemClock, KeepsPaceWithTheSystem) {
  const SystemClock clock;
  const ports::Ticks from = clock.now();
  const auto before = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() < before + 20ms) {
  }
  const ports::Ticks counted = clock.now() - from;
  const auto passed = std::chrono::steady_clock::now() - before;
  EXPECT_GE(counted, 15ms);
  EXPECT_LE(counted, passed + 1ms);
}

}  // namespace
}  // namespace pawl::engine
