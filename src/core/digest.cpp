// SPDX-License-Identifier: Apache-2.0
#include "core/digest.h"

#include "core/tables.h"

namespace pawl::core {
namespace {

// The kinds of items, so that two of different kinds never look alike.
enum Kind : std::uint64_t { kScalars = 1, kIdentity, kStanding, kUpgrade, kClosed, kEnd, kAudit };

std::uint64_t number(Time time) {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}
std::uint64_t number(Duration duration) { return static_cast<std::uint64_t>(duration.count()); }
std::uint64_t number(Ticket ticket) { return std::uint64_t{ticket.attempt} << 32 | ticket.door; }
std::uint64_t number(Permits permits) { return std::uint64_t{permits.limit} << 32 | permits.count; }

void add(Digest& digest, const Limits& limits) {
  digest.add(limits.max_resource_bytes).add(limits.max_owner_bytes).add(limits.max_reason_bytes);
  digest.add(limits.max_metadata_pairs).add(limits.max_metadata_bytes).add(limits.max_resources);
  digest.add(limits.max_permits).add(number(limits.min_ttl)).add(number(limits.max_ttl));
  digest.add(number(limits.max_wait)).add(number(limits.max_closed)).add(limits.max_waiters);
  digest.add(limits.max_leases)
      .add(limits.max_records)
      .add(limits.max_audit)
      .add(number(limits.retention));
}

}  // namespace

std::uint64_t identity_digest(const State& state, const Lease& lease) {
  const Extra& extra = extra_of(state, lease);
  Digest digest(kIdentity);
  digest.add(state.spaces[lease.space].digest).add(lease.arrival);
  digest.add(id_of(state, lease)).add(owner_of(state, lease));
  for_each_lock(state, lease, [&](LockRef lock) { digest.add(name_of(state, lock)); });
  digest.add(static_cast<std::uint64_t>(lease.asked_mode)).add(number(lease.ttl));
  if (lease.extra != kNone) {
    digest.add(number(extra.permits)).add(number(extra.max_hold));
    digest.add(number(extra.min_hold)).add(number(extra.lock_delay));
    for (const auto& [key, value] : extra.metadata) digest.add(key).add(value);
  } else {
    for (int i = 0; i < 4; ++i) digest.add(std::uint64_t{0});
  }
  return digest.value();
}

std::uint64_t standing_digest(const State& state, const Lease& lease) {
  Digest digest(kStanding);
  digest.add(lease.arrival).add(lease.token).add(number(lease.since));
  digest.add(number(lease.renewed_at)).add(number(lease.deadline)).add(number(lease.ticket));
  digest.add(static_cast<std::uint64_t>(lease.phase) << 8 |
             static_cast<std::uint64_t>(lease.mode) << 1 |
             static_cast<std::uint64_t>(lease.confirmed));
  std::uint64_t sum = digest.value();
  if (lease.extra == kNone) return sum;
  const Extra& extra = state.extras[lease.extra];
  if (extra.attachment.detached() || extra.doomed != kNoAudit || extra.upgrade_attempt != 0) {
    Digest more(kStanding);
    more.add(lease.arrival).add(number(extra.attachment.detached_at));
    more.add(static_cast<std::uint64_t>(extra.attachment.passed_over));
    more.add(static_cast<std::uint64_t>(extra.doomed)).add(extra.upgrade_attempt);
    sum += more.value();
  }
  if (extra.upgrade) {
    Digest more(kUpgrade);
    more.add(lease.arrival).add(extra.upgrade->arrival).add(number(extra.upgrade->ticket));
    more.add(number(extra.upgrade->since)).add(number(extra.upgrade->attachment.detached_at));
    more.add(static_cast<std::uint64_t>(extra.upgrade->attachment.passed_over));
    sum += more.value();
  }
  return sum;
}

std::uint64_t closures_digest(const State& state, const Closures& closures) {
  const Lock& lock = state.locks[closures.lock];
  Digest digest(kClosed);
  digest.add(state.spaces[lock.space].digest).add(name_of(state, closures.lock));
  digest.add(number(closures.all_until))
      .add(number(closures.exclusive_until))
      .add(lock.permit_limit);
  for (const auto& [until, permits] : closures.permits_until)
    digest.add(number(until)).add(permits);
  return digest.value();
}

std::uint64_t end_digest(const End& end) {
  Digest digest(kEnd);
  digest.add(end.id.low).add(end.id.high).add(end.token).add(number(end.at));
  digest.add(static_cast<std::uint64_t>(end.audit)).add(static_cast<std::uint64_t>(end.cause));
  return digest.value();
}

std::uint64_t audit_digest(const AuditRecord& record) {
  Digest digest(kAudit);
  digest.add(static_cast<std::uint64_t>(record.id))
      .add(record.space.view())
      .add(record.resource.view());
  digest.add(record.actor.view()).add(record.reason).add(static_cast<std::uint64_t>(record.when));
  for (const Holder& holder : record.holders) {
    digest.add(holder.id.view())
        .add(holder.owner.view())
        .add(static_cast<std::uint64_t>(holder.mode));
    digest.add(holder.permits).add(static_cast<std::uint64_t>(holder.token));
    digest.add(number(holder.granted_at)).add(number(holder.deadline));
  }
  digest.add(record.holder_count).add(number(record.at));
  digest.add(static_cast<std::uint64_t>(record.wall_ms));
  return digest.value();
}

std::uint64_t state_hash(const State& state) {
  Digest scalars(kScalars);
  scalars.add(number(state.now))
      .add(state.last_token)
      .add(state.last_arrival)
      .add(state.last_audit);
  scalars.add(number(state.horizon)).add(state.rule_version);
  add(scalars, state.limits);
  return scalars.value() + state.digest;
}

}  // namespace pawl::core
