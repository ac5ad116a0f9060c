// SPDX-License-Identifier: Apache-2.0
#include "doors/http/pieces.h"

#include <chrono>

#include "service/problem.h"

namespace pawl::doors::http {

using service::JsonWriter;

void write_time(JsonWriter& json, std::string_view key, core::Time then, Moment moment) {
  json.key(key);
  if (then == core::kNever) {
    json.null();
  } else {
    json.time(service::wall_of(then, moment.now, moment.wall));
  }
}

void write_state_time(JsonWriter& json, core::Time now) {
  json.key("stateTimeMs").signed_number(core::to_ms(now));
}

void write_lease_id(JsonWriter& json, const core::LeaseId& id) {
  json.key("leaseId").text(id.view());
}

void write_resources(JsonWriter& json, std::string_view resource,
                     const std::vector<core::ResourceName>& all) {
  json.key("resource").text(resource);
  if (all.size() < 2) return;
  json.key("resources").begin_array();
  for (const core::ResourceName& name : all) json.text(name.view());
  json.end_array();
}

void write_permits(JsonWriter& json, core::Mode mode, core::Permits permits) {
  if (mode != core::Mode::permit) return;
  json.key("permits").begin_object();
  json.key("limit").number(permits.limit);
  json.key("count").number(permits.count);
  json.end_object();
}

void begin_holder(JsonWriter& json, const core::Holder& holder, Moment moment) {
  json.begin_object();
  write_lease_id(json, holder.id);
  json.key("ownerId").text(holder.owner.view());
  json.key("mode").text(service::to_text(holder.mode));
  if (holder.mode == core::Mode::permit) json.key("permits").number(holder.permits);
  json.key("fencingToken").token(holder.token);
  write_time(json, "createdAt", holder.granted_at, moment);
  write_time(json, "expiresAt", holder.deadline, moment);
}

void write_holders(JsonWriter& json, std::string_view key, const std::vector<core::Holder>& holders,
                   Moment moment) {
  json.key(key).begin_array();
  for (const core::Holder& holder : holders) {
    begin_holder(json, holder, moment);
    json.end_object();
  }
  json.end_array();
}

// A record keeps the wall time of its own moment: it reads the same whenever it is shown.
void write_audit_record(JsonWriter& json, const core::AuditRecord& record) {
  const Moment then{record.at, ports::WallTime(std::chrono::milliseconds(record.wall_ms)),
                    record.at};
  const bool now = record.when == core::ForceWhen::now;
  json.begin_object();
  json.key("id").number(static_cast<std::uint64_t>(record.id));
  json.key("action").text(now ? "FORCE_UNLOCK" : "FORCE_UNLOCK_AT_DEADLINE");
  json.key("resource").text(record.resource.view());
  json.key("namespace").text(record.space.view());
  json.key("actorId").text(record.actor.view());
  json.key("reason").text(record.reason);
  write_holders(json, "holders", record.holders, then);
  json.key("holderCount").number(record.holder_count);
  write_time(json, "createdAt", record.at, then);
  json.end_object();
}

}  // namespace pawl::doors::http
