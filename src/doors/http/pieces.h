// SPDX-License-Identifier: Apache-2.0
// State time and wall time of one moment, so that the times of the log can be told to people. The
// pieces of JSON that many answers share. Pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "core/effect.h"
#include "ports/wall_clock.h"
#include "service/json.h"

namespace pawl::doors::http {

struct Moment {
  core::Time now;
  ports::WallTime wall;
  core::Time logged;  // what clients are told as the state time: never one that is not in the log
};

// Null for kNever.
void write_time(service::JsonWriter& json, std::string_view key, core::Time then, Moment moment);
void write_state_time(service::JsonWriter& json, core::Time now);

// Whoever knows a lease id can act on the lease: here, and nowhere else, it is decided who is shown
// somebody else's.
void write_lease_id(service::JsonWriter& json, const core::LeaseId& id);

// "resource", and "resources" too if there are several.
void write_resources(service::JsonWriter& json, std::string_view resource,
                     const std::vector<core::ResourceName>& all);
// {"limit","count"}, for the mode permit only.
void write_permits(service::JsonWriter& json, core::Mode mode, core::Permits permits);

// An object without its end, so that more can follow.
void begin_holder(service::JsonWriter& json, const core::Holder& holder, Moment moment);
void write_holders(service::JsonWriter& json, std::string_view key,
                   const std::vector<core::Holder>& holders, Moment moment);
void write_audit_record(service::JsonWriter& json, const core::AuditRecord& record);

}  // namespace pawl::doors::http
