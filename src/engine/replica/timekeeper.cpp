// SPDX-License-Identifier: Apache-2.0
#include "engine/replica/timekeeper.h"

#include <algorithm>

#include "core/assert.h"

namespace pawl::engine {

namespace {

// A clock that claims to have counted a thousand years is broken, and a stamp in the log is for
// ever.
constexpr core::Duration kMostElapsed = std::chrono::years(1'000);

}  // namespace

void Timekeeper::take_office(core::Time state_now, ports::Ticks clock_now) {
  in_office_ = true;
  base_ = last_stamp_ = state_now;
  base_clock_ = clock_now;
}

core::Time Timekeeper::stamp(ports::Ticks clock_now) {
  PAWL_ASSERT(in_office_ && clock_now >= base_clock_);
  const core::Duration elapsed = clock_now - base_clock_;
  PAWL_ASSERT(elapsed < kMostElapsed);
  last_stamp_ = core::after(base_, elapsed);
  PAWL_ASSERT(last_stamp_ != core::kNever);
  return last_stamp_;
}

std::optional<ports::Ticks> Timekeeper::next_advance(core::Time next_due, bool live) const {
  if (!in_office_ || !live) return std::nullopt;
  const core::Time when = std::min(next_due, core::after(last_stamp_, log_time_every_));
  return base_clock_ + std::max(core::Duration::zero(), when - base_);
}

}  // namespace pawl::engine
