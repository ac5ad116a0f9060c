// SPDX-License-Identifier: Apache-2.0
// CancelWait: a wait is over, or nobody listens for it any more. It acts on the current attempt
// only, so that it never hits a waiter that was sent again through another door (docs/rules.md §5).
// And Takeover, which detaches everybody (§7).
#include "core/stepper.h"

namespace pawl::core {

void Stepper::apply(const CancelWait& command) {
  const LeaseRef ref = live_lease_or_reply(command);
  if (ref == kNone) return;
  const Lease& lease = state_.leases[ref];
  const Extra& extra = extra_of(state_, lease);
  const bool upgrade_waits = extra.upgrade.has_value();
  if (command.kind == WaitKind::upgrade && !upgrade_waits) {
    reply(Present{info(state_, lease), command.ticket, valid_for(lease)});
    return;
  }
  if (command.ticket !=
      (command.kind == WaitKind::upgrade ? extra.upgrade->ticket : lease.ticket)) {
    refuse(command, RefusalCode::superseded, "attempt", "another attempt is the current one");
    return;
  }
  const bool timeout = command.reason == CancelReason::timeout;
  if (command.kind == WaitKind::upgrade) {
    withdraw_upgrade(ref, timeout ? EndCause::timed_out : EndCause::abandoned, true);
    return;
  }
  if (lease.phase == Phase::held && (timeout || lease.confirmed)) {
    if (timeout) {
      Granted effect = granted(lease, command.ticket);  // it came first, and is the answer
      effect.repeated = true;
      reply(std::move(effect));
    } else {
      reply(Present{info(state_, lease), command.ticket, valid_for(lease)});
    }
    return;
  }
  if (timeout) {
    effects_.reply_index = effects_.all.size();
    end(ref, EndCause::timed_out);
    return;
  }
  detach(ref);
  reply(Detached{info(state_, lease), command.ticket});
}

void Stepper::apply(const Takeover&) {
  TakenOver effect;
  for (LeaseRef ref = 0; ref < state_.leases.end(); ++ref) {
    Lease& lease = state_.leases[ref];
    if (lease.phase == Phase::waiting && !extra_of(state_, lease).attachment.detached()) {
      detach(ref);
      ++effect.detached;
    }
    if (lease.phase == Phase::held && extra_of(state_, lease).upgrade &&
        !extra_of(state_, lease).upgrade->attachment.detached()) {
      const Standing standing(state_, lease);
      need_extra(state_, lease).upgrade->attachment.detached_at = state_.now;
      set_due(state_, ref);
      ++effect.detached;
    }
  }
  reply(effect);
}

}  // namespace pawl::core
