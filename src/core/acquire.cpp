// SPDX-License-Identifier: Apache-2.0
// Acquire: granted, busy, queued, or answered as before (docs/rules.md §4; P1, P2, P6, P7).
#include "core/stepper.h"
#include "core/validate.h"

namespace pawl::core {
namespace {

std::string max_text(const char* what, std::uint64_t max) {
  return std::string(what) + " (" + std::to_string(max) + ") are all in use";
}

}  // namespace

void Stepper::apply(const Acquire& command) {
  if (const LeaseRef ref = find_lease(state_, command.space, command.id); ref != kNone) {
    acquire_again(command, ref);
    return;
  }
  if (const End* ended = find_end(state_, command.space, command.id)) {
    reply_already_ended(command.space, command.id, command.ticket, *ended);
    return;
  }
  if (const auto made = made_at(command.id.view()); made && *made <= state_.horizon) {
    refuse(command, RefusalCode::lease_id_stale, "leaseId",
           "this id is older than what the service remembers; take a new one");
    return;
  }
  const Terms& terms = command.terms;
  if (state_.held + state_.waiting >= state_.limits.max_leases) {
    refuse(command, RefusalCode::overloaded, "leases",
           max_text("the leases", state_.limits.max_leases));
    return;
  }
  if (state_.records + weight(terms.resources.size(), terms.min_hold, terms.lock_delay) >
      state_.limits.max_records) {
    refuse(command, RefusalCode::overloaded, "records",
           max_text("the places for leases and recent ends", state_.limits.max_records));
    return;
  }
  acquire_new(command);
}

void Stepper::acquire_new(const Acquire& command) {
  const Terms& terms = command.terms;
  const auto leave_end = [&](EndCause cause) {
    if (command.submitted_once) return;
    remember_end(state_, end_id(command.space.view(), command.id.view()), 0, cause, kNoAudit);
  };

  LockRef blocked = kNone;  // the first resource that can't be had
  bool crowded = false;     // one with as many waiters as it may have
  for (const ResourceName& name : terms.resources) {
    const LockRef at = find_lock(state_, command.space, name);
    if (at == kNone) continue;
    const Lock& lock = state_.locks[at];
    if (lock.permit_kind != (terms.mode == Mode::permit)) {
      refuse(command, RefusalCode::mode_mismatch, "mode",
             "'" + name.str() + "' is in use as " +
                 (lock.permit_kind ? "a permit resource" : "an exclusive or shared resource"));
      leave_end(EndCause::refused);
      return;
    }
    if (lock.permit_kind && lock.permit_limit != terms.permits.limit) {
      refuse(command, RefusalCode::permit_limit_mismatch, "permits.limit",
             "'" + name.str() + "' is in use with the limit " + std::to_string(lock.permit_limit));
      leave_end(EndCause::refused);
      return;
    }
    const bool free = queue_is_empty(at) && has_room(at, terms.mode, terms.permits.count);
    if (!free && blocked == kNone) blocked = at;
    crowded = crowded || waiters(state_, lock) >= state_.limits.max_waiters;
  }

  if (blocked == kNone) {
    const LeaseRef ref = add_lease(state_, command);
    hold(ref);
    reply(granted(state_.leases[ref], command.ticket));
    return;
  }
  if (command.wait == Duration::zero()) {
    Busy effect = busy(blocked, WaitKind::acquire, terms.mode, terms.permits.count, kNone);
    effect.id = command.id;
    effect.owner = terms.owner;
    effect.ticket = command.ticket;
    reply(std::move(effect));
    leave_end(EndCause::busy);
    return;
  }
  if (crowded) {
    refuse(command, RefusalCode::overloaded, "waiters",
           max_text("the places in the queue", state_.limits.max_waiters));
    return;
  }
  const LeaseRef ref = add_lease(state_, command);
  Lease& lease = state_.leases[ref];
  {
    const Standing standing(state_, lease);
    lease.phase = Phase::waiting;
  }
  enqueue(state_, ref);
  mark_for_serving_all(ref);
  reply(queued(lease, command.ticket));
}

void Stepper::acquire_again(const Acquire& command, LeaseRef ref) {
  Lease& lease = state_.leases[ref];
  if (!same_terms(state_, lease, command.terms)) {
    refuse(command, RefusalCode::lease_id_conflict, "leaseId",
           "this id belongs to another request; only an identical one may repeat it");
    return;
  }
  const bool is_current = command.ticket.attempt >= lease.ticket.attempt;
  if (lease.phase == Phase::waiting) {
    if (!is_current) {
      refuse(command, RefusalCode::superseded, "attempt", "a newer attempt waits already");
      return;
    }
    if (command.ticket != lease.ticket && !extra_of(state_, lease).attachment.detached()) {
      emit(Superseded{command.space, command.id, WaitKind::acquire, lease.ticket});
    }
  }
  const bool heard_before =
      lease.phase == Phase::held && !extra_of(state_, lease).attachment.detached();
  if (is_current) {
    {
      const Standing standing(state_, lease);
      lease.ticket = command.ticket;
    }
    reattach(ref);
  }
  if (lease.phase == Phase::held) {
    // An earlier answer may be with the client: that nobody heard this one must not end the lease
    // (P4).
    if (heard_before) confirm(ref);
    Granted effect = granted(lease, command.ticket);
    effect.repeated = true;  // P4: the same grant, never extended
    reply(std::move(effect));
    return;
  }
  if (command.wait == Duration::zero()) {
    effects_.reply_index = effects_.all.size();
    end(ref, EndCause::timed_out);
    return;
  }
  Queued effect = queued(lease, command.ticket);
  effect.repeated = true;
  reply(std::move(effect));
}

}  // namespace pawl::core
