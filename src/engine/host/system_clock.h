// SPDX-License-Identifier: Apache-2.0
// ports::Clock for the service: the slower of the system's two monotonic clocks, so that a clock
// that is slewed forward never ends a lease early (P3). Thread-safe.
#pragma once

#include <chrono>
#include <mutex>

#include "ports/clock.h"

namespace pawl::engine {

struct ClockReadings {
  std::chrono::nanoseconds monotonic{0};      // CLOCK_MONOTONIC: slewed to follow a time server
  std::chrono::nanoseconds monotonic_raw{0};  // CLOCK_MONOTONIC_RAW: as the hardware runs
};

// The arithmetic. It adds up stretches of at least kStretch, each counted by the clock that was
// slower in it: so one that lagged before can't make up for it later, and the few nanoseconds
// between two readings don't add up.
class SlowerClock {
 public:
  static constexpr std::chrono::milliseconds kStretch{100};

  explicit SlowerClock(const ClockReadings& start) : begin_(start) {}
  // Since the start; never less than before.
  std::chrono::nanoseconds elapsed(const ClockReadings& now);

 private:
  ClockReadings begin_;                  // of this stretch
  std::chrono::nanoseconds counted_{0};  // before this stretch
  std::chrono::nanoseconds shown_{0};
};

class SystemClock final : public ports::Clock {
 public:
  SystemClock();
  ports::Ticks now() const override;

 private:
  mutable std::mutex mutex_;
  mutable SlowerClock slower_;
};

}  // namespace pawl::engine
