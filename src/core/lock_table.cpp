// SPDX-License-Identifier: Apache-2.0
// Resources in the state's tables: holders, queues, closures (see tables.h).
#include "core/digest.h"
#include "core/tables.h"

namespace pawl::core {
namespace {

const Closures kOpen{};

Seat& seat_on(State& state, LeaseRef ref, LockRef lock) {
  Lease& lease = state.leases[ref];
  if (lease.seat.lock == lock) return lease.seat;
  for (Seat& seat : state.extras[lease.extra].more_seats) {
    if (seat.lock == lock) return seat;
  }
  PAWL_ASSERT(false && "the lease has no seat on this lock");
  return lease.seat;
}

Queue& need_queue(State& state, Lock& lock) {
  if (lock.queue == kNone) lock.queue = state.queues.add();
  return state.queues[lock.queue];
}

// The digest of a resource's closures, which may have just become none.
std::uint64_t digest_of(const State& state, std::uint32_t closures) {
  return closures == kNone ? 0 : closures_digest(state, state.closures[closures]);
}

}  // namespace

bool DueAccess::before(DueItem a, DueItem b) const {
  if (a.is_closures != b.is_closures) return a.is_closures;
  if (a.is_closures) return a.ref < b.ref;
  return state->leases[a.ref].arrival < state->leases[b.ref].arrival;
}

std::uint32_t& DueAccess::position(DueItem item) const {
  return item.is_closures ? state->closures[item.ref].due_position
                          : state->leases[item.ref].due_position;
}

Time Closures::due() const {
  Time first = kNever;
  if (all_until != Time{}) first = std::min(first, all_until);
  if (exclusive_until != Time{}) first = std::min(first, exclusive_until);
  if (!permits_until.empty()) first = std::min(first, permits_until.begin()->first);
  return first;
}

std::size_t Closures::records() const {
  return static_cast<std::size_t>(all_until != Time{}) +
         static_cast<std::size_t>(exclusive_until != Time{}) + permits_until.size();
}

LockRef find_lock(const State& state, const Namespace& space, const ResourceName& name) {
  const auto found = state.space_by_name.find(space.view());
  if (found == state.space_by_name.end()) return kNone;
  return state.names.find(state.spaces[found->second].locks, name.view(),
                          [&state](LockRef lock) { return name_of(state, lock); });
}

std::string_view name_of(const State& state, LockRef ref) {
  const Lock& lock = state.locks[ref];
  return state.texts.at(lock.name, lock.name_bytes);
}

std::size_t waiters(const State& state, const Lock& lock) {
  return lock.queue == kNone ? 0 : state.queues[lock.queue].size();
}

const Closures& closures_of(const State& state, const Lock& lock) {
  return lock.closures == kNone ? kOpen : state.closures[lock.closures];
}

LeaseRef next_holder(const State& state, LockRef lock, LeaseRef ref) {
  const Lease& lease = state.leases[ref];
  if (lease.seat.lock == lock) return lease.seat.next;
  for (const Seat& seat : state.extras[lease.extra].more_seats) {
    if (seat.lock == lock) return seat.next;
  }
  return kNone;
}

void seat_holder(State& state, LeaseRef ref) {
  Lease& lease = state.leases[ref];
  const std::uint32_t permits = extra_of(state, lease).permits.count;
  const std::size_t count = seat_count(state, lease);
  for (std::size_t i = 0; i < count; ++i) {
    Seat& seat = seat_at(state, lease, i);
    Lock& lock = state.locks[seat.lock];
    seat.previous = lock.last_holder;
    seat.next = kNone;
    (lock.last_holder == kNone ? lock.first_holder
                               : seat_on(state, lock.last_holder, seat.lock).next) = ref;
    lock.last_holder = ref;
    ++lock.holders;
    lock.permits_held += permits;
    lock.exclusively_held = lease.mode == Mode::exclusive;
  }
  ++state.held;
}

void unseat_holder(State& state, LeaseRef ref) {
  Lease& lease = state.leases[ref];
  const std::uint32_t permits = extra_of(state, lease).permits.count;
  const std::size_t count = seat_count(state, lease);
  for (std::size_t i = 0; i < count; ++i) {
    Seat& seat = seat_at(state, lease, i);
    Lock& lock = state.locks[seat.lock];
    (seat.previous == kNone ? lock.first_holder : seat_on(state, seat.previous, seat.lock).next) =
        seat.next;
    (seat.next == kNone ? lock.last_holder : seat_on(state, seat.next, seat.lock).previous) =
        seat.previous;
    seat.previous = seat.next = kNone;
    --lock.holders;
    lock.permits_held -= permits;
    lock.exclusively_held = false;
  }
  --state.held;
}

void set_mode(State& state, LeaseRef ref, Mode mode) {
  Lease& lease = state.leases[ref];
  lease.mode = mode;
  if (lease.extra != kNone) state.extras[lease.extra].upgrade_attempt = 0;
  for_each_lock(state, lease, [&](LockRef lock) {
    PAWL_ASSERT(state.locks[lock].holders == 1);  // only a sole holder changes its mode
    state.locks[lock].exclusively_held = mode == Mode::exclusive;
  });
}

void enqueue(State& state, LeaseRef ref) {
  const Lease& lease = state.leases[ref];
  for_each_lock(state, lease, [&](LockRef lock) {
    need_queue(state, state.locks[lock]).active.emplace(lease.arrival, ref);
  });
  ++state.waiting;
}

void dequeue(State& state, LeaseRef ref) {
  const Lease& lease = state.leases[ref];
  const bool aside = extra_of(state, lease).attachment.passed_over;
  for_each_lock(state, lease, [&](LockRef lock) {
    Queue& queue = state.queues[state.locks[lock].queue];
    const std::size_t gone = (aside ? queue.passed_over : queue.active).erase(lease.arrival);
    PAWL_ASSERT(gone == 1);
    if (queue.size() > 0) return;
    state.queues.remove(state.locks[lock].queue);
    state.locks[lock].queue = kNone;
  });
  --state.waiting;
}

void pass_over(State& state, LeaseRef ref) {
  Lease& lease = state.leases[ref];
  need_extra(state, lease).attachment.passed_over = true;
  for_each_lock(state, lease, [&](LockRef lock) {
    Queue& queue = state.queues[state.locks[lock].queue];
    queue.passed_over.insert(queue.active.extract(lease.arrival));
  });
}

void bring_back(State& state, LeaseRef ref) {
  Lease& lease = state.leases[ref];
  need_extra(state, lease).attachment.passed_over = false;
  for_each_lock(state, lease, [&](LockRef lock) {
    Queue& queue = state.queues[state.locks[lock].queue];
    queue.active.insert(queue.passed_over.extract(lease.arrival));
  });
}

void start_upgrade(State& state, LeaseRef ref, const UpgradeWait& wait) {
  Lease& lease = state.leases[ref];
  need_extra(state, lease).upgrade = wait;
  for_each_lock(state, lease, [&](LockRef lock) { state.locks[lock].upgrade = ref; });
}

void stop_upgrade(State& state, LeaseRef ref) {
  Lease& lease = state.leases[ref];
  need_extra(state, lease).upgrade.reset();
  for_each_lock(state, lease, [&](LockRef lock) { state.locks[lock].upgrade = kNone; });
}

void close(State& state, LockRef ref, Mode mode, std::uint32_t permits, Time until) {
  Lock& lock = state.locks[ref];
  state.digest -= digest_of(state, lock.closures);
  if (lock.closures == kNone) {
    lock.closures = state.closures.add();
    state.closures[lock.closures].lock = ref;
  }
  Closures& closures = state.closures[lock.closures];
  state.records -= closures.records();
  if (mode == Mode::exclusive) closures.all_until = std::max(closures.all_until, until);
  if (mode == Mode::shared) closures.exclusive_until = std::max(closures.exclusive_until, until);
  if (mode == Mode::permit) {
    closures.permits_until[until] += permits;
    closures.permits += permits;
  }
  state.records += closures.records();
  state.due.set({&state}, {lock.closures, true}, closures.due());
  state.digest += digest_of(state, lock.closures);
}

void open_due(State& state, std::uint32_t ref) {
  Closures& closures = state.closures[ref];
  state.digest -= digest_of(state, ref);
  state.records -= closures.records();
  if (closures.all_until <= state.now) closures.all_until = Time{};
  if (closures.exclusive_until <= state.now) closures.exclusive_until = Time{};
  while (!closures.permits_until.empty() && closures.permits_until.begin()->first <= state.now) {
    closures.permits -= closures.permits_until.begin()->second;
    closures.permits_until.erase(closures.permits_until.begin());
  }
  state.records += closures.records();
  state.due.set({&state}, {ref, true}, closures.due());
  if (closures.records() > 0) {
    state.digest += digest_of(state, ref);
  } else {
    state.locks[closures.lock].closures = kNone;
    state.closures.remove(ref);
  }
}

}  // namespace pawl::core
