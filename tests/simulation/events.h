// SPDX-License-Identifier: Apache-2.0
// Virtual time: what happens when. Events of one moment happen in the order in which they were
// planned, so a run is the same every time. Not thread-safe; the events own what they capture.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "history/history.h"

namespace pawl::testing {

class Events {
 public:
  using Action = std::function<void()>;

  Micros now() const { return now_; }

  void at(Micros when, Action action) {
    queue_.push({when < now_ ? now_ : when, ++planned_, std::move(action)});
  }
  void after(Micros delay, Action action) { at(now_ + delay, std::move(action)); }

  // Lets the next event happen; false if there is none up to `limit`.
  bool step(Micros limit) {
    if (queue_.empty() || queue_.top().when > limit) return false;
    // The queue only lends its top as const; it is popped at once.
    const Event event = std::move(const_cast<Event&>(queue_.top()));
    queue_.pop();
    now_ = event.when;
    event.action();
    return true;
  }

 private:
  struct Event {
    Micros when{0};
    std::uint64_t number = 0;
    Action action;
    friend bool operator<(const Event& a, const Event& b) {
      return std::pair(b.when, b.number) < std::pair(a.when, a.number);  // the earliest is the top
    }
  };
  std::priority_queue<Event> queue_;
  std::uint64_t planned_ = 0;
  Micros now_{0};
};

// A machine's own clock: it runs `ppm` millionths faster than the simulation's.
class DriftingClock {
 public:
  explicit DriftingClock(std::int64_t ppm) : ppm_(ppm) {}

  Micros read(Micros true_time) const {
    return Micros(true_time.count() + part(true_time.count(), ppm_, 1'000'000));
  }
  // When the clock has shown at least this.
  Micros reaches(Micros reading) const {
    return Micros(reading.count() - part(reading.count(), ppm_, 1'000'000 + ppm_) + 1);
  }

 private:
  static std::int64_t part(std::int64_t of, std::int64_t times, std::int64_t by) {
    return of / by * times + of % by * times / by;
  }
  std::int64_t ppm_;
};

}  // namespace pawl::testing
