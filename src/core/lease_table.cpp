// SPDX-License-Identifier: Apache-2.0
// Leases in the state's tables (see tables.h).
#include "core/digest.h"
#include "core/tables.h"

namespace pawl::core {
namespace {

const Extra kNoExtra{};

SpaceRef find_space(const State& state, const Namespace& space) {
  const auto found = state.space_by_name.find(space.view());
  return found == state.space_by_name.end() ? kNone : found->second;
}

SpaceRef need_space(State& state, const Namespace& space) {
  const SpaceRef found = find_space(state, space);
  if (found != kNone) return found;
  const SpaceRef fresh = state.spaces.add();
  state.spaces[fresh].name = space.str();
  state.spaces[fresh].digest = Digest(0).add(space.view()).value();
  state.space_by_name.emplace(space.str(), fresh);
  return fresh;
}

// The last namespace that fell idle stays, since the next lease is likely to be in it again.
void drop_space_if_unused(State& state, SpaceRef ref) {
  const auto is_idle = [&](SpaceRef at) {
    return state.spaces[at].lease_count == 0 && state.spaces[at].lock_count == 0;
  };
  if (!is_idle(ref) || state.idle_space == ref) return;
  if (state.idle_space != kNone && is_idle(state.idle_space)) {
    state.space_by_name.erase(state.spaces[state.idle_space].name);
    state.spaces.remove(state.idle_space);
  }
  state.idle_space = ref;
}

std::uint32_t id_hash(const State& state, SpaceRef space, std::string_view id) {
  const SipKey key{state.index_key.k0 ^ space, state.index_key.k1};
  return static_cast<std::uint32_t>(sip13(key, id));
}

LockRef need_lock(State& state, SpaceRef space_ref, const ResourceName& name, const Terms& terms) {
  Space& space = state.spaces[space_ref];
  const auto lock_name = [&state](LockRef lock) { return name_of(state, lock); };
  LockRef nearest = kNone;
  const LockRef found = state.names.find(space.locks, name.view(), lock_name, &nearest);
  if (found != kNone) return found;
  const LockRef fresh = state.locks.add();
  Lock& lock = state.locks[fresh];
  lock.name = state.texts.add(name.view());
  lock.name_bytes = static_cast<std::uint16_t>(name.view().size());
  lock.space = space_ref;
  lock.permit_kind = terms.mode == Mode::permit;
  lock.permit_limit = terms.permits.limit;
  const std::string_view nearest_name =
      nearest == kNone ? std::string_view() : name_of(state, nearest);
  state.names.add(space.locks, name.view(), fresh, nearest_name);
  ++space.lock_count;
  return fresh;
}

}  // namespace

LockRef need_lock(State& state, const Namespace& space, const ResourceName& name,
                  const Terms& terms) {
  return need_lock(state, need_space(state, space), name, terms);
}

LeaseRef find_lease(const State& state, const Namespace& space, const LeaseId& id) {
  const SpaceRef in = find_space(state, space);
  if (in == kNone) return kNone;
  return state.lease_index.find(id_hash(state, in, id.view()), [&](const Lease& lease) {
    return lease.space == in && id_of(state, lease) == id.view();
  });
}

std::string_view id_of(const State& state, const Lease& lease) {
  return state.texts.at(lease.text, lease.id_bytes);
}

std::string_view owner_of(const State& state, const Lease& lease) {
  const std::size_t all = std::size_t{lease.id_bytes} + lease.owner_bytes;
  return state.texts.at(lease.text, all).substr(lease.id_bytes);
}

const Extra& extra_of(const State& state, const Lease& lease) {
  return lease.extra == kNone ? kNoExtra : state.extras[lease.extra];
}

Extra& need_extra(State& state, Lease& lease) {
  if (lease.extra == kNone) lease.extra = state.extras.add();
  return state.extras[lease.extra];
}

LeaseRef add_lease(State& state, const Acquire& request) {
  const Terms& terms = request.terms;
  const LeaseRef ref = state.leases.add();
  Lease& lease = state.leases[ref];
  lease.space = need_space(state, request.space);
  lease.text = state.texts.add(request.id.view(), terms.owner.view());
  lease.id_bytes = static_cast<std::uint8_t>(request.id.view().size());
  lease.owner_bytes = static_cast<std::uint16_t>(terms.owner.view().size());
  lease.hash = id_hash(state, lease.space, request.id.view());
  lease.asked_mode = lease.mode = terms.mode;
  lease.ttl = terms.ttl;
  lease.ticket = request.ticket;
  lease.arrival = ++state.last_arrival;
  lease.since = state.now;
  const bool plain = terms.resources.size() == 1 && terms.mode != Mode::permit &&
                     request.metadata.empty() && terms.max_hold == Duration::zero() &&
                     terms.min_hold == Duration::zero() && terms.lock_delay == Duration::zero();
  if (!plain) {
    Extra& extra = need_extra(state, lease);
    extra.permits = terms.permits;
    extra.max_hold = terms.max_hold;
    extra.min_hold = terms.min_hold;
    extra.lock_delay = terms.lock_delay;
    extra.metadata = request.metadata;
    extra.more_seats.resize(terms.resources.size() - 1);
  }
  for (std::size_t i = 0; i < terms.resources.size(); ++i) {
    seat_at(state, lease, i).lock = need_lock(state, lease.space, terms.resources[i], terms);
  }
  state.lease_index.add(ref);
  ++state.spaces[lease.space].lease_count;
  state.records += weight(terms.resources.size(), terms.min_hold, terms.lock_delay);
  state.digest += identity_digest(state, lease) + standing_digest(state, lease);
  return ref;
}

void remove_lease(State& state, LeaseRef ref) {
  const Lease& lease = state.leases[ref];
  state.digest -= identity_digest(state, lease) + standing_digest(state, lease);
  const Extra& extra = extra_of(state, lease);
  state.records -= weight(seat_count(state, lease), extra.min_hold, extra.lock_delay);
  state.due.set({&state}, {ref, false}, kNever);
  state.lease_index.remove(ref);
  for_each_lock(state, lease, [&](LockRef lock) { drop_lock_if_unused(state, lock); });
  state.texts.remove(lease.text, std::size_t{lease.id_bytes} + lease.owner_bytes);
  if (lease.extra != kNone) state.extras.remove(lease.extra);
  const SpaceRef space = lease.space;
  --state.spaces[space].lease_count;
  state.leases.remove(ref);
  drop_space_if_unused(state, space);
}

Terms terms_of(const State& state, const Lease& lease) {
  const Extra& extra = extra_of(state, lease);
  Terms terms;
  terms.owner = OwnerId(owner_of(state, lease));
  terms.resources.reserve(seat_count(state, lease));
  for_each_lock(state, lease,
                [&](LockRef lock) { terms.resources.emplace_back(name_of(state, lock)); });
  terms.mode = lease.asked_mode;
  terms.permits = extra.permits;
  terms.ttl = lease.ttl;
  terms.max_hold = extra.max_hold;
  terms.min_hold = extra.min_hold;
  terms.lock_delay = extra.lock_delay;
  return terms;
}

LeaseInfo info(const State& state, const Lease& lease) {
  LeaseInfo info;
  info.space = Namespace(state.spaces[lease.space].name);
  info.id = LeaseId(id_of(state, lease));
  info.terms = terms_of(state, lease);
  info.mode = lease.mode;
  info.metadata = extra_of(state, lease).metadata;
  if (lease.phase == Phase::held) {
    info.token = FencingToken{lease.token};
    info.granted_at = lease.since;
    info.renewed_at = lease.renewed_at;
    info.deadline = lease.deadline;
  }
  return info;
}

Holder holder(const State& state, const Lease& lease) {
  return {LeaseId(id_of(state, lease)),
          OwnerId(owner_of(state, lease)),
          lease.mode,
          extra_of(state, lease).permits.count,
          FencingToken{lease.token},
          lease.since,
          lease.deadline};
}

bool same_terms(const State& state, const Lease& lease, const Terms& terms) {
  const Extra& extra = extra_of(state, lease);
  if (lease.asked_mode != terms.mode || lease.ttl != terms.ttl || extra.permits != terms.permits ||
      extra.max_hold != terms.max_hold || extra.min_hold != terms.min_hold ||
      extra.lock_delay != terms.lock_delay || owner_of(state, lease) != terms.owner.view() ||
      seat_count(state, lease) != terms.resources.size()) {
    return false;
  }
  for (std::size_t i = 0; i < terms.resources.size(); ++i) {
    if (name_of(state, seat_at(state, lease, i).lock) != terms.resources[i].view()) return false;
  }
  return true;
}

std::uint64_t weight(std::size_t resources, Duration min_hold, Duration lock_delay) {
  const bool may_close = min_hold > Duration::zero() || lock_delay > Duration::zero();
  return may_close ? 2 * resources : resources;
}

void set_due(State& state, LeaseRef ref) {
  const Lease& lease = state.leases[ref];
  Time due = lease.phase == Phase::held ? lease.deadline : kNever;
  if (lease.extra != kNone) {
    const Extra& extra = state.extras[lease.extra];
    if (lease.phase == Phase::waiting) {
      due = extra.attachment.due();
    } else {
      if (extra.attachment.detached() && !lease.confirmed) {
        due = std::min(due, after(extra.attachment.detached_at, kGiveUp));
      }
      if (extra.upgrade) due = std::min(due, extra.upgrade->attachment.due());
    }
  }
  state.due.set({&state}, {ref, false}, due);
}

std::size_t seat_count(const State& state, const Lease& lease) {
  return lease.extra == kNone ? 1 : 1 + state.extras[lease.extra].more_seats.size();
}

Seat& seat_at(State& state, Lease& lease, std::size_t i) {
  return i == 0 ? lease.seat : state.extras[lease.extra].more_seats[i - 1];
}

const Seat& seat_at(const State& state, const Lease& lease, std::size_t i) {
  return i == 0 ? lease.seat : state.extras[lease.extra].more_seats[i - 1];
}

void drop_lock_if_unused(State& state, LockRef ref) {
  const Lock& lock = state.locks[ref];
  if (lock.holders > 0 || lock.queue != kNone || lock.closures != kNone) return;
  PAWL_ASSERT(lock.upgrade == kNone);
  Space& space = state.spaces[lock.space];
  state.names.remove(space.locks, name_of(state, ref));
  --space.lock_count;
  state.texts.remove(lock.name, lock.name_bytes);
  const SpaceRef in = lock.space;
  state.locks.remove(ref);
  drop_space_if_unused(state, in);
}

}  // namespace pawl::core
