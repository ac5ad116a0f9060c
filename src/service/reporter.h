// SPDX-License-Identifier: Apache-2.0
// Tells what the log did to those who are interested: log lines through the Observer, the event
// feed, metrics, usual hold times, failed renewals. happenings.h gives each happening its name and
// its fields. Owned by the loop.
#pragma once

#include <optional>
#include <string>

#include "core/effect.h"
#include "ports/lock_store.h"
#include "ports/observer.h"
#include "ports/wall_clock.h"
#include "service/feed.h"
#include "service/happenings.h"
#include "service/hold_times.h"
#include "service/metrics.h"
#include "service/renewal_failures.h"

namespace pawl::service {

class Reporter {
 public:
  // All of it must outlive the reporter.
  Reporter(ports::Observer& observer, const ports::WallClock& wall, Metrics& metrics, Feed& feed,
           HoldTimes& hold_times, RenewalFailures& renewal_failures);

  void applied(ports::LogPosition where, const core::Command& command,
               const core::Effects& effects);
  // A lease has been held for longer than the operator finds usual.
  void held_long(const core::LeaseInfo& lease, core::Time now);

 private:
  void tell(const Happening& happening, std::optional<EventId> id, core::Time now,
            ports::WallTime wall);
  void log(const Happening& happening, core::Time now);

  ports::Observer& observer_;
  const ports::WallClock& wall_;
  Metrics& metrics_;
  Feed& feed_;
  HoldTimes& hold_times_;
  RenewalFailures& renewal_failures_;
  std::string scratch_;
};

}  // namespace pawl::service
