// SPDX-License-Identifier: Apache-2.0
#include "service/happenings.h"

#include <algorithm>
#include <initializer_list>

#include "core/assert.h"
#include "service/json.h"
#include "service/problem.h"

namespace pawl::service {
namespace {

using core::EndCause;
using ports::Severity;

Subject subject_of(const core::LeaseInfo& lease) {
  return {&lease.space, lease.terms.resources, lease.terms.owner.view(), lease.id.view(),
          lease.mode,   lease.token,           lease.terms.ttl};
}

Happening make(std::string_view name, Severity severity, const Subject& subject,
               std::initializer_list<Detail> details = {}) {
  Happening happening{name, severity, subject, {}, details.size()};
  PAWL_ASSERT(details.size() <= happening.details.size());
  std::copy(details.begin(), details.end(), happening.details.begin());
  return happening;
}

Happening hold_ended(const core::Ended& end) {
  const Subject subject = subject_of(end.lease);
  const Detail held{"heldSeconds", end.lasted};
  switch (end.cause) {
    case EndCause::expired:
      return make("lock_expired", Severity::warning, subject, {held});
    case EndCause::max_hold_reached:
      return make("lock_max_hold_reached", Severity::warning, subject, {held});
    case EndCause::abandoned:
      return make("lock_abandoned", Severity::warning, subject, {held});
    case EndCause::force_released:
      return make("lock_force_released", Severity::warning, subject,
                  {held,
                   {"actorId", end.actor.view()},
                   {"reason", std::string_view(end.reason)},
                   {"auditId", static_cast<std::uint64_t>(end.audit)}});
    default:
      return make("lock_released", Severity::info, subject, {held});
  }
}

struct Teller {
  using Told = std::optional<Happening>;

  Told operator()(const core::Granted& granted) const {
    if (granted.repeated) return {};
    return make("lock_acquired", Severity::info, subject_of(granted.lease),
                {{"waitedSeconds", granted.waited}});
  }
  Told operator()(const core::Queued& queued) const {
    if (queued.repeated) return {};
    return make("lock_waiting", Severity::info, subject_of(queued.lease),
                {{"waiters", std::uint64_t{queued.waiters}}});
  }
  Told operator()(const core::Ended& end) const {
    if (end.held) return hold_ended(end);
    return make("wait_ended", Severity::info, subject_of(end.lease),
                {{"cause", to_text(end.cause)}, {"waitedSeconds", end.lasted}});
  }
  Told operator()(const core::Upgraded& upgraded) const {
    return make("lock_upgraded", Severity::info, subject_of(upgraded.lease),
                {{"oldFencingToken", static_cast<std::uint64_t>(upgraded.old_token)},
                 {"waitedSeconds", upgraded.waited}});
  }
  Told operator()(const core::UpgradeWithdrawn& withdrawn) const {
    return make("upgrade_withdrawn", Severity::info, subject_of(withdrawn.lease),
                {{"cause", to_text(withdrawn.cause)}});
  }
  Told operator()(const core::Downgraded& downgraded) const {
    return make("lock_downgraded", Severity::info, subject_of(downgraded.lease));
  }
  // Of what it ends at once, each end tells.
  Told operator()(const core::ForceReleased& released) const {
    const core::AuditRecord& record = released.record;
    if (record.when == core::ForceWhen::now) return {};
    Subject subject{&record.space, {&record.resource, 1}, {}, {}, {}, {}, {}};
    if (record.holder_count == 1) {
      const core::Holder& holder = record.holders.front();
      subject.owner = holder.owner.view();
      subject.lease_id = holder.id.view();
      subject.mode = holder.mode;
      subject.token = holder.token;
    }
    return make("force_release_requested", Severity::warning, subject,
                {{"holderCount", std::uint64_t{record.holder_count}},
                 {"actorId", record.actor.view()},
                 {"reason", std::string_view(record.reason)},
                 {"auditId", static_cast<std::uint64_t>(record.id)}});
  }
  template <class Other>
  Told operator()(const Other&) const {
    return {};
  }
};

void text_or_null(JsonWriter& json, std::string_view value) {
  value.empty() ? json.null() : json.text(value);
}

struct DetailWriter {
  JsonWriter& json;
  void operator()(std::monostate) const { json.null(); }
  void operator()(std::string_view value) const { json.text(value); }
  void operator()(std::uint64_t value) const { json.number(value); }
  void operator()(core::Duration value) const { json.seconds(value); }
};

void write_names(JsonWriter& json, std::span<const core::ResourceName> names) {
  json.begin_array();
  for (const core::ResourceName& name : names) json.text(name.view());
  json.end_array();
}

}  // namespace

std::optional<Happening> happening_of(const core::Effect& effect) {
  return std::visit(Teller{}, effect);
}

Happening renewal_failed(const RenewalFailure& failure) {
  Detail cause{"cause", {}};
  if (failure.cause) cause.value = to_text(*failure.cause);
  return make("renewal_failed", Severity::warning,
              {&failure.space, failure.resources, failure.owner.view(), failure.id.view(),
               failure.mode, failure.token, failure.ttl},
              {{"code", std::string_view(failure.code)}, cause, {"lateSeconds", failure.late}});
}

Happening held_long(const core::LeaseInfo& lease, core::Time now) {
  return make("lock_held_long", Severity::warning, subject_of(lease),
              {{"heldSeconds", core::Duration(now - lease.granted_at)}});
}

void append_json(std::string& out, const Happening& happening, core::Time now,
                 ports::WallTime wall) {
  const Subject& subject = happening.subject;
  JsonWriter json(out);
  json.begin_object().key("event").text(happening.name).key("at").time(wall);
  json.key("namespace").text(subject.space->view());
  json.key("resource");
  text_or_null(json, subject.resources.empty() ? "" : subject.resources.front().view());
  if (subject.resources.size() > 1) write_names(json.key("resources"), subject.resources);
  text_or_null(json.key("ownerId"), subject.owner);
  text_or_null(json.key("leaseId"), subject.lease_id);
  text_or_null(json.key("mode"), subject.mode ? to_text(*subject.mode) : "");
  json.key("fencingToken");
  subject.token == core::kNoToken ? json.null() : json.token(subject.token);
  json.key("ttlSeconds");
  subject.ttl ? json.seconds(*subject.ttl) : json.null();
  json.key("stateTimeMs").signed_number(core::to_ms(now));
  for (const Detail& detail : happening.own()) {
    json.key(detail.name);
    std::visit(DetailWriter{json}, detail.value);
  }
  json.end_object();
}

void append_json(std::string& out, std::span<const core::ResourceName> names) {
  JsonWriter json(out);
  write_names(json, names);
}

}  // namespace pawl::service
