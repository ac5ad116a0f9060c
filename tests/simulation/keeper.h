// SPDX-License-Identifier: Apache-2.0
// One lease in the hands of its holder, by P4: it counts as held only while the holder's own clock
// says so, it is renewed at a third of its TTL, and its loss is raised when the clock says so,
// whatever the network does.
#pragma once

#include <functional>

#include "core/effect.h"
#include "simulation/caller.h"

namespace pawl::testing {

class Keeper {
 public:
  Keeper(Sim& sim, Caller& caller) : sim_(sim), caller_(caller) {}

  std::function<void()> on_held;
  std::function<void()> on_lost;

  // A grant has been answered; on_held or on_lost follows.
  void adopt(const core::Granted& granted, const Answer& answer);
  // Another answer that confirms the lease (upgrade, downgrade).
  void confirm(const core::LeaseInfo& lease, Micros valid_for, const Answer& answer);
  // It is released, or nobody is left to care.
  void let_go();

  bool held() const { return held_; }
  const core::LeaseInfo& lease() const { return lease_; }

 private:
  void extend(Micros sent, Micros valid_for);
  void watch_deadline();
  void renew();
  void renewed(const Answer& answer);
  void plan_renewal(Micros delay);
  void lose();

  Sim& sim_;
  Caller& caller_;
  core::LeaseInfo lease_;
  bool kept_ = false;
  bool held_ = false;
  bool doomed_ = false;     // an operator said so: no use to renew
  Micros deadline_{0};      // by the client's clock
  std::uint64_t turn_ = 0;  // tells the timers of one lease from those of the next
  CallId renewal_ = 0;
};

}  // namespace pawl::testing
