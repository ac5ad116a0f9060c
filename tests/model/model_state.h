// SPDX-License-Identifier: Apache-2.0
// What the reference model remembers (docs/rules.md §1), as plain structs in plain vectors. Nothing
// here is an index or a cache: whatever can be worked out from these lists is worked out each time.
// Plain values; see model/reference_model.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/command.h"
#include "core/effect.h"

namespace pawl::testing {

// A held shared lease's wait for exclusive.
struct ModelUpgrade {
  std::uint64_t arrival = 0;
  core::Ticket ticket;
  core::Time queued_at{};
  std::optional<core::Time> detached;
  bool passed_over = false;
};

struct ModelLease {
  core::Namespace space;
  core::LeaseId id;
  core::Terms terms;
  core::Metadata metadata;
  std::uint64_t arrival = 0;
  core::Ticket ticket;
  core::Time queued_at{};
  std::optional<core::Time> detached;
  bool passed_over = false;

  bool held = false;  // false: it waits, and what follows means nothing
  core::Mode mode = core::Mode::exclusive;
  core::FencingToken token{};
  core::Time granted_at{};
  core::Time renewed_at{};
  core::Time deadline{};
  bool confirmed = false;
  core::AuditId doomed{};
  std::optional<ModelUpgrade> upgrade;
  std::optional<std::uint32_t> upgrade_attempt;  // the largest refused, queued or withdrawn one
};

struct PermitClosure {
  std::uint32_t count = 0;
  core::Time until{};
};

// Only what the leases do not say themselves: the kind, and the closures. Holders and waiters are
// found by looking through all leases.
struct ModelResource {
  core::Namespace space;
  core::ResourceName name;
  bool permit = false;
  std::uint32_t limit = 0;  // of permits
  std::optional<core::Time> all_closed_until;
  std::optional<core::Time> exclusive_closed_until;
  std::vector<PermitClosure> permits_closed;  // at most one for each time
};

struct ModelEnd {
  core::Namespace space;
  core::LeaseId id;
  core::FencingToken token{};
  core::EndCause cause = core::EndCause::released;
  core::Time at{};
  core::AuditId audit{};
};

}  // namespace pawl::testing
