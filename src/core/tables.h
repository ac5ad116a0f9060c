// SPDX-License-Identifier: Apache-2.0
// The moves on the state's tables from which the rules are built: find, open, seat, queue, close,
// remember. They keep the tables consistent and decide nothing. Those that change how a lease
// stands (its mode, its place, its upgrade) are called inside a Standing (digest.h), which keeps
// the digest right; the others do so themselves. Internal to core. Not thread-safe.
#pragma once

#include <string_view>

#include "core/state.h"

namespace pawl::core {

// Leases
LeaseRef find_lease(const State& state, const Namespace& space, const LeaseId& id);
std::string_view id_of(const State& state, const Lease& lease);
std::string_view owner_of(const State& state, const Lease& lease);
LeaseRef add_lease(State& state, const Acquire& request);       // neither waits nor holds yet
void remove_lease(State& state, LeaseRef ref);                  // no longer waits or holds
const Extra& extra_of(const State& state, const Lease& lease);  // defaults if it has none
Extra& need_extra(State& state, Lease& lease);
LeaseInfo info(const State& state, const Lease& lease);
Holder holder(const State& state, const Lease& lease);
bool same_terms(const State& state, const Lease& lease, const Terms& terms);
std::uint64_t weight(std::size_t resources, Duration min_hold, Duration lock_delay);
// Puts the lease where it belongs among what is due.
void set_due(State& state, LeaseRef ref);

// The resources of a lease, in the order asked for.
std::size_t seat_count(const State& state, const Lease& lease);
Seat& seat_at(State& state, Lease& lease, std::size_t i);
const Seat& seat_at(const State& state, const Lease& lease, std::size_t i);
template <class Visit>
void for_each_lock(const State& state, const Lease& lease, Visit visit) {
  const std::size_t count = seat_count(state, lease);
  for (std::size_t i = 0; i < count; ++i) visit(seat_at(state, lease, i).lock);
}
LeaseRef next_holder(const State& state, LockRef lock, LeaseRef lease);

// Resources
LockRef find_lock(const State& state, const Namespace& space, const ResourceName& name);
std::string_view name_of(const State& state, LockRef lock);
std::size_t waiters(const State& state, const Lock& lock);
const Closures& closures_of(const State& state, const Lock& lock);  // open, if it has none
void seat_holder(State& state, LeaseRef ref);  // on all its resources, as the newest holder
void unseat_holder(State& state, LeaseRef ref);
void set_mode(State& state, LeaseRef ref, Mode mode);  // of a held lease
void enqueue(State& state, LeaseRef ref);
void dequeue(State& state, LeaseRef ref);
void pass_over(State& state, LeaseRef ref);
void bring_back(State& state, LeaseRef ref);
void start_upgrade(State& state, LeaseRef ref, const UpgradeWait& wait);
void stop_upgrade(State& state, LeaseRef ref);
void close(State& state, LockRef lock, Mode mode, std::uint32_t permits, Time until);
void open_due(State& state, std::uint32_t closures);
LockRef need_lock(State& state, const Namespace& space, const ResourceName& name,
                  const Terms& terms);
void drop_lock_if_unused(State& state, LockRef lock);

// Ends and the audit trail
Hash128 end_id(std::string_view space, std::string_view lease_id);
const End* find_end(const State& state, const Namespace& space,
                    const LeaseId& id);  // not yet forgotten
void remember_end(State& state, const Hash128& id, std::uint64_t token, EndCause cause,
                  AuditId audit);
void forget_ends(State& state);
const AuditRecord* find_audit(const State& state, AuditId id);
void add_audit(State& state, AuditRecord record);

}  // namespace pawl::core
