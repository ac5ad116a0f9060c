// SPDX-License-Identifier: Apache-2.0
#include "codec/shared_messages.h"

#include "codec/pawl.pb.h"
#include "codec/rows.h"
#include "core/assert.h"

namespace pawl::codec {

v1::Mode to_message(core::Mode mode) {
  switch (mode) {
    case core::Mode::exclusive:
      return v1::MODE_EXCLUSIVE;
    case core::Mode::shared:
      return v1::MODE_SHARED;
    case core::Mode::permit:
      return v1::MODE_PERMIT;
  }
  PAWL_ASSERT(false && "a mode");
  return v1::MODE_MISSING;
}

core::Mode read(v1::Mode mode, Trouble& trouble) {
  switch (mode) {
    case v1::MODE_EXCLUSIVE:
      return core::Mode::exclusive;
    case v1::MODE_SHARED:
      return core::Mode::shared;
    case v1::MODE_PERMIT:
      return core::Mode::permit;
    case v1::MODE_MISSING:
      trouble.note("mode is missing");
      break;
    default:
      trouble.note("mode is not known");
      break;
  }
  return {};
}

v1::ForceWhen to_message(core::ForceWhen when) {
  switch (when) {
    case core::ForceWhen::now:
      return v1::FORCE_WHEN_NOW;
    case core::ForceWhen::at_deadline:
      return v1::FORCE_WHEN_AT_DEADLINE;
  }
  PAWL_ASSERT(false && "a time to force");
  return v1::FORCE_WHEN_MISSING;
}

core::ForceWhen read(v1::ForceWhen when, Trouble& trouble) {
  switch (when) {
    case v1::FORCE_WHEN_NOW:
      return core::ForceWhen::now;
    case v1::FORCE_WHEN_AT_DEADLINE:
      return core::ForceWhen::at_deadline;
    case v1::FORCE_WHEN_MISSING:
      trouble.note("when is missing");
      break;
    default:
      trouble.note("when is not known");
      break;
  }
  return {};
}

void write(const core::Terms& from, v1::Terms& to) {
  to.set_owner(from.owner.str());
  for (const core::ResourceName& name : from.resources) to.add_resources(name.str());
  to.set_mode(to_message(from.mode));
  to.set_permit_limit(from.permits.limit);
  to.set_permit_count(from.permits.count);
  to.set_ttl_us(us(from.ttl));
  to.set_max_hold_us(us(from.max_hold));
  to.set_min_hold_us(us(from.min_hold));
  to.set_lock_delay_us(us(from.lock_delay));
}

core::Terms read(v1::Terms& from, Trouble& trouble) {
  core::Terms to;
  trouble.note_if(has_unknown_field(from), "terms have an unknown field");
  to.owner = take_name<core::OwnerId>({from.has_owner(), from.mutable_owner()}, "owner is missing",
                                      trouble);
  to.resources.reserve(static_cast<std::size_t>(from.resources_size()));
  for (std::string& name : *from.mutable_resources()) to.resources.emplace_back(std::move(name));
  to.mode = read(from.mode(), trouble);
  to.permits.limit = read_32(from.permit_limit(), "permit limit is too large", trouble);
  to.permits.count = read_32(from.permit_count(), "permit count is too large", trouble);
  to.ttl = read_duration(from.ttl_us(), "ttl is negative", trouble);
  to.max_hold = read_duration(from.max_hold_us(), "max hold is negative", trouble);
  to.min_hold = read_duration(from.min_hold_us(), "min hold is negative", trouble);
  to.lock_delay = read_duration(from.lock_delay_us(), "lock delay is negative", trouble);
  return to;
}

void write(const core::Metadata& from, Pairs& to) {
  for (const auto& [key, value] : from) {
    v1::Pair* pair = to.Add();
    pair->set_key(key);
    pair->set_value(value);
  }
}

core::Metadata read(Pairs& from, Trouble& trouble) {
  core::Metadata to;
  to.reserve(static_cast<std::size_t>(from.size()));
  for (v1::Pair& pair : from) {
    trouble.note_if(has_unknown_field(pair), "metadata has an unknown field");
    to.emplace_back(std::move(*pair.mutable_key()), std::move(*pair.mutable_value()));
  }
  return to;
}

void write(const core::Limits& from, v1::Limits& to) {
  to.set_max_resource_bytes(from.max_resource_bytes);
  to.set_max_owner_bytes(from.max_owner_bytes);
  to.set_max_reason_bytes(from.max_reason_bytes);
  to.set_max_metadata_pairs(from.max_metadata_pairs);
  to.set_max_metadata_bytes(from.max_metadata_bytes);
  to.set_max_resources(from.max_resources);
  to.set_max_permits(from.max_permits);
  to.set_min_ttl_us(us(from.min_ttl));
  to.set_max_ttl_us(us(from.max_ttl));
  to.set_max_wait_us(us(from.max_wait));
  to.set_max_closed_us(us(from.max_closed));
  to.set_max_waiters(from.max_waiters);
  to.set_max_leases(from.max_leases);
  to.set_max_records(from.max_records);
  to.set_max_audit(from.max_audit);
  to.set_retention_us(us(from.retention));
}

core::Limits read(const v1::Limits& from, Trouble& trouble) {
  const bool complete = from.has_max_resource_bytes() && from.has_max_owner_bytes() &&
                        from.has_max_reason_bytes() && from.has_max_metadata_pairs() &&
                        from.has_max_metadata_bytes() && from.has_max_resources() &&
                        from.has_max_permits() && from.has_min_ttl_us() && from.has_max_ttl_us() &&
                        from.has_max_wait_us() && from.has_max_closed_us() &&
                        from.has_max_waiters() && from.has_max_leases() && from.has_max_records() &&
                        from.has_max_audit() && from.has_retention_us();
  trouble.note_if(has_unknown_field(from), "limits have an unknown field");
  trouble.note_if(!complete, "a limit is missing");
  const auto count = [&](std::uint64_t n) { return read_32(n, "a limit is too large", trouble); };
  const auto time = [&](std::int64_t n) {
    return read_duration(n, "a limit is negative", trouble);
  };
  core::Limits to;
  to.max_resource_bytes = count(from.max_resource_bytes());
  to.max_owner_bytes = count(from.max_owner_bytes());
  to.max_reason_bytes = count(from.max_reason_bytes());
  to.max_metadata_pairs = count(from.max_metadata_pairs());
  to.max_metadata_bytes = count(from.max_metadata_bytes());
  to.max_resources = count(from.max_resources());
  to.max_permits = count(from.max_permits());
  to.min_ttl = time(from.min_ttl_us());
  to.max_ttl = time(from.max_ttl_us());
  to.max_wait = time(from.max_wait_us());
  to.max_closed = time(from.max_closed_us());
  to.max_waiters = count(from.max_waiters());
  to.max_leases = from.max_leases();
  to.max_records = from.max_records();
  to.max_audit = count(from.max_audit());
  to.retention = time(from.retention_us());
  return to;
}

}  // namespace pawl::codec
