// SPDX-License-Identifier: Apache-2.0
#include "doors/http/views.h"

#include <algorithm>

#include "doors/http/queries.h"
#include "service/json.h"
#include "service/problem.h"

namespace pawl::doors::http {
namespace {

using core::LeaseInfo;
using service::JsonWriter;

void write_token_or_null(JsonWriter& json, std::string_view key, core::FencingToken token) {
  json.key(key);
  token == core::kNoToken ? json.null() : json.token(token);
}

void write_text_or_null(JsonWriter& json, std::string_view key, std::string_view text) {
  json.key(key);
  text.empty() ? json.null() : json.text(text);
}

// The fields of a lock record. One that waits has no times yet.
void write_record(JsonWriter& json, std::string_view resource, const LeaseInfo& lease, bool waiting,
                  Moment moment) {
  write_resources(json, resource, lease.terms.resources);
  json.key("namespace").text(lease.space.view());
  json.key("ownerId").text(lease.terms.owner.view());
  write_lease_id(json, lease.id);
  json.key("mode").text(service::to_text(lease.mode));
  write_permits(json, lease.mode, lease.terms.permits);
  write_token_or_null(json, "fencingToken", lease.token);
  json.key("ttlSeconds").seconds(lease.terms.ttl);
  write_time(json, "createdAt", waiting ? core::kNever : lease.granted_at, moment);
  write_time(json, "renewedAt", waiting ? core::kNever : lease.renewed_at, moment);
  write_time(json, "expiresAt", waiting ? core::kNever : lease.deadline, moment);
  json.key("metadata").begin_object();
  for (const auto& [key, value] : lease.metadata) json.key(key).text(value);
  json.end_object();
}

void write_holder(JsonWriter& json, const core::Holder& holder, Moment moment) {
  begin_holder(json, holder, moment);
  json.key("heldSeconds").seconds(moment.now - holder.granted_at);
  json.key("validForSeconds").seconds(core::until(moment.now, holder.deadline));
  json.end_object();
}

void write_waiter(JsonWriter& json, const core::WaiterView& waiter, std::size_t position,
                  Moment moment) {
  const LeaseInfo& lease = waiter.lease;
  const core::Mode mode = waiter.upgrade ? core::Mode::exclusive : lease.mode;
  json.begin_object();
  json.key("ownerId").text(lease.terms.owner.view());
  write_lease_id(json, lease.id);
  json.key("position").number(position);
  json.key("waitingSeconds").seconds(waiter.waiting + (moment.now - moment.logged));
  json.key("mode").text(service::to_text(mode));
  if (mode == core::Mode::permit) json.key("permits").number(lease.terms.permits.count);
  json.key("upgrade").boolean(waiter.upgrade);
  json.key("detached").boolean(waiter.detached);
  json.end_object();
}

void write_usual(JsonWriter& json, const std::optional<service::HoldTimes::Usual>& usual) {
  json.key("holdSeconds");
  if (!usual) {
    json.null();
    return;
  }
  json.begin_object();
  json.key("p50").seconds(usual->p50);
  json.key("p99").seconds(usual->p99);
  json.key("count").number(usual->count);
  json.end_object();
}

void write_failure(JsonWriter& json, const service::RenewalFailure& failure) {
  json.begin_object();
  json.key("at").time(failure.at);
  json.key("namespace").text(failure.space.view());
  write_lease_id(json, failure.id);
  if (failure.resources.empty()) {
    json.key("resource").null();
  } else {
    write_resources(json, failure.resources.front().view(), failure.resources);
  }
  write_text_or_null(json, "ownerId", failure.owner.view());
  write_token_or_null(json, "fencingToken", failure.token);
  json.key("code").text(failure.code);
  write_text_or_null(json, "cause", failure.cause ? service::to_text(*failure.cause) : "");
  json.key("lateSeconds").seconds(failure.late);
  json.end_object();
}

}  // namespace

std::string locks_view(const core::HoldPage& page, Moment moment) {
  std::string out;
  out.reserve(64 + page.holds.size() * 400);
  JsonWriter json(out);
  json.begin_object().key("locks").begin_array();
  for (const core::ListedHold& hold : page.holds) {
    json.begin_object();
    write_record(json, hold.resource.view(), hold.lease, false, moment);
    json.end_object();
  }
  json.end_array();
  write_text_or_null(json, "next", page.next ? to_text(*page.next) : "");
  json.end_object();
  return out;
}

std::string lock_view(const core::LeaseView& view, Moment moment) {
  const LeaseInfo& lease = view.lease;
  const core::Duration left =
      view.waiting ? core::Duration::zero() : core::until(moment.now, lease.deadline);
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write_record(json, lease.terms.resources.front().view(), lease, view.waiting, moment);
  json.key("state").text(view.waiting ? "waiting" : "held");
  json.key("validForSeconds").seconds(left);
  write_state_time(json, moment.logged);
  json.end_object();
  return out;
}

std::string resource_view(const core::Namespace& space, const core::ResourceName& name,
                          const std::optional<core::ResourceView>& view,
                          const std::optional<service::HoldTimes::Usual>& usual, Moment moment) {
  const core::ResourceView shown = view.value_or(core::ResourceView{});
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.key("resource").text(name.view());
  json.key("namespace").text(space.view());
  json.key("holders").begin_array();
  for (const core::Holder& holder : shown.holders) write_holder(json, holder, moment);
  json.end_array();
  json.key("holderCount").number(shown.holder_count);
  json.key("waiters").begin_array();
  for (std::size_t i = 0; i < shown.waiters.size(); ++i)
    write_waiter(json, shown.waiters[i], i + 1, moment);
  json.end_array();
  json.key("waiterCount").number(shown.waiter_count);
  write_token_or_null(json, "lastToken", shown.last_token);
  const bool is_open = shown.closed_until <= moment.now;
  write_time(json, "closedUntil", is_open ? core::kNever : shown.closed_until, moment);
  write_usual(json, usual);
  write_state_time(json, moment.logged);
  json.end_object();
  return out;
}

std::string audit_view(const core::AuditPage& page) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("records").begin_array();
  for (const core::AuditRecord& record : page.records) write_audit_record(json, record);
  json.end_array();
  json.key("next");
  if (page.more) {
    json.number(static_cast<std::uint64_t>(page.records.back().id));
  } else {
    json.null();
  }
  json.end_object();
  return out;
}

std::string renewal_failures_view(const std::vector<service::RenewalFailure>& failures) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("failures").begin_array();
  for (const service::RenewalFailure& failure : failures) write_failure(json, failure);
  json.end_array().end_object();
  return out;
}

std::string fence_view(bool valid, core::FencingToken current, core::Time now) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.key("valid").boolean(valid);
  write_token_or_null(json, "currentToken", current);
  write_state_time(json, now);
  json.end_object();
  return out;
}

}  // namespace pawl::doors::http
