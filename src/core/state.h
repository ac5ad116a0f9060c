// SPDX-License-Identifier: Apache-2.0
// Everything that the lock state machine knows: who holds what, who waits, what ended lately.
//
//   a lease:   (new) -> Waiting -> Held -> (end)       an end is remembered for `retention`
//                   \-> Held        \-> Waiting ends: released, timed out, abandoned
//   a resource exists while it has holders, waiters or closures.
//
// Plain tables joined by 32-bit numbers (`LeaseRef`, `LockRef`), laid out for a million leases in
// 300 bytes each. Changed only by step() and Restorer, read through read.h. Not thread-safe: the
// engine's loop owns it. It is neither copied nor moved by accident: its tables point into each
// other.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/containers/deadlines.h"
#include "core/containers/hash_index.h"
#include "core/containers/hashing.h"
#include "core/containers/name_tree.h"
#include "core/containers/slab.h"
#include "core/containers/text_pool.h"
#include "core/effect.h"

namespace pawl::core {

using LeaseRef = std::uint32_t;
using LockRef = std::uint32_t;
using SpaceRef = std::uint32_t;
using Arrival =
    std::uint64_t;  // taken from one counter when a lease or an upgrade is first accepted

// A lease's place at one of its resources. Holders of a resource are linked in order of token.
struct Seat {
  LockRef lock = kNone;
  LeaseRef previous = kNone;
  LeaseRef next = kNone;
};

// Somebody waits, and somebody may have stopped listening.
struct Attachment {
  Time detached_at = kNever;  // kNever: attached
  bool passed_over = false;   // detached for so long that those behind need not wait for it

  bool detached() const { return detached_at != kNever; }
  Time due() const {
    if (!detached()) return kNever;
    return after(detached_at, passed_over ? kGiveUp : kHoldBack);
  }
};

struct UpgradeWait {
  Arrival arrival = 0;
  Ticket ticket;
  Time since{};
  Attachment attachment;
};

// What few leases have. Absent means the same as all defaults.
struct Extra {
  Permits permits;
  Duration max_hold{0};
  Duration min_hold{0};
  Duration lock_delay{0};
  Metadata metadata;
  std::vector<Seat> more_seats;  // all but the first
  Attachment attachment;
  AuditId doomed{};
  std::uint32_t upgrade_attempt = 0;  // the largest since the mode last changed
  std::optional<UpgradeWait> upgrade;
};

enum class Phase : std::uint8_t { none, waiting, held };

struct Lease {
  std::uint64_t token = 0;
  Time since{};  // granted, or queued while it waits
  Time renewed_at{};
  Time deadline = kNever;
  Duration ttl{0};
  Arrival arrival = 0;
  Seat seat;
  Ticket ticket;
  std::uint32_t hash = 0;  // of namespace and id
  LeaseRef chain = kNone;  // the next of its bucket
  SpaceRef space = kNone;
  TextPool::Ref text = 0;  // id, then owner
  std::uint32_t due_position = kNone;
  std::uint32_t extra = kNone;
  std::uint16_t owner_bytes = 0;
  std::uint8_t id_bytes = 0;
  Phase phase : 2 = Phase::none;
  Mode asked_mode : 2 = Mode::exclusive;
  Mode mode : 2 = Mode::exclusive;
  bool confirmed : 1 = false;
};
static_assert(sizeof(Lease) <= 104, "a million of these are held");

// Waiters of one resource in order of arrival; those passed over stand aside, and keep their
// number.
struct Queue {
  std::map<Arrival, LeaseRef> active;
  std::map<Arrival, LeaseRef> passed_over;
  std::size_t size() const { return active.size() + passed_over.size(); }
};

// What keeps a resource closed after a lease is gone. Absent means open.
struct Closures {
  LockRef lock = kNone;
  Time all_until{};
  Time exclusive_until{};
  std::map<Time, std::uint32_t> permits_until;
  std::uint32_t permits = 0;  // their sum
  std::uint32_t due_position = kNone;

  Time due() const;
  std::size_t records() const;
};

struct Lock {
  TextPool::Ref name = 0;
  std::uint16_t name_bytes = 0;
  bool permit_kind = false;
  bool exclusively_held = false;
  bool to_serve = false;  // true only inside a step
  SpaceRef space = kNone;
  std::uint32_t permit_limit = 0;
  std::uint32_t permits_held = 0;
  std::uint32_t holders = 0;
  LeaseRef first_holder = kNone;
  LeaseRef last_holder = kNone;
  LeaseRef upgrade = kNone;  // the one that waits to be alone
  std::uint32_t queue = kNone;
  std::uint32_t closures = kNone;
};
static_assert(sizeof(Lock) <= 52, "a million of these are held");

struct Space {
  std::string name;
  NameTree::Root locks = kNone;
  std::uint64_t lock_count = 0;
  std::uint64_t lease_count = 0;
  std::uint64_t digest = 0;  // of the name
};

// One remembered end. With its share of the index, 64 bytes at most.
struct End {
  Hash128 id;  // of namespace and lease id
  std::uint64_t token = 0;
  Time at{};
  AuditId audit{};
  std::uint32_t hash = 0;
  std::uint32_t chain = kNone;
  std::uint32_t next = kNone;  // the end after this one
  EndCause cause = EndCause::released;
};
static_assert(sizeof(End) <= 56);

// What can be due: a lease (with its upgrade) or the closures of a resource.
struct DueItem {
  std::uint32_t ref = kNone;
  bool is_closures = false;
};

struct State;
struct DueAccess {
  State* state;
  bool before(DueItem a, DueItem b) const;
  std::uint32_t& position(DueItem item) const;
};

struct State {
  // `index_seed` keys the hash tables against clients that aim at one chain. It may differ between
  // nodes: it changes no effect and no state hash.
  explicit State(std::uint64_t index_seed = 0);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Time now{};
  std::uint64_t last_token = 0;
  Arrival last_arrival = 0;
  std::uint64_t last_audit = 0;
  Time horizon = Time::min();  // ends up to this time are forgotten
  std::uint32_t rule_version = kRuleVersion;
  Limits limits;

  Slab<Lease> leases;
  Slab<Extra> extras;
  HashIndex<Lease> lease_index{leases};
  Slab<Lock> locks;
  Slab<Queue> queues;
  Slab<Closures> closures;
  NameTree names;
  TextPool texts;
  Slab<Space> spaces;
  std::map<std::string, SpaceRef, std::less<>> space_by_name;
  SpaceRef idle_space = kNone;  // the last that fell idle; it may be in use again
  Deadlines<DueItem, DueAccess> due;

  Slab<End> ends;  // linked oldest to newest
  std::uint32_t oldest_end = kNone;
  std::uint32_t newest_end = kNone;
  HashIndex<End> end_index{ends};

  std::deque<AuditRecord> audit;  // oldest first; ids grow

  std::uint64_t records = 0;  // what counts against limits.max_records
  std::uint64_t held = 0;     // leases held
  std::uint64_t waiting = 0;  // leases that wait
  std::uint64_t digest = 0;   // the sum over all items; see digest.h

  SipKey index_key;
};

// The hash by which nodes compare: equal states have equal hashes, however they came about (I9).
// O(1).
std::uint64_t state_hash(const State& state);

}  // namespace pawl::core
