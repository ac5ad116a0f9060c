// SPDX-License-Identifier: Apache-2.0
// Query parameters and the names in paths, read and checked. The service checks what becomes a
// command; what is only looked up is checked here, by the same rules. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/command.h"
#include "core/limits.h"
#include "core/read.h"
#include "doors/http/api.h"
#include "doors/http/problems.h"
#include "doors/http/target.h"
#include "service/feed.h"

namespace pawl::doors::http {

// `space` is what the body named, or empty; then the query's, or `default`.
[[nodiscard]] Verdict settle_namespace(const Target& target, core::Namespace& space);

[[nodiscard]] Verdict read_limit(const Target& target, const ApiOptions& options,
                                 std::size_t& limit);
// The value of a parameter that may be any text; empty if it is not there.
std::string read_text(const Target& target, std::string_view name);

// Where a page of locks ends: `<token>~<resource>`.
std::string to_text(const core::HoldCursor& cursor);
[[nodiscard]] Verdict read_after(const Target& target, std::optional<core::HoldCursor>& after);
[[nodiscard]] Verdict read_after(const Target& target, core::AuditId& after);
// A reader that comes back says where it was in the header, with the same target as before.
[[nodiscard]] Verdict read_after(const Target& target, std::string_view last_event_id,
                                 std::optional<service::EventId>& after);

[[nodiscard]] Verdict check_namespace(const core::Namespace& space, const core::Limits& limits);
[[nodiscard]] Verdict check_lease(const core::Namespace& space, const core::LeaseId& id,
                                  const core::Limits& limits);
[[nodiscard]] Verdict check_renewal(const core::Renew& renewal, const core::Limits& limits);
[[nodiscard]] Verdict check_resource(const core::Namespace& space, const core::ResourceName& name,
                                     const core::Limits& limits);

}  // namespace pawl::doors::http
