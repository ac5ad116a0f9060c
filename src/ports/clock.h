// SPDX-License-Identifier: Apache-2.0
// A node's own clock: how long this process has been counting. It never goes back, knows nothing of
// the time of day, and is never compared with another machine's (P10). Thread-safe.
#pragma once

#include "core/time.h"

namespace pawl::ports {

// A reading of a Clock: the time since some moment that only this process knows.
using Ticks = core::Duration;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Ticks now() const = 0;
};

}  // namespace pawl::ports
