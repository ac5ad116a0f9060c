// SPDX-License-Identifier: Apache-2.0
// The state machine's own time (design: time is data). A Time is what the log says, counted in
// microseconds from the first entry ever; nothing here reads a clock, and no two machines' clocks
// meet. Sums saturate: a lease with no deadline ends at kNever.
#pragma once

#include <chrono>
#include <cstdint>

namespace pawl::core {

using Duration = std::chrono::microseconds;

// Names the epoch of Time. It has no now(): only a logged command moves this clock.
struct StateClock {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  static constexpr bool is_steady = true;
};

using Time = std::chrono::time_point<StateClock, Duration>;

inline constexpr Time kNever = Time::max();
inline constexpr Duration kUnlimited = Duration::max();

// `from` + `by`, or kNever where that would be past the end of time. Both must not be negative.
constexpr Time after(Time from, Duration by) { return by >= kNever - from ? kNever : from + by; }

// How long from `now` until `then`: zero if it has passed, kUnlimited if it never comes.
constexpr Duration until(Time now, Time then) {
  if (then == kNever) return kUnlimited;
  return then <= now ? Duration::zero() : then - now;
}

// What replies carry as `stateTimeMs`, and what client-made lease ids begin with.
constexpr std::int64_t to_ms(Time t) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(t.time_since_epoch()).count();
}

}  // namespace pawl::core
