// SPDX-License-Identifier: Apache-2.0
#include "codec/record_messages.h"

#include <algorithm>

#include "codec/pawl.pb.h"
#include "codec/rows.h"
#include "codec/shared_messages.h"

namespace pawl::codec {
namespace {

using core::AuditId;
using core::FencingToken;
using core::Namespace;
using core::ResourceName;

std::uint64_t number(FencingToken token) { return static_cast<std::uint64_t>(token); }
std::uint64_t number(AuditId id) { return static_cast<std::uint64_t>(id); }

template <class Message>
void check_known(const Message& message, Trouble& trouble) {
  trouble.note_if(has_unknown_field(message), "has an unknown field");
}

template <class Message>
Namespace take_space(Message& from, Trouble& trouble) {
  return take_name<Namespace>({from.has_space(), from.mutable_space()}, "namespace is missing",
                              trouble);
}

template <class Message>
ResourceName take_resource(Message& from, Trouble& trouble) {
  return take_name<ResourceName>({from.has_resource(), from.mutable_resource()},
                                 "resource is missing", trouble);
}

// What a waiting lease and a waiting upgrade have in common.
template <class Record, class Message>
void write_wait(const Record& from, Message& to) {
  to.set_arrival(from.arrival);
  to.set_attempt(from.ticket.attempt);
  to.set_door(from.ticket.door);
  to.set_since_us(us(from.since));
  if (from.attachment.detached_at != core::kNever)
    to.set_detached_us(us(from.attachment.detached_at));
  to.set_passed_over(from.attachment.passed_over);
}

template <class Record, class Message>
void read_wait(const Message& from, Record& to, Trouble& trouble) {
  to.arrival = from.arrival();
  to.ticket = read_ticket(from.attempt(), from.door(), trouble);
  to.since = read_time(from.since_us(), "since is negative", trouble);
  to.attachment.detached_at = read_time_or_never(from.has_detached_us(), from.detached_us(),
                                                 "detached time is out of range", trouble);
  to.attachment.passed_over = from.passed_over();
}

void write_held(const core::LeaseRecord& from, v1::Held& to) {
  to.set_mode(to_message(from.mode));
  to.set_token(number(from.token));
  to.set_renewed_us(us(from.renewed_at));
  if (from.deadline != core::kNever) to.set_deadline_us(us(from.deadline));
  to.set_confirmed(from.confirmed);
  to.set_doomed(number(from.doomed));
  to.set_upgrade_attempt(from.upgrade_attempt);
  if (from.upgrade) write_wait(*from.upgrade, *to.mutable_upgrade());
}

void read_held(const v1::Held& from, core::LeaseRecord& to, Trouble& trouble) {
  check_known(from, trouble);
  to.held = true;
  to.mode = read(from.mode(), trouble);
  to.token = FencingToken{from.token()};
  to.renewed_at = read_time(from.renewed_us(), "renewal time is negative", trouble);
  to.deadline = read_time_or_never(from.has_deadline_us(), from.deadline_us(),
                                   "deadline is out of range", trouble);
  to.confirmed = from.confirmed();
  to.doomed = AuditId{from.doomed()};
  to.upgrade_attempt = read_32(from.upgrade_attempt(), "upgrade attempt is too large", trouble);
  if (!from.has_upgrade()) return;
  check_known(from.upgrade(), trouble);
  read_wait(from.upgrade(), to.upgrade.emplace(), trouble);
}

void write(const core::Holder& from, v1::Holder& to) {
  to.set_id(from.id.str());
  to.set_owner(from.owner.str());
  to.set_mode(to_message(from.mode));
  to.set_permits(from.permits);
  to.set_token(number(from.token));
  to.set_granted_us(us(from.granted_at));
  if (from.deadline != core::kNever) to.set_deadline_us(us(from.deadline));
}

core::Holder read(v1::Holder& from, Trouble& trouble) {
  core::Holder to;
  trouble.note_if(has_unknown_field(from), "a holder has an unknown field");
  to.id = take_name<core::LeaseId>({from.has_id(), from.mutable_id()}, "a holder's id is missing",
                                   trouble);
  to.owner = take_name<core::OwnerId>({from.has_owner(), from.mutable_owner()},
                                      "a holder's owner is missing", trouble);
  to.mode = codec::read(from.mode(), trouble);
  to.permits = read_32(from.permits(), "a holder's permits are too many", trouble);
  to.token = FencingToken{from.token()};
  to.granted_at = read_time(from.granted_us(), "a holder's grant time is negative", trouble);
  to.deadline = read_time_or_never(from.has_deadline_us(), from.deadline_us(),
                                   "a holder's deadline is out of range", trouble);
  return to;
}

v1::EndCause to_message(core::EndCause cause) {
  switch (cause) {
    case core::EndCause::released:
      return v1::END_CAUSE_RELEASED;
    case core::EndCause::expired:
      return v1::END_CAUSE_EXPIRED;
    case core::EndCause::max_hold_reached:
      return v1::END_CAUSE_MAX_HOLD_REACHED;
    case core::EndCause::force_released:
      return v1::END_CAUSE_FORCE_RELEASED;
    case core::EndCause::abandoned:
      return v1::END_CAUSE_ABANDONED;
    case core::EndCause::timed_out:
      return v1::END_CAUSE_TIMED_OUT;
    case core::EndCause::busy:
      return v1::END_CAUSE_BUSY;
    case core::EndCause::refused:
      return v1::END_CAUSE_REFUSED;
    case core::EndCause::never_acquired:
      return v1::END_CAUSE_NEVER_ACQUIRED;
  }
  PAWL_ASSERT(false && "a cause");
  return v1::END_CAUSE_MISSING;
}

core::EndCause read(v1::EndCause cause, Trouble& trouble) {
  switch (cause) {
    case v1::END_CAUSE_RELEASED:
      return core::EndCause::released;
    case v1::END_CAUSE_EXPIRED:
      return core::EndCause::expired;
    case v1::END_CAUSE_MAX_HOLD_REACHED:
      return core::EndCause::max_hold_reached;
    case v1::END_CAUSE_FORCE_RELEASED:
      return core::EndCause::force_released;
    case v1::END_CAUSE_ABANDONED:
      return core::EndCause::abandoned;
    case v1::END_CAUSE_TIMED_OUT:
      return core::EndCause::timed_out;
    case v1::END_CAUSE_BUSY:
      return core::EndCause::busy;
    case v1::END_CAUSE_REFUSED:
      return core::EndCause::refused;
    case v1::END_CAUSE_NEVER_ACQUIRED:
      return core::EndCause::never_acquired;
    case v1::END_CAUSE_MISSING:
      trouble.note("cause is missing");
      break;
    default:
      trouble.note("cause is not known");
      break;
  }
  return {};
}

}  // namespace

void write(const core::HeadRecord& from, v1::Head& to) {
  to.set_now_us(us(from.now));
  to.set_last_token(from.last_token);
  to.set_last_arrival(from.last_arrival);
  to.set_last_audit(from.last_audit);
  to.set_horizon_us(from.horizon.time_since_epoch().count());
  to.set_rule_version(from.rule_version);
  write(from.limits, *to.mutable_limits());
  to.set_leases(from.leases);
  to.set_closures(from.closures);
  to.set_ends(from.ends);
  to.set_audits(from.audits);
}

core::HeadRecord read(v1::Head& from, Trouble& trouble) {
  core::HeadRecord to;
  check_known(from, trouble);
  to.now = read_time(from.now_us(), "now is negative", trouble);
  to.last_token = from.last_token();
  to.last_arrival = from.last_arrival();
  to.last_audit = from.last_audit();
  trouble.note_if(!from.has_horizon_us(), "horizon is missing");
  to.horizon = core::Time(core::Duration(from.horizon_us()));
  to.rule_version = read_32(from.rule_version(), "rule version is too large", trouble);
  trouble.note_if(!from.has_limits(), "limits are missing");
  to.limits = read(from.limits(), trouble);
  to.leases = from.leases();
  to.closures = from.closures();
  to.ends = from.ends();
  to.audits = from.audits();
  return to;
}

void write(const core::LeaseRecord& from, v1::Lease& to) {
  to.set_space(from.space.str());
  to.set_id(from.id.str());
  write(from.terms, *to.mutable_terms());
  write(from.metadata, *to.mutable_metadata());
  write_wait(from, to);
  if (from.held) write_held(from, *to.mutable_held());
}

core::LeaseRecord read(v1::Lease& from, Trouble& trouble) {
  core::LeaseRecord to;
  check_known(from, trouble);
  to.space = take_space(from, trouble);
  to.id =
      take_name<core::LeaseId>({from.has_id(), from.mutable_id()}, "lease id is missing", trouble);
  trouble.note_if(!from.has_terms(), "terms are missing");
  to.terms = read(*from.mutable_terms(), trouble);
  to.metadata = read(*from.mutable_metadata(), trouble);
  read_wait(from, to, trouble);
  if (from.has_held()) read_held(from.held(), to, trouble);
  return to;
}

std::size_t write(const core::ClosureRecord& from, std::size_t begin, v1::Closure& to) {
  to.set_space(from.space.str());
  to.set_resource(from.resource.str());
  to.set_permit_limit(from.permit_limit);
  to.set_all_until_us(us(from.all_until));
  to.set_exclusive_until_us(us(from.exclusive_until));
  const std::size_t end = std::min(from.permits_until.size(), begin + kMaxClosedTimes);
  for (std::size_t i = begin; i < end; ++i) {
    to.add_permits_until_us(us(from.permits_until[i].first));
    to.add_permits(from.permits_until[i].second);
  }
  to.set_more(end < from.permits_until.size());
  return end;
}

core::ClosureRecord read(v1::Closure& from, Trouble& trouble) {
  core::ClosureRecord to;
  check_known(from, trouble);
  to.space = take_space(from, trouble);
  to.resource = take_resource(from, trouble);
  to.permit_limit = read_32(from.permit_limit(), "permit limit is too large", trouble);
  to.all_until = read_time(from.all_until_us(), "closed until a negative time", trouble);
  to.exclusive_until =
      read_time(from.exclusive_until_us(), "closed until a negative time", trouble);
  const int times = from.permits_until_us_size();
  if (times != from.permits_size()) {
    trouble.note("times and permits are not as many");
    return to;
  }
  to.permits_until.reserve(static_cast<std::size_t>(times));
  for (int i = 0; i < times; ++i) {
    to.permits_until.emplace_back(
        read_time(from.permits_until_us(i), "closed until a negative time", trouble),
        read_32(from.permits(i), "closed permits are too many", trouble));
  }
  return to;
}

void write(const core::EndRecord& from, v1::End& to) {
  to.set_id_low(from.id.low);
  to.set_id_high(from.id.high);
  to.set_token(number(from.token));
  to.set_cause(to_message(from.cause));
  to.set_at_us(us(from.at));
  to.set_audit(number(from.audit));
}

core::EndRecord read(v1::End& from, Trouble& trouble) {
  core::EndRecord to;
  check_known(from, trouble);
  to.id = {from.id_low(), from.id_high()};
  to.token = FencingToken{from.token()};
  to.cause = read(from.cause(), trouble);
  to.at = read_time(from.at_us(), "time is negative", trouble);
  to.audit = AuditId{from.audit()};
  return to;
}

void write(const core::AuditRecord& from, v1::Audit& to) {
  to.set_id(number(from.id));
  to.set_space(from.space.str());
  to.set_resource(from.resource.str());
  to.set_actor(from.actor.str());
  to.set_reason(from.reason);
  to.set_when(to_message(from.when));
  for (const core::Holder& holder : from.holders) write(holder, *to.add_holders());
  to.set_holder_count(from.holder_count);
  to.set_at_us(us(from.at));
  to.set_wall_ms(from.wall_ms);
}

core::AuditRecord read(v1::Audit& from, Trouble& trouble) {
  core::AuditRecord to;
  check_known(from, trouble);
  to.id = AuditId{from.id()};
  to.space = take_space(from, trouble);
  to.resource = take_resource(from, trouble);
  to.actor = take_name<core::ActorId>({from.has_actor(), from.mutable_actor()}, "actor is missing",
                                      trouble);
  trouble.note_if(!from.has_reason(), "reason is missing");
  to.reason = std::move(*from.mutable_reason());
  to.when = read(from.when(), trouble);
  to.holders.reserve(static_cast<std::size_t>(from.holders_size()));
  for (v1::Holder& holder : *from.mutable_holders()) to.holders.push_back(read(holder, trouble));
  to.holder_count = read_32(from.holder_count(), "holders are too many", trouble);
  to.at = read_time(from.at_us(), "time is negative", trouble);
  to.wall_ms = from.wall_ms();
  return to;
}

}  // namespace pawl::codec
