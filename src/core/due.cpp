// SPDX-License-Identifier: Apache-2.0
// What is due ends, in order of time and arrival, and nothing is granted in between (docs/rules.md
// §2).
#include "core/stepper.h"

namespace pawl::core {

void Stepper::end_due() {
  forget_ends(state_);
  while (!state_.due.empty() && state_.due.first().due <= state_.now) {
    const auto [at, item] = state_.due.first();
    if (item.is_closures) {
      const LockRef lock = state_.closures[item.ref].lock;
      open_due(state_, item.ref);
      mark_for_serving(lock);
      drop_lock_if_unused(state_, lock);
    } else {
      lease_is_due(item.ref, at);
    }
  }
}

void Stepper::lease_is_due(LeaseRef ref, Time at) {
  Lease& lease = state_.leases[ref];
  const Extra& extra = extra_of(state_, lease);
  if (lease.phase == Phase::held && lease.deadline <= at) {
    const bool at_max_hold =
        extra.max_hold > Duration::zero() && lease.deadline == after(lease.since, extra.max_hold);
    if (extra.doomed != kNoAudit) {
      end(ref, EndCause::force_released, extra.doomed);
    } else {
      end(ref, at_max_hold ? EndCause::max_hold_reached : EndCause::expired);
    }
    return;
  }
  const bool nobody_took_it_up = lease.phase == Phase::held && !lease.confirmed &&
                                 extra.attachment.detached() &&
                                 after(extra.attachment.detached_at, kGiveUp) <= at;
  if (nobody_took_it_up || (lease.phase == Phase::waiting && extra.attachment.passed_over)) {
    end(ref, EndCause::abandoned);
    return;
  }
  if (lease.phase == Phase::held && extra.upgrade->attachment.passed_over) {
    withdraw_upgrade(ref, EndCause::abandoned, false);
    return;
  }
  const Standing standing(state_, lease);
  if (lease.phase == Phase::waiting) {
    pass_over(state_, ref);
  } else {
    need_extra(state_, lease).upgrade->attachment.passed_over = true;
  }
  mark_for_serving_all(ref);
  set_due(state_, ref);
}

}  // namespace pawl::core
