// SPDX-License-Identifier: Apache-2.0
// Who is granted: the one granting rule, and the serving of the queues (docs/rules.md §3).
#include <queue>

#include "core/stepper.h"

namespace pawl::core {
namespace {

// A waiting lease or upgrade at the head of a queue that changed.
struct Candidate {
  Arrival arrival;
  LeaseRef lease;
  bool is_upgrade;
  bool operator>(const Candidate& other) const { return arrival > other.arrival; }
};
using Candidates = std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>>;

void push_head(const State& state, LockRef ref, Candidates& candidates) {
  const Lock& lock = state.locks[ref];
  if (lock.upgrade != kNone) {
    const UpgradeWait& upgrade = *extra_of(state, state.leases[lock.upgrade]).upgrade;
    if (!upgrade.attachment.detached()) candidates.push({upgrade.arrival, lock.upgrade, true});
    if (!upgrade.attachment.passed_over) return;  // it stands ahead of the queue
  }
  if (lock.queue == kNone) return;
  const Queue& queue = state.queues[lock.queue];
  if (queue.active.empty()) return;
  const auto [arrival, lease] = *queue.active.begin();
  candidates.push({arrival, lease, false});
}

}  // namespace

bool Stepper::has_room(LockRef ref, Mode mode, std::uint32_t permits) const {
  const Lock& lock = state_.locks[ref];
  const Closures& closures = closures_of(state_, lock);
  switch (mode) {
    case Mode::exclusive:
      return lock.holders == 0 && lock.closures == kNone;
    case Mode::shared:
      return !lock.exclusively_held && closures.all_until == Time{};
    case Mode::permit:
      return std::uint64_t{lock.permits_held} + closures.permits + permits <= lock.permit_limit;
  }
  return false;
}

bool Stepper::queue_is_empty(LockRef ref) const {
  const Lock& lock = state_.locks[ref];
  if (lock.queue != kNone && !state_.queues[lock.queue].active.empty()) return false;
  return lock.upgrade == kNone ||
         extra_of(state_, state_.leases[lock.upgrade]).upgrade->attachment.passed_over;
}

bool Stepper::admits_waiter(LeaseRef ref) const {
  const Lease& lease = state_.leases[ref];
  const Extra& extra = extra_of(state_, lease);
  if (extra.attachment.detached()) return false;
  for (std::size_t i = 0; i < seat_count(state_, lease); ++i) {
    const LockRef at = seat_at(state_, lease, i).lock;
    const Lock& lock = state_.locks[at];
    if (state_.queues[lock.queue].active.begin()->second != ref) return false;  // P7
    if (lock.upgrade != kNone &&
        !extra_of(state_, state_.leases[lock.upgrade]).upgrade->attachment.passed_over) {
      return false;
    }
    if (!has_room(at, lease.mode, extra.permits.count)) return false;
  }
  return true;
}

bool Stepper::admits_upgrade(LeaseRef ref) const {
  const Lease& lease = state_.leases[ref];
  bool alone = true;
  for_each_lock(state_, lease, [&](LockRef at) {
    const Lock& lock = state_.locks[at];
    alone = alone && lock.holders == 1 && lock.closures == kNone;
  });
  return alone;
}

void Stepper::serve() {
  if (to_serve_.empty()) return;
  Candidates candidates;
  for (const LockRef lock : to_serve_) {
    if (!state_.locks[lock].to_serve) continue;  // the resource is gone
    state_.locks[lock].to_serve = false;
    push_head(state_, lock, candidates);
  }
  while (!candidates.empty()) {
    const Candidate next = candidates.top();
    candidates.pop();
    const Lease& lease = state_.leases[next.lease];
    if (next.is_upgrade) {
      const auto& waiting = extra_of(state_, lease).upgrade;
      if (!waiting || !admits_upgrade(next.lease)) continue;
      const UpgradeWait upgrade = *waiting;
      const FencingToken old_token{lease.token};
      become_exclusive(next.lease);
      emit(Upgraded{info(state_, lease), upgrade.ticket, old_token, valid_for(lease),
                    state_.now - upgrade.since, true});
      continue;
    }
    if (lease.phase != Phase::waiting || !admits_waiter(next.lease)) continue;
    const Duration waited = state_.now - lease.since;
    dequeue(state_, next.lease);
    hold(next.lease);
    Granted effect = granted(lease, lease.ticket);
    effect.waited = waited;
    effect.after_wait = true;
    emit(std::move(effect));
    for_each_lock(state_, lease, [&](LockRef lock) { push_head(state_, lock, candidates); });
  }
}

}  // namespace pawl::core
