// SPDX-License-Identifier: Apache-2.0
// The whole state as a row of small records, and back. A restored state has the same hash and the
// same future. SnapshotReader gives the records one at a time, so that nobody needs the whole as
// one piece; Restorer takes them in the same order and refuses, with a reason, what can't be a
// state. Records are plain values. The order is fixed (head, held leases by token, waiting ones by
// arrival, closures by name, ends and audit records by age), so equal states give equal snapshots.
// Not thread-safe; the state must not change while it is read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/state.h"

namespace pawl::core {

struct HeadRecord {
  Time now{};
  std::uint64_t last_token = 0;
  Arrival last_arrival = 0;
  std::uint64_t last_audit = 0;
  Time horizon = Time::min();
  std::uint32_t rule_version = kRuleVersion;
  Limits limits;
  std::uint64_t leases = 0;  // how many records of each kind follow
  std::uint64_t closures = 0;
  std::uint64_t ends = 0;
  std::uint64_t audits = 0;
  std::uint64_t hash = 0;  // state_hash()
  friend bool operator==(const HeadRecord&, const HeadRecord&) = default;
};

struct AttachmentRecord {
  Time detached_at = kNever;
  bool passed_over = false;
  friend bool operator==(const AttachmentRecord&, const AttachmentRecord&) = default;
};

struct UpgradeRecord {
  Arrival arrival = 0;
  Ticket ticket;
  Time since{};
  AttachmentRecord attachment;
  friend bool operator==(const UpgradeRecord&, const UpgradeRecord&) = default;
};

struct LeaseRecord {
  Namespace space;
  LeaseId id;
  Terms terms;
  Metadata metadata;
  Arrival arrival = 0;
  Ticket ticket;
  AttachmentRecord attachment;
  bool held = false;
  Time since{};
  // held only
  Mode mode = Mode::exclusive;
  FencingToken token{};
  Time renewed_at{};
  Time deadline = kNever;
  bool confirmed = false;
  AuditId doomed{};
  std::uint32_t upgrade_attempt = 0;
  std::optional<UpgradeRecord> upgrade;
  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

struct ClosureRecord {
  Namespace space;
  ResourceName resource;
  std::uint32_t permit_limit = 0;  // zero: not a permit resource
  Time all_until{};
  Time exclusive_until{};
  std::vector<std::pair<Time, std::uint32_t>> permits_until;
  friend bool operator==(const ClosureRecord&, const ClosureRecord&) = default;
};

struct EndRecord {
  Hash128 id;
  FencingToken token{};
  EndCause cause = EndCause::released;
  Time at{};
  AuditId audit{};
  friend bool operator==(const EndRecord&, const EndRecord&) = default;
};

using SnapshotRecord = std::variant<HeadRecord, LeaseRecord, ClosureRecord, EndRecord, AuditRecord>;

class SnapshotReader {
 public:
  explicit SnapshotReader(const State& state);
  std::optional<SnapshotRecord> next();  // nothing: that was all

 private:
  const State& state_;
  std::vector<LeaseRef> leases_;
  std::vector<LockRef> closed_;
  bool head_read_ = false;
  std::size_t lease_ = 0;
  std::size_t closure_ = 0;
  std::uint32_t end_ = kNone;
  std::size_t audit_ = 0;
};

class Restorer {
 public:
  explicit Restorer(std::uint64_t index_seed = 0);
  ~Restorer();

  // Nothing, or why this record can't be part of a state; after that the restorer is of no more
  // use.
  [[nodiscard]] std::optional<std::string> add(const SnapshotRecord& record);
  // The state, or why what was added is not one.
  [[nodiscard]] std::variant<std::unique_ptr<State>, std::string> finish();

 private:
  std::optional<std::string> add(const HeadRecord& record);
  std::optional<std::string> add(const LeaseRecord& record);
  std::optional<std::string> add(const ClosureRecord& record);
  std::optional<std::string> add(const EndRecord& record);
  std::optional<std::string> add(const AuditRecord& record);

  std::unique_ptr<State> state_;
  std::optional<HeadRecord> head_;
  std::uint64_t leases_ = 0, closures_ = 0, ends_ = 0, audits_ = 0;
  std::uint64_t last_token_ = 0;
  std::vector<Arrival> arrivals_;
  Arrival last_waiting_ = 0;
  bool waiting_seen_ = false;
};

}  // namespace pawl::core
