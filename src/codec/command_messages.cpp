// SPDX-License-Identifier: Apache-2.0
#include "codec/command_messages.h"

#include "codec/pawl.pb.h"
#include "codec/rows.h"
#include "codec/shared_messages.h"
#include "core/assert.h"

namespace pawl::codec {
namespace {

using core::Namespace;

v1::WaitKind to_message(core::WaitKind kind) {
  switch (kind) {
    case core::WaitKind::acquire:
      return v1::WAIT_KIND_ACQUIRE;
    case core::WaitKind::upgrade:
      return v1::WAIT_KIND_UPGRADE;
  }
  PAWL_ASSERT(false && "a kind of wait");
  return v1::WAIT_KIND_MISSING;
}

core::WaitKind read(v1::WaitKind kind, Trouble& trouble) {
  switch (kind) {
    case v1::WAIT_KIND_ACQUIRE:
      return core::WaitKind::acquire;
    case v1::WAIT_KIND_UPGRADE:
      return core::WaitKind::upgrade;
    case v1::WAIT_KIND_MISSING:
      trouble.note("kind of wait is missing");
      break;
    default:
      trouble.note("kind of wait is not known");
      break;
  }
  return {};
}

v1::CancelReason to_message(core::CancelReason reason) {
  switch (reason) {
    case core::CancelReason::timeout:
      return v1::CANCEL_REASON_TIMEOUT;
    case core::CancelReason::gone:
      return v1::CANCEL_REASON_GONE;
  }
  PAWL_ASSERT(false && "a reason to cancel");
  return v1::CANCEL_REASON_MISSING;
}

core::CancelReason read(v1::CancelReason reason, Trouble& trouble) {
  switch (reason) {
    case v1::CANCEL_REASON_TIMEOUT:
      return core::CancelReason::timeout;
    case v1::CANCEL_REASON_GONE:
      return core::CancelReason::gone;
    case v1::CANCEL_REASON_MISSING:
      trouble.note("reason to cancel is missing");
      break;
    default:
      trouble.note("reason to cancel is not known");
      break;
  }
  return {};
}

// Namespace and lease id, which most commands begin with.
template <class Core, class Message>
void write_name(const Core& from, Message& to) {
  to.set_space(from.space.str());
  to.set_id(from.id.str());
}

template <class Core, class Message>
void read_name(Message& from, Core& to, Trouble& trouble) {
  trouble.note_if(has_unknown_field(from), "has an unknown field");
  to.space = take_name<Namespace>({from.has_space(), from.mutable_space()}, "namespace is missing",
                                  trouble);
  to.id =
      take_name<core::LeaseId>({from.has_id(), from.mutable_id()}, "lease id is missing", trouble);
}

template <class Message>
void write_ticket(core::Ticket ticket, Message& to) {
  to.set_attempt(ticket.attempt);
  to.set_door(ticket.door);
}

void write(const core::Acquire& from, v1::Command& command) {
  v1::Acquire& to = *command.mutable_acquire();
  write_name(from, to);
  codec::write(from.terms, *to.mutable_terms());
  to.set_wait_us(us(from.wait));
  codec::write(from.metadata, *to.mutable_metadata());
  write_ticket(from.ticket, to);
  to.set_submitted_once(from.submitted_once);
}

core::Acquire read(v1::Acquire& from, Trouble& trouble) {
  core::Acquire to;
  read_name(from, to, trouble);
  trouble.note_if(!from.has_terms(), "terms are missing");
  to.terms = codec::read(*from.mutable_terms(), trouble);
  to.wait = read_duration(from.wait_us(), "wait is negative", trouble);
  to.metadata = codec::read(*from.mutable_metadata(), trouble);
  to.ticket = read_ticket(from.attempt(), from.door(), trouble);
  to.submitted_once = from.submitted_once();
  return to;
}

void write(const core::Renew& from, v1::Command& command) {
  v1::Renew& to = *command.mutable_renew();
  write_name(from, to);
  to.set_ttl_us(us(from.ttl));
}

core::Renew read(v1::Renew& from, Trouble& trouble) {
  core::Renew to;
  read_name(from, to, trouble);
  to.ttl = read_duration(from.ttl_us(), "ttl is negative", trouble);
  return to;
}

void write(const core::Release& from, v1::Command& command) {
  write_name(from, *command.mutable_release());
}

core::Release read(v1::Release& from, Trouble& trouble) {
  core::Release to;
  read_name(from, to, trouble);
  return to;
}

void write(const core::Upgrade& from, v1::Command& command) {
  v1::Upgrade& to = *command.mutable_upgrade();
  write_name(from, to);
  to.set_known(static_cast<std::uint64_t>(from.known));
  to.set_wait_us(us(from.wait));
  write_ticket(from.ticket, to);
}

core::Upgrade read(v1::Upgrade& from, Trouble& trouble) {
  core::Upgrade to;
  read_name(from, to, trouble);
  to.known = core::FencingToken{from.known()};
  to.wait = read_duration(from.wait_us(), "wait is negative", trouble);
  to.ticket = read_ticket(from.attempt(), from.door(), trouble);
  return to;
}

void write(const core::Downgrade& from, v1::Command& command) {
  v1::Downgrade& to = *command.mutable_downgrade();
  write_name(from, to);
  to.set_known(static_cast<std::uint64_t>(from.known));
}

core::Downgrade read(v1::Downgrade& from, Trouble& trouble) {
  core::Downgrade to;
  read_name(from, to, trouble);
  to.known = core::FencingToken{from.known()};
  return to;
}

void write(const core::CancelWait& from, v1::Command& command) {
  v1::CancelWait& to = *command.mutable_cancel_wait();
  write_name(from, to);
  write_ticket(from.ticket, to);
  to.set_kind(to_message(from.kind));
  to.set_reason(to_message(from.reason));
}

core::CancelWait read(v1::CancelWait& from, Trouble& trouble) {
  core::CancelWait to;
  read_name(from, to, trouble);
  to.ticket = read_ticket(from.attempt(), from.door(), trouble);
  to.kind = read(from.kind(), trouble);
  to.reason = read(from.reason(), trouble);
  return to;
}

void write(const core::ForceRelease& from, v1::Command& command) {
  v1::ForceRelease& to = *command.mutable_force_release();
  to.set_space(from.space.str());
  to.set_resource(from.resource.str());
  to.set_actor(from.actor.str());
  to.set_reason(from.reason);
  if (from.only_lease) to.set_only_lease(from.only_lease->str());
  if (from.only_token) to.set_only_token(static_cast<std::uint64_t>(*from.only_token));
  to.set_when(codec::to_message(from.when));
  to.set_wall_ms(from.wall_ms);
}

core::ForceRelease read(v1::ForceRelease& from, Trouble& trouble) {
  core::ForceRelease to;
  trouble.note_if(has_unknown_field(from), "has an unknown field");
  to.space = take_name<Namespace>({from.has_space(), from.mutable_space()}, "namespace is missing",
                                  trouble);
  to.resource = take_name<core::ResourceName>({from.has_resource(), from.mutable_resource()},
                                              "resource is missing", trouble);
  to.actor = take_name<core::ActorId>({from.has_actor(), from.mutable_actor()}, "actor is missing",
                                      trouble);
  trouble.note_if(!from.has_reason(), "reason is missing");
  to.reason = std::move(*from.mutable_reason());
  if (from.has_only_lease()) to.only_lease = core::LeaseId(std::move(*from.mutable_only_lease()));
  if (from.has_only_token()) to.only_token = core::FencingToken{from.only_token()};
  to.when = codec::read(from.when(), trouble);
  to.wall_ms = from.wall_ms();
  return to;
}

void write(const core::Advance&, v1::Command& command) { command.mutable_advance(); }

core::Advance read(v1::Advance& from, Trouble& trouble) {
  trouble.note_if(has_unknown_field(from), "has an unknown field");
  return {};
}

void write(const core::Takeover&, v1::Command& command) { command.mutable_takeover(); }

core::Takeover read(v1::Takeover& from, Trouble& trouble) {
  trouble.note_if(has_unknown_field(from), "has an unknown field");
  return {};
}

void write(const core::SetLimits& from, v1::Command& command) {
  v1::SetLimits& to = *command.mutable_set_limits();
  codec::write(from.limits, *to.mutable_limits());
  to.set_rule_version(from.rule_version);
}

core::SetLimits read(v1::SetLimits& from, Trouble& trouble) {
  core::SetLimits to;
  trouble.note_if(has_unknown_field(from), "has an unknown field");
  trouble.note_if(!from.has_limits(), "limits are missing");
  to.limits = codec::read(from.limits(), trouble);
  to.rule_version = read_32(from.rule_version(), "rule version is too large", trouble);
  return to;
}

core::CommandBody read_body(v1::Command& from, Trouble& trouble) {
  switch (from.body_case()) {
    case v1::Command::kAcquire:
      return read(*from.mutable_acquire(), trouble);
    case v1::Command::kRenew:
      return read(*from.mutable_renew(), trouble);
    case v1::Command::kRelease:
      return read(*from.mutable_release(), trouble);
    case v1::Command::kUpgrade:
      return read(*from.mutable_upgrade(), trouble);
    case v1::Command::kDowngrade:
      return read(*from.mutable_downgrade(), trouble);
    case v1::Command::kCancelWait:
      return read(*from.mutable_cancel_wait(), trouble);
    case v1::Command::kForceRelease:
      return read(*from.mutable_force_release(), trouble);
    case v1::Command::kAdvance:
      return read(*from.mutable_advance(), trouble);
    case v1::Command::kTakeover:
      return read(*from.mutable_takeover(), trouble);
    case v1::Command::kSetLimits:
      return read(*from.mutable_set_limits(), trouble);
    case v1::Command::BODY_NOT_SET:
      break;
  }
  trouble.note("says nothing");
  return {};
}

}  // namespace

void write(const core::Command& from, v1::Command& to) {
  to.set_at_us(us(from.at));
  std::visit([&to](const auto& body) { write(body, to); }, from.body);
}

core::Command read(v1::Command& from, Trouble& trouble) {
  trouble.note_if(has_unknown_field(from), "is of a kind that this build does not know");
  core::Command to;
  to.at = read_time(from.at_us(), "time is negative", trouble);
  to.body = read_body(from, trouble);
  return to;
}

}  // namespace pawl::codec
