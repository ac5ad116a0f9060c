// SPDX-License-Identifier: Apache-2.0
#include "engine/host/system_clock.h"

#include <time.h>

#include <algorithm>

#include "core/assert.h"

namespace pawl::engine {
namespace {

std::chrono::nanoseconds read(clockid_t clock) {
  timespec now{};
  PAWL_ASSERT(::clock_gettime(clock, &now) == 0);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

ClockReadings read_both() { return {read(CLOCK_MONOTONIC), read(CLOCK_MONOTONIC_RAW)}; }

}  // namespace

std::chrono::nanoseconds SlowerClock::elapsed(const ClockReadings& now) {
  const std::chrono::nanoseconds stretch =
      std::min(now.monotonic - begin_.monotonic, now.monotonic_raw - begin_.monotonic_raw);
  shown_ = std::max(shown_, counted_ + stretch);
  if (stretch >= kStretch) {
    begin_ = now;
    counted_ = shown_;
  }
  return shown_;
}

SystemClock::SystemClock() : slower_(read_both()) {}

ports::Ticks SystemClock::now() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return std::chrono::floor<ports::Ticks>(slower_.elapsed(read_both()));
}

}  // namespace pawl::engine
