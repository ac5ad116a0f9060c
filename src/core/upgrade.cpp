// SPDX-License-Identifier: Apache-2.0
// Upgrade from shared to exclusive, and back (docs/rules.md §5). Both name the token that the
// caller knows, so that a late duplicate changes nothing (P6).
#include <algorithm>

#include "core/stepper.h"

namespace pawl::core {

void Stepper::apply(const Upgrade& command) {
  const LeaseRef ref = held_lease_or_reply(command);
  if (ref == kNone) return;
  Lease& lease = state_.leases[ref];
  confirm(ref);
  if (static_cast<std::uint64_t>(command.known) != lease.token) {
    reply(Present{info(state_, lease), command.ticket, valid_for(lease)});
    return;
  }
  if (lease.mode == Mode::permit) {
    refuse(command, RefusalCode::mode_mismatch, "mode", "only a shared lease can be upgraded");
    return;
  }
  const auto upgrade_now = [&] {
    const FencingToken old_token{lease.token};
    become_exclusive(ref);
    reply(Upgraded{info(state_, lease), command.ticket, old_token, valid_for(lease),
                   Duration::zero(), false});
  };
  if (lease.mode == Mode::exclusive) {
    // A new token all the same, so that a downgrade which is still on its way finds the old one
    // gone.
    upgrade_now();
    return;
  }
  if (extra_of(state_, lease).upgrade) {
    upgrade_again(command, ref);
    return;
  }
  if (command.ticket.attempt <= extra_of(state_, lease).upgrade_attempt) {
    refuse(command, RefusalCode::superseded, "attempt",
           "this attempt was answered already; to try again, raise it");
    return;
  }
  const auto remember_attempt = [&] {
    const Standing standing(state_, lease);
    need_extra(state_, lease).upgrade_attempt = command.ticket.attempt;
  };
  bool conflict = false;
  for_each_lock(state_, lease,
                [&](LockRef at) { conflict = conflict || state_.locks[at].upgrade != kNone; });
  if (conflict) {
    remember_attempt();
    refuse(command, RefusalCode::upgrade_conflict, "leaseId",
           "another holder waits to be upgraded, and both would wait for ever; release this lease");
    return;
  }
  if (admits_upgrade(ref)) {
    upgrade_now();
    return;
  }
  remember_attempt();
  if (command.wait == Duration::zero()) {
    LockRef blocked = kNone;
    for_each_lock(state_, lease, [&](LockRef at) {
      const Lock& lock = state_.locks[at];
      if (blocked == kNone && (lock.holders > 1 || lock.closures != kNone)) blocked = at;
    });
    Busy effect = busy(blocked, WaitKind::upgrade, Mode::exclusive, 0, ref);
    effect.id = command.id;
    effect.owner = OwnerId(owner_of(state_, lease));
    effect.ticket = command.ticket;
    reply(std::move(effect));
    return;
  }
  {
    const Standing standing(state_, lease);
    start_upgrade(state_, ref, {++state_.last_arrival, command.ticket, state_.now, {}});
  }
  reply(UpgradeQueued{info(state_, lease), command.ticket, false});
}

void Stepper::upgrade_again(const Upgrade& command, LeaseRef ref) {
  Lease& lease = state_.leases[ref];
  Extra& extra = need_extra(state_, lease);
  if (command.ticket.attempt < extra.upgrade->ticket.attempt) {
    refuse(command, RefusalCode::superseded, "attempt", "a newer attempt waits already");
    return;
  }
  if (command.ticket != extra.upgrade->ticket && !extra.upgrade->attachment.detached()) {
    emit(Superseded{command.space, command.id, WaitKind::upgrade, extra.upgrade->ticket});
  }
  {
    const Standing standing(state_, lease);
    extra.upgrade->ticket = command.ticket;
    extra.upgrade_attempt = command.ticket.attempt;
    extra.upgrade->attachment = {};
  }
  set_due(state_, ref);
  mark_for_serving_all(ref);
  if (command.wait == Duration::zero()) {
    withdraw_upgrade(ref, EndCause::timed_out, true);
    return;
  }
  reply(UpgradeQueued{info(state_, lease), command.ticket, true});
}

void Stepper::apply(const Downgrade& command) {
  const LeaseRef ref = held_lease_or_reply(command);
  if (ref == kNone) return;
  const Lease& lease = state_.leases[ref];
  confirm(ref);
  if (static_cast<std::uint64_t>(command.known) != lease.token || lease.mode == Mode::shared) {
    reply(Present{info(state_, lease), {}, valid_for(lease)});
    return;
  }
  if (lease.mode == Mode::permit) {
    refuse(command, RefusalCode::mode_mismatch, "mode",
           "only an exclusive lease can be downgraded");
    return;
  }
  {
    const Standing standing(state_, lease);
    set_mode(state_, ref, Mode::shared);
  }
  mark_for_serving_all(ref);
  reply(Downgraded{info(state_, lease), valid_for(lease)});
}

}  // namespace pawl::core
