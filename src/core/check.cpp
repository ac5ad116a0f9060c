// SPDX-License-Identifier: Apache-2.0
#include "core/check.h"

#include <set>

#include "core/digest.h"
#include "core/tables.h"

namespace pawl::core {
namespace {

class Checker {
 public:
  explicit Checker(const State& state) : state_(state) {}

  std::optional<std::string> run() {
    for (LeaseRef ref = 0; ref < state_.leases.end(); ++ref) {
      if (state_.leases[ref].phase != Phase::none) check_lease(ref);
    }
    for (const auto& [name, space] : state_.space_by_name) check_space(name, space);
    check_ends();
    check_audit();
    check_due();
    check_totals();
    return broken_;
  }

 private:
  void expect(bool holds, const std::string& what) {
    if (!holds && !broken_) broken_ = what;
  }

  bool is_ahead(Time time) const { return time > state_.now || time == kNever; }

  void check_lease(LeaseRef ref) {
    const Lease& lease = state_.leases[ref];
    const Extra& extra = extra_of(state_, lease);
    const std::string name = "lease " + std::string(id_of(state_, lease)) + ": ";
    digest_ += identity_digest(state_, lease) + standing_digest(state_, lease);
    records_ += weight(seat_count(state_, lease), extra.min_hold, extra.lock_delay);
    const Namespace space(state_.spaces[lease.space].name);
    expect(find_lease(state_, space, LeaseId(id_of(state_, lease))) == ref,
           name + "its id does not find it");
    expect(lease.arrival >= 1 && lease.arrival <= state_.last_arrival,
           name + "arrival out of range");
    expect(arrivals_.insert(lease.arrival).second, name + "arrival number used twice");
    if (lease.phase == Phase::held) {
      ++held_;
      expect(lease.token >= 1 && lease.token <= state_.last_token, name + "token out of range");
      expect(tokens_.insert(lease.token).second, name + "token used twice (P2)");
      expect(is_ahead(lease.deadline), name + "is held past its deadline");
      expect(lease.since <= lease.renewed_at && lease.renewed_at <= state_.now,
             name + "times out of order");
      expect(extra.max_hold == Duration::zero() ||
                 lease.deadline <= after(lease.since, extra.max_hold),
             name + "goes on past its max hold");
      expect(!extra.attachment.passed_over, name + "is held and passed over");
    } else {
      ++waiting_;
      expect(lease.token == 0 && !lease.confirmed && !extra.upgrade && extra.doomed == kNoAudit,
             name + "waits but stands as if held");
    }
    if (extra.upgrade) {
      expect(lease.mode == Mode::shared, name + "waits for an upgrade but is not shared");
      expect(arrivals_.insert(extra.upgrade->arrival).second,
             name + "upgrade's arrival number used twice");
    }
    for_each_lock(state_, lease, [&](LockRef at) {
      const Lock& lock = state_.locks[at];
      expect(lock.name_bytes > 0 && lock.space == lease.space,
             name + "its resource does not exist");
      expect(!extra.upgrade || lock.upgrade == ref,
             name + "its resource does not know of its upgrade");
    });
  }

  void check_space(const std::string& name, SpaceRef ref) {
    const Space& space = state_.spaces[ref];
    const bool in_use = space.lock_count > 0 || space.lease_count > 0;
    expect(space.name == name && (in_use || state_.idle_space == ref),
           "namespace " + name + " is unused");
    std::uint64_t locks = 0;
    std::string before;
    const auto lock_name = [this](LockRef lock) { return name_of(state_, lock); };
    state_.names.visit(space.locks, "", "", lock_name, [&](LockRef lock) {
      const std::string here(name_of(state_, lock));
      expect(here > before, "resource " + here + " is out of order");
      before = here;
      ++locks;
      check_lock(lock);
      return true;
    });
    expect(locks == space.lock_count, "namespace " + name + " miscounts its resources");
    locks_ += locks;
    leases_ += space.lease_count;
  }

  void check_lock(LockRef ref) {
    const Lock& lock = state_.locks[ref];
    const std::string name = "resource " + std::string(name_of(state_, ref)) + ": ";
    std::uint64_t permits = 0;
    std::uint32_t holders = 0;
    std::uint64_t token = 0;
    bool exclusive = false;
    LeaseRef last = kNone;
    for (LeaseRef at = lock.first_holder; at != kNone; at = next_holder(state_, ref, at)) {
      const Lease& lease = state_.leases[at];
      expect(lease.phase == Phase::held, name + "a holder does not hold");
      expect(lease.token > token, name + "holders are not in order of token");
      expect((lease.mode == Mode::permit) == lock.permit_kind, name + "holders of two kinds");
      token = lease.token;
      permits += extra_of(state_, lease).permits.count;
      exclusive = exclusive || lease.mode == Mode::exclusive;
      last = at;
      ++holders;
    }
    seats_ += holders;
    expect(last == lock.last_holder && holders == lock.holders, name + "miscounts its holders");
    expect(!exclusive || holders == 1, name + "an exclusive holder is not alone (P1)");
    expect(exclusive == lock.exclusively_held, name + "does not know that it is exclusively held");
    expect(permits == lock.permits_held, name + "miscounts its permits");
    const Closures& closures = closures_of(state_, lock);
    expect(!lock.permit_kind || permits + closures.permits <= lock.permit_limit,
           name + "too many permits (P1)");
    expect(lock.holders > 0 || lock.queue != kNone || lock.closures != kNone, name + "is unused");
    expect(!lock.to_serve, name + "was not served");
    if (lock.closures != kNone) check_closures(lock, closures, name);
    if (lock.queue != kNone) check_queue(ref, name);
    if (lock.upgrade != kNone) {
      expect(extra_of(state_, state_.leases[lock.upgrade]).upgrade.has_value(),
             name + "a lost upgrade");
    }
  }

