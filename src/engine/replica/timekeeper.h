// SPDX-License-Identifier: Apache-2.0
// The state machine's time, as a leader counts it for one term of office: a base that is fixed
// once, when its Takeover is applied, and what its own clock has counted since (P10). No two
// machines' clocks meet here, and no later entry moves the base. Plain arithmetic; not thread-safe.
#pragma once

#include <optional>

#include "core/time.h"
#include "ports/clock.h"

namespace pawl::engine {

class Timekeeper {
 public:
  explicit Timekeeper(core::Duration log_time_every) : log_time_every_(log_time_every) {}

  void take_office(core::Time state_now, ports::Ticks clock_now);
  void leave_office() { in_office_ = false; }
  bool in_office() const { return in_office_; }

  // The time to give to what is received now.
  core::Time stamp(ports::Ticks clock_now);
  core::Time last_stamp() const { return last_stamp_; }

  // When an Advance is wanted: when what is due first is due, or when time was not logged for too
  // long. Nothing: never, since nothing depends on the clock.
  std::optional<ports::Ticks> next_advance(core::Time next_due, bool live) const;

 private:
  core::Duration log_time_every_;
  bool in_office_ = false;
  core::Time base_{};
  ports::Ticks base_clock_{0};
  core::Time last_stamp_{};
};

}  // namespace pawl::engine
