// SPDX-License-Identifier: Apache-2.0
// ForceRelease: an operator takes a resource back, now or when the holder's own deadline passes,
// and the audit trail says who, why and from whom (docs/rules.md §7; P8).
#include <algorithm>

#include "core/stepper.h"

namespace pawl::core {

void Stepper::apply(const ForceRelease& command) {
  const LockRef at = find_lock(state_, command.space, command.resource);
  if (at == kNone || state_.locks[at].holders == 0) {
    refuse(command, RefusalCode::not_held, "resource", "nobody holds this resource");
    return;
  }
  std::vector<LeaseRef> targets;
  if (command.only_lease) {
    const LeaseRef ref = find_lease(state_, command.space, *command.only_lease);
    const bool held = ref != kNone && state_.leases[ref].phase == Phase::held;
    if (held) {
      for_each_lock(state_, state_.leases[ref], [&](LockRef lock) {
        if (lock == at) targets.push_back(ref);
      });
    }
  } else {
    for (LeaseRef ref = state_.locks[at].first_holder; ref != kNone;
         ref = next_holder(state_, at, ref)) {
      const FencingToken token{state_.leases[ref].token};
      if (!command.only_token || token == *command.only_token) targets.push_back(ref);
    }
  }
  if (targets.empty()) {
    refuse(command, RefusalCode::not_holder, command.only_lease ? "leaseId" : "fencingToken",
           "this does not hold the resource (any more)");
    return;
  }
  const bool at_deadline = command.when == ForceWhen::at_deadline;
  if (at_deadline && std::any_of(targets.begin(), targets.end(), [&](LeaseRef ref) {
        return state_.leases[ref].deadline == kNever;
      })) {
    refuse(command, RefusalCode::no_deadline, "when",
           "a holder has no deadline to wait for; use now");
    return;
  }

  AuditRecord record{AuditId{++state_.last_audit},
                     command.space,
                     command.resource,
                     command.actor,
                     command.reason,
                     command.when,
                     {},
                     static_cast<std::uint32_t>(targets.size()),
                     state_.now,
                     command.wall_ms};
  for (const LeaseRef ref : targets) {
    if (record.holders.size() == kAuditedHolders) break;
    record.holders.push_back(holder(state_, state_.leases[ref]));
  }
  add_audit(state_, record);
  for (const LeaseRef ref : targets) {
    if (at_deadline) {
      Lease& lease = state_.leases[ref];
      const Standing standing(state_, lease);
      need_extra(state_, lease).doomed = record.id;
    } else {
      end(ref, EndCause::force_released, record.id);
    }
  }
  reply(ForceReleased{std::move(record)});
}

}  // namespace pawl::core
