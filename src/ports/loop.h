// SPDX-License-Identifier: Apache-2.0
// The one thread that owns the engine and the core, and the hands that work for it. Everything the
// engine does happens in actions of its Loop, one at a time; what blocks is given to a Worker.
#pragma once

#include <functional>
#include <memory>

#include "ports/clock.h"

namespace pawl::ports {

using Action = std::function<void()>;

// Calls its action once, not before the clock shows the time it was set to; setting it again
// replaces the time before. Used in the loop only. Destroying it cancels it.
class Timer {
 public:
  virtual ~Timer() = default;
  virtual void set(Ticks when) = 0;
  virtual void cancel() = 0;
};

class Loop {
 public:
  virtual ~Loop() = default;
  // Later, in the loop, after what was posted before. From any thread.
  virtual void post(Action action) = 0;
  virtual std::unique_ptr<Timer> make_timer(Action action) = 0;
};

// A thread of its own that does jobs in the order given. `done` is posted to the loop once the job
// is over. Used in the loop only.
class Worker {
 public:
  virtual ~Worker() = default;
  virtual void run(Action job, Action done) = 0;
  // Waits for the job under way; those not begun, and all `done`s that have not run yet, are
  // dropped, and nothing more is taken. Destroying it does the same.
  virtual void stop() = 0;
};

}  // namespace pawl::ports
