// SPDX-License-Identifier: Apache-2.0
// A snapshot may come from a damaged disk or another node: each record is checked against what is
// there already before it changes anything, and the whole against the hash in its head.
#include <algorithm>

#include "core/digest.h"
#include "core/snapshot.h"
#include "core/tables.h"
#include "core/validate.h"

namespace pawl::core {
namespace {

using Reason = std::optional<std::string>;

constexpr std::uint64_t kMaxCount = std::uint64_t{1}
                                    << 62;  // counters that start at zero never get there

Acquire as_request(const LeaseRecord& record) {
  Acquire request;
  request.space = record.space;
  request.id = record.id;
  request.terms = record.terms;
  request.metadata = record.metadata;
  request.ticket = record.ticket;
  return request;
}

bool is_past(Time time, Time now) { return time >= Time{} && time <= now; }

Attachment attachment_of(const AttachmentRecord& record) {
  return {record.detached_at, record.passed_over};
}

// In the past, and not so long ago that something would have been done about it.
bool is_sound(const AttachmentRecord& attachment, Time now) {
  if (attachment.detached_at == kNever) return !attachment.passed_over;
  return is_past(attachment.detached_at, now) && attachment_of(attachment).due() > now;
}

// A held lease waits for its holder to take it up for longer than a waiter keeps its turn.
bool is_sound_held(const LeaseRecord& record, Time now) {
  if (record.attachment.detached_at == kNever) return true;
  return is_past(record.attachment.detached_at, now) && !record.confirmed &&
         after(record.attachment.detached_at, kGiveUp) > now;
}

// Whether a holder can stand with those already there.
Reason check_holder(const State& state, const LeaseRecord& record) {
  for (const ResourceName& name : record.terms.resources) {
    const LockRef at = find_lock(state, record.space, name);
    if (at == kNone) continue;
    const Lock& lock = state.locks[at];
    const std::uint64_t permits = std::uint64_t{lock.permits_held} + record.terms.permits.count;
    const bool fits = record.mode == Mode::exclusive ? lock.holders == 0
                      : record.mode == Mode::shared  ? !lock.exclusively_held
                                                     : permits <= lock.permit_limit;
    if (!fits)
      return "lease " + record.id.str() + " can't hold '" + name.str() + "' beside the others";
    if (record.upgrade && lock.upgrade != kNone) return "two upgrades wait on '" + name.str() + "'";
  }
  return {};
}

Reason check_kind(const State& state, const Namespace& space, const ResourceName& name,
                  std::uint32_t limit) {
  const LockRef at = find_lock(state, space, name);
  if (at == kNone || state.locks[at].permit_limit == limit) return {};
  return "'" + name.str() + "' has two kinds or limits";
}

Reason check_lease(const LeaseRecord& record, const HeadRecord& head) {
  const std::string name = "lease " + record.id.str() + ": ";
  if (auto invalid = validate({head.now, as_request(record)}, widest_limits())) {
    return name + invalid->field + ' ' + invalid->why;
  }
  if (record.arrival == 0 || record.arrival > head.last_arrival)
    return name + "arrival out of range";
  if (!is_past(record.since, head.now)) return name + "times in the future";
  if (record.held ? !is_sound_held(record, head.now) : !is_sound(record.attachment, head.now))
    return name + "detached out of range";
  if (!record.held) {
    const LeaseRecord plain;
    const bool as_if_held = record.token != kNoToken || record.confirmed || record.upgrade ||
                            record.doomed != kNoAudit || record.upgrade_attempt != 0 ||
                            record.deadline != plain.deadline ||
                            record.renewed_at != plain.renewed_at;
    if (as_if_held) return name + "waits, but stands as if held";
    return {};
  }
  const bool permit = record.terms.mode == Mode::permit;
  if (permit != (record.mode == Mode::permit))
    return name + "its mode does not fit what it asked for";
  if (record.attachment.passed_over) return name + "is held and passed over";
  if (record.token == kNoToken || static_cast<std::uint64_t>(record.token) > head.last_token) {
    return name + "token out of range";
  }
  if (record.renewed_at < record.since || record.renewed_at > head.now ||
      record.deadline <= head.now) {
    return name + "times out of order";
  }
  if (record.terms.max_hold > Duration::zero() &&
      record.deadline > after(record.since, record.terms.max_hold)) {
    return name + "goes on past its max hold";
  }
  if (static_cast<std::uint64_t>(record.doomed) > head.last_audit)
    return name + "an audit id from the future";
  if (!record.upgrade) return {};
  if (record.mode != Mode::shared) return name + "an upgrade of what is not shared";
  const UpgradeRecord& upgrade = *record.upgrade;
  if (upgrade.arrival == 0 || upgrade.arrival > head.last_arrival || upgrade.ticket.attempt == 0 ||
      !is_past(upgrade.since, head.now) || !is_sound(upgrade.attachment, head.now)) {
    return name + "its upgrade is out of range";
  }
  return {};
}

}  // namespace

Restorer::Restorer(std::uint64_t index_seed) : state_(std::make_unique<State>(index_seed)) {}
Restorer::~Restorer() = default;

Reason Restorer::add(const SnapshotRecord& record) {
  if (!head_ && !std::holds_alternative<HeadRecord>(record)) return "the head is missing";
  return std::visit([this](const auto& one) { return add(one); }, record);
}

Reason Restorer::add(const HeadRecord& record) {
  if (head_) return "a second head";
  if (record.now < Time{}) return "time before the beginning";
  if (record.rule_version != kRuleVersion) {
    return "rule version " + std::to_string(record.rule_version) + " is not known to this build";
  }
  if (record.last_token > kMaxToken) return "last token out of range";
  if (record.last_arrival > kMaxCount) return "last arrival out of range";
  if (record.last_audit > kMaxCount) return "last audit id out of range";
  if (record.horizon > record.now) return "horizon in the future";
  if (auto invalid = validate(record.limits)) return "limit " + invalid->field + ' ' + invalid->why;
  head_ = record;
  state_->limits = record.limits;
  state_->rule_version = record.rule_version;
  state_->last_audit = record.last_audit;
  state_->horizon = record.horizon;
  state_->now = record.now;
  return {};
}

Reason Restorer::add(const LeaseRecord& record) {
  if (closures_ + ends_ + audits_ > 0) return "a lease out of order";
  if (Reason reason = check_lease(record, *head_)) return reason;
  State& state = *state_;
  if (find_lease(state, record.space, record.id) != kNone)
    return "lease " + record.id.str() + " comes twice";
  for (const ResourceName& name : record.terms.resources) {
    if (Reason reason = check_kind(state, record.space, name, record.terms.permits.limit))
      return reason;
  }
  if (record.held) {
    if (waiting_seen_) return "a held lease after a waiting one";
    if (static_cast<std::uint64_t>(record.token) <= last_token_) return "tokens out of order";
    last_token_ = static_cast<std::uint64_t>(record.token);
    if (Reason reason = check_holder(state, record)) return reason;
  } else {
    waiting_seen_ = true;
    if (record.arrival <= last_waiting_) return "waiters out of order";
    last_waiting_ = record.arrival;
  }

  arrivals_.push_back(record.arrival);
  if (record.upgrade) arrivals_.push_back(record.upgrade->arrival);
  state.last_arrival = record.arrival - 1;  // add_lease takes the next
  const LeaseRef ref = add_lease(state, as_request(record));
  Lease& lease = state.leases[ref];
  {
    const Standing standing(state, lease);
    lease.since = record.since;
    lease.phase = record.held ? Phase::held : Phase::waiting;
    if (record.held) {
      lease.mode = record.mode;
      lease.token = static_cast<std::uint64_t>(record.token);
      lease.renewed_at = record.renewed_at;
      lease.deadline = record.deadline;
      lease.confirmed = record.confirmed;
      if (record.doomed != kNoAudit) need_extra(state, lease).doomed = record.doomed;
      if (record.upgrade_attempt != 0)
        need_extra(state, lease).upgrade_attempt = record.upgrade_attempt;
      seat_holder(state, ref);
      if (record.upgrade) {
        start_upgrade(state, ref,
                      {record.upgrade->arrival, record.upgrade->ticket, record.upgrade->since,
                       attachment_of(record.upgrade->attachment)});
      }
    } else {
      enqueue(state, ref);
      if (record.attachment.passed_over) pass_over(state, ref);
    }
    if (record.attachment != AttachmentRecord{}) {
      need_extra(state, lease).attachment = attachment_of(record.attachment);
    }
  }
  set_due(state, ref);
  ++leases_;
  return {};
}

Reason Restorer::add(const ClosureRecord& record) {
  if (ends_ + audits_ > 0) return "a closure out of order";
  const std::string name = "'" + record.resource.str() + "': ";
  Acquire like;  // a request that would have left it
  like.space = record.space;
  like.id = LeaseId("closure-record");
  like.terms.owner = OwnerId("closure");
  like.terms.resources = {record.resource};
  like.terms.ttl = std::chrono::seconds(1);
  if (record.permit_limit > 0) {
    like.terms.mode = Mode::permit;
    like.terms.permits = {record.permit_limit, 1};
  }
  if (auto invalid = validate({head_->now, like}, widest_limits()))
    return name + invalid->field + ' ' + invalid->why;
  if (Reason reason = check_kind(*state_, record.space, record.resource, record.permit_limit))
    return reason;
  const bool permit = record.permit_limit > 0;
  const bool other_closed = record.all_until != Time{} || record.exclusive_until != Time{};
  if (permit ? other_closed || record.permits_until.empty()
             : !other_closed || !record.permits_until.empty()) {
    return name + "closed in a way that does not fit it";
  }
  const LockRef at = need_lock(*state_, like.space, record.resource, like.terms);
  if (state_->locks[at].closures != kNone) return name + "is closed twice";
  std::uint64_t permits = state_->locks[at].permits_held;
  Time before = head_->now;
  for (const auto& [until, count] : record.permits_until) {
    if (until <= before || count == 0) return name + "closures out of order";
    before = until;
    permits += count;
  }
  if (permit && permits > record.permit_limit) return name + "more permits closed than there are";
  for (const Time until : {record.all_until, record.exclusive_until}) {
    if (until != Time{} && until <= head_->now) return name + "closed until the past";
  }
  if (record.all_until != Time{}) close(*state_, at, Mode::exclusive, 0, record.all_until);
  if (record.exclusive_until != Time{}) close(*state_, at, Mode::shared, 0, record.exclusive_until);
  for (const auto& [until, count] : record.permits_until)
    close(*state_, at, Mode::permit, count, until);
  ++closures_;
  return {};
}

Reason Restorer::add(const EndRecord& record) {
  if (audits_ > 0) return "an end out of order";
  const Time before = ends_ == 0 ? Time{} : state_->ends[state_->newest_end].at;
  if (record.at < before || record.at > head_->now) return "ends out of order";
  if (static_cast<std::uint64_t>(record.token) > head_->last_token)
    return "an end's token out of range";
  state_->now = record.at;
  remember_end(*state_, record.id, static_cast<std::uint64_t>(record.token), record.cause,
               record.audit);
  state_->now = head_->now;
  ++ends_;
  return {};
}

Reason Restorer::add(const AuditRecord& record) {
  const AuditId before = audits_ == 0 ? kNoAudit : state_->audit.back().id;
  if (record.id <= before || static_cast<std::uint64_t>(record.id) > head_->last_audit) {
    return "audit records out of order";
  }
  if (audits_ >= widest_limits().max_audit) return "more audit records than the trail holds";
  state_->digest +=
      audit_digest(record);  // a lowered max_audit drops nothing before the next record
  state_->audit.push_back(record);
  ++audits_;
  return {};
}

std::variant<std::unique_ptr<State>, std::string> Restorer::finish() {
  if (!head_) return "the head is missing";
  if (leases_ != head_->leases || closures_ != head_->closures || ends_ != head_->ends ||
      audits_ != head_->audits) {
    return "records are missing";
  }
  std::sort(arrivals_.begin(), arrivals_.end());
  if (std::adjacent_find(arrivals_.begin(), arrivals_.end()) != arrivals_.end())
    return "an arrival number is used twice";
  state_->last_token = head_->last_token;
  state_->last_arrival = head_->last_arrival;
  if (state_hash(*state_) != head_->hash) return "the state's hash is not the one in the head";
  return std::move(state_);
}

}  // namespace pawl::core
