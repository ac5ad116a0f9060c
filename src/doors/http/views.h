// SPDX-License-Identifier: Apache-2.0
// What is there, as JSON: locks, resources, the trail, failed renewals. Names and order of the
// fields are those of openapi.json. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/read.h"
#include "doors/http/pieces.h"
#include "service/hold_times.h"
#include "service/renewal_failures.h"

namespace pawl::doors::http {

std::string locks_view(const core::HoldPage& page, Moment moment);
std::string lock_view(const core::LeaseView& view, Moment moment);
// `view` is nothing for a resource that nobody holds or waits for.
std::string resource_view(const core::Namespace& space, const core::ResourceName& name,
                          const std::optional<core::ResourceView>& view,
                          const std::optional<service::HoldTimes::Usual>& usual, Moment moment);
// The first `limit` of the records; if there are more, where to go on.
std::string audit_view(const core::AuditPage& page);
std::string renewal_failures_view(const std::vector<service::RenewalFailure>& failures);
std::string fence_view(bool valid, core::FencingToken current, core::Time now);

}  // namespace pawl::doors::http