  void check_closures(const Lock& lock, const Closures& closures, const std::string& name) {
    digest_ += closures_digest(state_, closures);
    records_ += closures.records();
    expect(closures.records() > 0 && is_ahead(closures.due()), name + "closed by nothing");
    std::uint32_t sum = 0;
    for (const auto& [until, count] : closures.permits_until) sum += count;
    expect(sum == closures.permits, name + "miscounts its closed permits");
    expect(&state_.locks[closures.lock] == &lock, name + "has another resource's closures");
  }

  void check_queue(LockRef ref, const std::string& name) {
    const Queue& queue = state_.queues[state_.locks[ref].queue];
    expect(queue.size() > 0, name + "an empty queue is kept");
    for (const bool aside : {false, true}) {
      for (const auto& [arrival, at] : aside ? queue.passed_over : queue.active) {
        const Lease& lease = state_.leases[at];
        ++queued_;
        expect(lease.phase == Phase::waiting && lease.arrival == arrival,
               name + "a waiter does not wait");
        expect(extra_of(state_, lease).attachment.passed_over == aside,
               name + "a waiter in the wrong queue");
      }
    }
  }

  void check_ends() {
    Time before = Time::min();
    std::size_t count = 0;
    std::uint32_t last = kNone;
    for (std::uint32_t ref = state_.oldest_end; ref != kNone; ref = state_.ends[ref].next) {
      const End& end = state_.ends[ref];
      expect(end.at >= before && end.at <= state_.now, "ends are not in order of time");
      before = end.at;
      digest_ += end_digest(end);
      last = ref;
      ++count;
    }
    records_ += count;
    expect(last == state_.newest_end && count == state_.ends.used() &&
               count == state_.end_index.size(),
           "miscounted ends");
  }

  void check_audit() {
    std::uint64_t before = 0;
    for (const AuditRecord& record : state_.audit) {
      expect(static_cast<std::uint64_t>(record.id) > before, "audit ids do not grow");
      before = static_cast<std::uint64_t>(record.id);
      digest_ += audit_digest(record);
    }
    expect(before <= state_.last_audit, "an audit id from the future");
  }

  void check_due() {
    for (std::size_t i = 0; i < state_.due.size(); ++i) {
      const auto& [at, item] = state_.due[i];
      expect(at > state_.now, "something due was left");
      const std::uint32_t position = item.is_closures ? state_.closures[item.ref].due_position
                                                      : state_.leases[item.ref].due_position;
      expect(position == i, "a due item does not know its place");
      if (item.is_closures)
        expect(at == state_.closures[item.ref].due(), "closures due at another time");
      expect(i == 0 || at >= state_.due[(i - 1) / 4].due, "what is due is out of order");
    }
  }

  void check_totals() {
    expect(held_ == state_.held && waiting_ == state_.waiting, "miscounted leases");
    expect(held_ + waiting_ == leases_ && leases_ == state_.leases.used(),
           "leases lost to their namespaces");
    expect(locks_ == state_.locks.used(), "a resource that its namespace does not know");
    expect(state_.lease_index.size() == leases_, "miscounted lease ids");
    expect(records_ == state_.records, "miscounted records");
    expect(digest_ == state_.digest, "the digest is not that of the state");
    std::uint64_t seats_held = 0;
    std::uint64_t seats_waiting = 0;
    for (LeaseRef ref = 0; ref < state_.leases.end(); ++ref) {
      const Lease& lease = state_.leases[ref];
      if (lease.phase == Phase::held) seats_held += seat_count(state_, lease);
      if (lease.phase == Phase::waiting) seats_waiting += seat_count(state_, lease);
    }
    expect(seats_held == seats_ && seats_waiting == queued_,
           "a lease is missing at one of its resources");
  }

  const State& state_;
  std::optional<std::string> broken_;
  std::set<std::uint64_t> tokens_;
  std::set<Arrival> arrivals_;
  std::uint64_t digest_ = 0, records_ = 0, held_ = 0, waiting_ = 0, seats_ = 0, queued_ = 0,
                locks_ = 0, leases_ = 0;
};

}  // namespace

std::optional<std::string> check(const State& state) { return Checker(state).run(); }

}  // namespace pawl::core
