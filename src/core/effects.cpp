// SPDX-License-Identifier: Apache-2.0
// How the larger effects are put together.
#include <algorithm>

#include "core/stepper.h"

namespace pawl::core {

void Stepper::reply_already_ended(const Namespace& space, const LeaseId& id, Ticket ticket,
                                  const End& end) {
  AlreadyEnded ended;
  ended.space = space;
  ended.id = id;
  ended.ticket = ticket;
  ended.cause = end.cause;
  ended.token = FencingToken{end.token};
  ended.ended_at = end.at;
  ended.audit = end.audit;
  if (const AuditRecord* record = find_audit(state_, end.audit)) {
    ended.actor = record->actor;
    ended.reason = record->reason;
  }
  reply(std::move(ended));
}

// P4: never more than what is certain. A grant that nobody has taken up yet may end before its
// deadline.
Duration Stepper::valid_for(const Lease& lease) const {
  if (lease.phase != Phase::held) return Duration::zero();
  Time end = lease.deadline;
  const Attachment& attachment = extra_of(state_, lease).attachment;
  if (attachment.detached() && !lease.confirmed) {
    end = std::min(end, after(attachment.detached_at, kGiveUp));
  }
  return until(state_.now, end);
}

Granted Stepper::granted(const Lease& lease, Ticket ticket) const {
  Granted granted;
  granted.lease = info(state_, lease);
  granted.ticket = ticket;
  granted.valid_for = valid_for(lease);
  return granted;
}

Queued Stepper::queued(const Lease& lease, Ticket ticket) const {
  Queued queued{info(state_, lease), ticket, 0, false};
  for_each_lock(state_, lease, [&](LockRef at) {
    const auto length = static_cast<std::uint32_t>(waiters(state_, state_.locks[at]));
    queued.waiters = std::max(queued.waiters, length);
  });
  return queued;
}

// `asking` is left out of the holders: an upgrade is not in its own way.
Busy Stepper::busy(LockRef ref, WaitKind kind, Mode mode, std::uint32_t permits,
                   LeaseRef asking) const {
  const Lock& lock = state_.locks[ref];
  const Closures& closures = closures_of(state_, lock);
  Busy busy;
  busy.space = Namespace(state_.spaces[lock.space].name);
  busy.kind = kind;
  busy.mode = mode;
  busy.resource = ResourceName(name_of(state_, ref));
  busy.holder_count = lock.holders - (asking == kNone ? 0 : 1);
  busy.waiters = static_cast<std::uint32_t>(waiters(state_, lock));
  Time first_deadline = kNever;
  for (LeaseRef at = lock.first_holder; at != kNone && busy.holders.size() < kShownHolders;
       at = next_holder(state_, ref, at)) {
    if (at == asking) continue;
    first_deadline = std::min(first_deadline, state_.leases[at].deadline);
    busy.holders.push_back(holder(state_, state_.leases[at]));
  }

  bool in_the_way = kind == WaitKind::acquire && !queue_is_empty(ref);
  if (mode == Mode::exclusive) in_the_way = in_the_way || busy.holder_count > 0;
  if (mode == Mode::shared) in_the_way = in_the_way || lock.exclusively_held;
  if (mode == Mode::permit) {
    in_the_way = in_the_way || std::uint64_t{lock.permits_held} + permits > lock.permit_limit;
  }
  busy.reason = in_the_way ? BusyReason::held : BusyReason::delayed;
  if (in_the_way) {
    busy.retry_after = busy.holders.empty() ? Duration::zero() : until(state_.now, first_deadline);
  } else if (mode == Mode::exclusive) {
    busy.retry_after = until(state_.now, std::max(closures.all_until, closures.exclusive_until));
  } else if (mode == Mode::shared) {
    busy.retry_after = until(state_.now, closures.all_until);
  } else {
    busy.retry_after = until(state_.now, closures.permits_until.begin()->first);
  }
  return busy;
}

}  // namespace pawl::core
