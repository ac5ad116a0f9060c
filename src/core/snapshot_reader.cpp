// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/snapshot.h"
#include "core/tables.h"

namespace pawl::core {
namespace {

AttachmentRecord record_of(const Attachment& attachment) {
  return {attachment.detached_at, attachment.passed_over};
}

LeaseRecord record_of(const State& state, const Lease& lease) {
  const Extra& extra = extra_of(state, lease);
  LeaseInfo known = info(state, lease);
  LeaseRecord record;
  record.space = std::move(known.space);
  record.id = std::move(known.id);
  record.terms = std::move(known.terms);
  record.metadata = std::move(known.metadata);
  record.arrival = lease.arrival;
  record.ticket = lease.ticket;
  record.attachment = record_of(extra.attachment);
  record.held = lease.phase == Phase::held;
  record.since = lease.since;
  if (!record.held) return record;
  record.mode = lease.mode;
  record.token = FencingToken{lease.token};
  record.renewed_at = lease.renewed_at;
  record.deadline = lease.deadline;
  record.confirmed = lease.confirmed;
  record.doomed = extra.doomed;
  record.upgrade_attempt = extra.upgrade_attempt;
  if (extra.upgrade) {
    record.upgrade = UpgradeRecord{extra.upgrade->arrival, extra.upgrade->ticket,
                                   extra.upgrade->since, record_of(extra.upgrade->attachment)};
  }
  return record;
}

ClosureRecord record_of(const State& state, LockRef ref) {
  const Lock& lock = state.locks[ref];
  const Closures& closures = closures_of(state, lock);
  return {Namespace(state.spaces[lock.space].name),
          ResourceName(name_of(state, ref)),
          lock.permit_limit,
          closures.all_until,
          closures.exclusive_until,
          {closures.permits_until.begin(), closures.permits_until.end()}};
}

}  // namespace

SnapshotReader::SnapshotReader(const State& state) : state_(state), end_(state.oldest_end) {
  leases_.reserve(state.leases.used());
  for (LeaseRef ref = 0; ref < state.leases.end(); ++ref) {
    if (state.leases[ref].phase != Phase::none) leases_.push_back(ref);
  }
  std::sort(leases_.begin(), leases_.end(), [&](LeaseRef a, LeaseRef b) {
    const Lease& x = state.leases[a];
    const Lease& y = state.leases[b];
    if (x.phase != y.phase) return x.phase == Phase::held;
    return x.phase == Phase::held ? x.token < y.token : x.arrival < y.arrival;
  });
  const auto lock_name = [&](LockRef lock) { return name_of(state, lock); };
  if (state.closures.used() == 0) return;
  for (const auto& [name, space] : state.space_by_name) {
    state.names.visit(state.spaces[space].locks, "", "", lock_name, [&](LockRef lock) {
      if (state.locks[lock].closures != kNone) closed_.push_back(lock);
      return true;
    });
  }
}

std::optional<SnapshotRecord> SnapshotReader::next() {
  if (!head_read_) {
    head_read_ = true;
    return HeadRecord{state_.now,     state_.last_token,   state_.last_arrival, state_.last_audit,
                      state_.horizon, state_.rule_version, state_.limits,       leases_.size(),
                      closed_.size(), state_.ends.used(),  state_.audit.size(), state_hash(state_)};
  }
  if (lease_ < leases_.size()) return record_of(state_, state_.leases[leases_[lease_++]]);
  if (closure_ < closed_.size()) return record_of(state_, closed_[closure_++]);
  if (end_ != kNone) {
    const End& end = state_.ends[end_];
    end_ = end.next;
    return EndRecord{end.id, FencingToken{end.token}, end.cause, end.at, end.audit};
  }
  if (audit_ < state_.audit.size()) return state_.audit[audit_++];
  return {};
}

}  // namespace pawl::core
