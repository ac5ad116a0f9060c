// SPDX-License-Identifier: Apache-2.0
// Renew: only ever later, never past max hold (docs/rules.md §5; P3, P4, P5).
#include <algorithm>

#include "core/stepper.h"

namespace pawl::core {

void Stepper::apply(const Renew& command) {
  const LeaseRef ref = held_lease_or_reply(command);
  if (ref == kNone) return;
  Lease& lease = state_.leases[ref];
  const Extra& extra = extra_of(state_, lease);
  confirm(ref);
  if (extra.doomed != kNoAudit) {
    RenewalRefused refused{info(state_, lease), valid_for(lease), extra.doomed, {}, {}};
    if (const AuditRecord* record = find_audit(state_, extra.doomed)) {
      refused.actor = record->actor;
      refused.reason = record->reason;
    }
    reply(std::move(refused));
    return;
  }
  {
    const Standing standing(state_, lease);
    Time deadline = after(state_.now, command.ttl == Duration::zero() ? lease.ttl : command.ttl);
    if (extra.max_hold > Duration::zero()) {
      deadline = std::min(deadline, after(lease.since, extra.max_hold));
    }
    lease.deadline = std::max(lease.deadline, deadline);
    lease.renewed_at = state_.now;
  }
  set_due(state_, ref);
  reply(Renewed{info(state_, lease), valid_for(lease)});
}

}  // namespace pawl::core
