// SPDX-License-Identifier: Apache-2.0
#include "doors/http/replies.h"

#include "service/problem.h"

namespace pawl::doors::http {
namespace {

using core::LeaseInfo;
using service::JsonWriter;

constexpr std::size_t kUsualBytes = 512;

template <class Write>
std::string object(Write write) {
  std::string out;
  out.reserve(kUsualBytes);
  JsonWriter json(out);
  json.begin_object();
  write(json);
  json.end_object();
  return out;
}

// How long it is still held (P4), and what that is by the wall clock.
void write_validity(JsonWriter& json, const LeaseInfo& lease, core::Duration valid_for,
                    Moment moment) {
  json.key("ttlSeconds").seconds(lease.terms.ttl);
  json.key("validForSeconds").seconds(valid_for);
  write_time(json, "expiresAt", core::after(moment.now, valid_for), moment);
}

std::string granted(const core::Granted& grant, Moment moment) {
  const LeaseInfo& lease = grant.lease;
  return object([&](JsonWriter& json) {
    json.key("acquired").boolean(true);
    json.key("leaseId").text(lease.id.view());
    write_resources(json, lease.terms.resources.front().view(), lease.terms.resources);
    json.key("namespace").text(lease.space.view());
    json.key("ownerId").text(lease.terms.owner.view());
    json.key("mode").text(service::to_text(lease.mode));
    write_permits(json, lease.mode, lease.terms.permits);
    json.key("fencingToken").token(lease.token);
    write_validity(json, lease, grant.valid_for, moment);
    write_time(json, "createdAt", lease.granted_at, moment);
    json.key("waitedSeconds").seconds(grant.waited);
    json.key("repeated").boolean(grant.repeated);
    write_state_time(json, moment.logged);
  });
}

// What was asked for: "acquired" or "upgraded".
std::string busy(std::string_view verb, const core::Busy& answer, Moment moment) {
  const bool is_held = answer.reason == core::BusyReason::held;
  return object([&](JsonWriter& json) {
    json.key(verb).boolean(false);
    json.key("reason").text(is_held ? "held" : "delayed");
    json.key("leaseId").text(answer.id.view());
    json.key("resource").text(answer.resource.view());
    write_holders(json, "holders", answer.holders, moment);
    json.key("holderCount").number(answer.holder_count);
    json.key("waiters").number(answer.waiters);
    json.key("retryAfterSeconds");
    answer.retry_after == core::Duration::zero() ? json.null() : json.seconds(answer.retry_after);
    write_state_time(json, moment.logged);
  });
}

// Nothing is known of who holds it at this point.
std::string in_vain(std::string_view verb, std::string_view reason, const core::LeaseId& id,
                    std::string_view resource, Moment moment) {
  return object([&](JsonWriter& json) {
    json.key(verb).boolean(false);
    json.key("reason").text(reason);
    json.key("leaseId").text(id.view());
    json.key("resource").text(resource);
    json.key("holders").begin_array().end_array();
    json.key("retryAfterSeconds").null();
    write_state_time(json, moment.logged);
  });
}

std::string upgraded(const LeaseInfo& lease, core::Duration valid_for, core::Duration waited,
                     Moment moment) {
  return object([&](JsonWriter& json) {
    json.key("upgraded").boolean(true);
    json.key("leaseId").text(lease.id.view());
    json.key("mode").text(service::to_text(lease.mode));
    json.key("fencingToken").token(lease.token);
    write_validity(json, lease, valid_for, moment);
    json.key("waitedSeconds").seconds(waited);
    write_state_time(json, moment.logged);
  });
}

std::string downgraded(const LeaseInfo& lease, core::Duration valid_for, Moment moment) {
  return object([&](JsonWriter& json) {
    json.key("downgraded").boolean(true);
    json.key("leaseId").text(lease.id.view());
    json.key("mode").text(service::to_text(lease.mode));
    json.key("fencingToken").token(lease.token);
    write_validity(json, lease, valid_for, moment);
    write_state_time(json, moment.logged);
  });
}

std::string released(const core::LeaseId& id, core::FencingToken token, core::EndCause cause,
                     Moment moment) {
  return object([&](JsonWriter& json) {
    json.key("released").boolean(true);
    json.key("leaseId").text(id.view());
    if (token != core::kNoToken) json.key("fencingToken").token(token);
    json.key("cause").text(service::to_text(cause));
    write_state_time(json, moment.logged);
  });
}

}  // namespace

Body acquire_reply(const core::Effect& effect, Moment moment, std::string_view first) {
  if (const auto* grant = std::get_if<core::Granted>(&effect)) return granted(*grant, moment);
  if (const auto* answer = std::get_if<core::Busy>(&effect))
    return busy("acquired", *answer, moment);
  if (const auto* end = std::get_if<core::Ended>(&effect)) {
    if (end->cause != core::EndCause::timed_out) return {};
    return in_vain("acquired", "timeout", end->lease.id, end->lease.terms.resources.front().view(),
                   moment);
  }
  if (const auto* end = std::get_if<core::AlreadyEnded>(&effect)) {
    if (end->cause == core::EndCause::timed_out)
      return in_vain("acquired", "timeout", end->id, first, moment);
    if (end->cause == core::EndCause::busy)
      return in_vain("acquired", "held", end->id, first, moment);
  }
  return {};
}

Body renew_reply(const core::Effect& effect, Moment moment) {
  const auto* renewed = std::get_if<core::Renewed>(&effect);
  if (renewed == nullptr) return {};
  return object([&](JsonWriter& json) {
    json.key("renewed").boolean(true);
    json.key("leaseId").text(renewed->lease.id.view());
    json.key("fencingToken").token(renewed->lease.token);
    write_validity(json, renewed->lease, renewed->valid_for, moment);
    write_state_time(json, moment.logged);
  });
}

Body upgrade_reply(const core::Effect& effect, Moment moment) {
  if (const auto* done = std::get_if<core::Upgraded>(&effect))
    return upgraded(done->lease, done->valid_for, done->waited, moment);
  // P6: an upgrade whose answer was lost, repeated with the token from before.
  if (const auto* there = std::get_if<core::Present>(&effect)) {
    if (there->lease.mode != core::Mode::exclusive) return {};
    return upgraded(there->lease, there->valid_for, core::Duration::zero(), moment);
  }
  if (const auto* answer = std::get_if<core::Busy>(&effect))
    return busy("upgraded", *answer, moment);
  if (const auto* withdrawn = std::get_if<core::UpgradeWithdrawn>(&effect)) {
    if (withdrawn->cause != core::EndCause::timed_out) return {};
    const LeaseInfo& lease = withdrawn->lease;
    return in_vain("upgraded", "timeout", lease.id, lease.terms.resources.front().view(), moment);
  }
  return {};
}

Body downgrade_reply(const core::Effect& effect, Moment moment) {
  if (const auto* done = std::get_if<core::Downgraded>(&effect))
    return downgraded(done->lease, done->valid_for, moment);
  if (const auto* there = std::get_if<core::Present>(&effect)) {
    if (there->lease.mode != core::Mode::shared) return {};
    return downgraded(there->lease, there->valid_for, moment);
  }
  return {};
}

Body release_reply(const core::Effect& effect, Moment moment) {
  if (const auto* end = std::get_if<core::Ended>(&effect))
    return released(end->lease.id, end->lease.token, end->cause, moment);
  if (const auto* end = std::get_if<core::AlreadyEnded>(&effect))
    return released(end->id, end->token, end->cause, moment);
  return {};
}

Body force_release_reply(const core::Effect& effect, Moment moment) {
  const auto* done = std::get_if<core::ForceReleased>(&effect);
  if (done == nullptr) return {};
  const core::AuditRecord& record = done->record;
  return object([&](JsonWriter& json) {
    write_holders(json, "released", record.holders, moment);
    json.key("releasedCount").number(record.holder_count);
    json.key("when").text(record.when == core::ForceWhen::now ? "now" : "at_deadline");
    json.key("audit");
    write_audit_record(json, record);
    write_state_time(json, moment.logged);
  });
}

}  // namespace pawl::doors::http
