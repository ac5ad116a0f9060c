// SPDX-License-Identifier: Apache-2.0
// How a lease begins, changes and ends (docs/rules.md §3, §6).
#include <algorithm>

#include "core/stepper.h"

namespace pawl::core {
namespace {

std::uint64_t next_token(State& state) {
  PAWL_ASSERT(state.last_token < kMaxToken);
  return ++state.last_token;
}

}  // namespace

void Stepper::hold(LeaseRef ref) {
  Lease& lease = state_.leases[ref];
  const Standing standing(state_, lease);
  lease.phase = Phase::held;
  lease.token = next_token(state_);  // P2: at the grant, not at the asking
  lease.since = lease.renewed_at = state_.now;
  lease.deadline = after(state_.now, lease.ttl);
  if (lease.extra != kNone) {
    Extra& extra = state_.extras[lease.extra];
    extra.attachment = {};
    if (extra.max_hold > Duration::zero()) {
      lease.deadline = std::min(lease.deadline, after(state_.now, extra.max_hold));
    }
  }
  seat_holder(state_, ref);
  set_due(state_, ref);
}

void Stepper::become_exclusive(LeaseRef ref) {
  Lease& lease = state_.leases[ref];
  const Standing standing(state_, lease);
  if (extra_of(state_, lease).upgrade) stop_upgrade(state_, ref);
  lease.token = next_token(state_);
  set_mode(state_, ref, Mode::exclusive);
  set_due(state_, ref);
}

void Stepper::end(LeaseRef ref, EndCause cause, AuditId audit) {
  Lease& lease = state_.leases[ref];
  const Extra& extra = extra_of(state_, lease);
  Ended& ended = emit<Ended>();
  ended.lease = info(state_, lease);
  ended.cause = cause;
  ended.held = lease.phase == Phase::held;
  ended.ticket = lease.ticket;
  ended.lasted = state_.now - lease.since;
  ended.audit = audit;
  if (const AuditRecord* record = find_audit(state_, audit)) {
    ended.actor = record->actor;
    ended.reason = record->reason;
  }
  mark_for_serving_all(ref);
  if (ended.held) {
    if (extra.upgrade) {
      const Standing standing(state_, lease);
      ended.waiting_upgrade = extra.upgrade->ticket;
      stop_upgrade(state_, ref);
    }
    Time closed{};
    if (extra.min_hold > Duration::zero()) closed = after(lease.since, extra.min_hold);
    if (extra.lock_delay > Duration::zero() && cause != EndCause::released) {
      closed = std::max(closed, after(state_.now, extra.lock_delay));
    }
    unseat_holder(state_, ref);
    if (closed > state_.now) {
      ended.closed_until = closed;
      for_each_lock(state_, lease, [&](LockRef lock) {
        close(state_, lock, lease.mode, extra.permits.count, closed);
      });
    }
  } else {
    dequeue(state_, ref);
  }
  const Hash128 id = end_id(ended.lease.space.view(), ended.lease.id.view());
  remove_lease(state_, ref);
  remember_end(state_, id, static_cast<std::uint64_t>(ended.lease.token), cause, audit);
}

void Stepper::withdraw_upgrade(LeaseRef ref, EndCause cause, bool is_reply) {
  const Lease& lease = state_.leases[ref];
  UpgradeWithdrawn withdrawn{info(state_, lease), extra_of(state_, lease).upgrade->ticket, cause};
  {
    const Standing standing(state_, lease);
    stop_upgrade(state_, ref);
  }
  mark_for_serving_all(ref);
  set_due(state_, ref);
  if (is_reply) {
    reply(std::move(withdrawn));
  } else {
    emit(std::move(withdrawn));
  }
}

void Stepper::reattach(LeaseRef ref) {
  Lease& lease = state_.leases[ref];
  if (!extra_of(state_, lease).attachment.detached()) return;
  const Standing standing(state_, lease);
  Attachment& attachment = need_extra(state_, lease).attachment;
  if (attachment.passed_over) bring_back(state_, ref);
  attachment = {};
  set_due(state_, ref);
  if (lease.phase == Phase::waiting) mark_for_serving_all(ref);
}

void Stepper::detach(LeaseRef ref) {
  Lease& lease = state_.leases[ref];
  if (extra_of(state_, lease).attachment.detached()) return;
  const Standing standing(state_, lease);
  need_extra(state_, lease).attachment.detached_at = state_.now;
  set_due(state_, ref);
}

void Stepper::confirm(LeaseRef ref) {
  Lease& lease = state_.leases[ref];
  if (!lease.confirmed) {
    const Standing standing(state_, lease);
    lease.confirmed = true;
    if (lease.extra != kNone) state_.extras[lease.extra].attachment = {};
  }
  set_due(state_, ref);
}

void Stepper::mark_for_serving(LockRef lock) {
  if (state_.locks[lock].to_serve) return;
  state_.locks[lock].to_serve = true;
  to_serve_.push_back(lock);
}

void Stepper::mark_for_serving_all(LeaseRef ref) {
  for_each_lock(state_, state_.leases[ref], [&](LockRef lock) { mark_for_serving(lock); });
}

}  // namespace pawl::core
