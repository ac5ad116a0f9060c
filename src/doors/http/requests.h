// SPDX-License-Identifier: Apache-2.0
// Bodies of requests, read into commands. Here a body's form is checked: types, what is required,
// what excludes what; the service checks the values against the limits. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/command.h"
#include "doors/http/fields.h"
#include "doors/http/problems.h"

namespace pawl::doors::http {

inline constexpr std::size_t kMostRenewals = 1'000;  // in one request

struct RenewMany {
  core::Namespace space;
  std::vector<core::LeaseId> ids;
  core::Duration ttl{0};
};

struct FenceCheck {
  core::Namespace space;
  core::ResourceName resource;
  core::FencingToken token{};
};

// `space` is left empty if the body names none.
[[nodiscard]] Verdict read(std::string_view body, core::Acquire& out);
[[nodiscard]] Verdict read(std::string_view body, core::Renew& out);
[[nodiscard]] Verdict read(std::string_view body, RenewMany& out);
[[nodiscard]] Verdict read(std::string_view body, core::Upgrade& out);
[[nodiscard]] Verdict read(std::string_view body, core::Downgrade& out);
[[nodiscard]] Verdict read(std::string_view body, core::ForceRelease& out);
[[nodiscard]] Verdict read(std::string_view body, FenceCheck& out);

// The tables that these read by.
extern const std::span<const FieldName> kAcquireNames;
extern const std::span<const FieldName> kPermitsNames;
extern const std::span<const FieldName> kRenewNames;
extern const std::span<const FieldName> kRenewManyNames;
extern const std::span<const FieldName> kUpgradeNames;
extern const std::span<const FieldName> kDowngradeNames;
extern const std::span<const FieldName> kForceReleaseNames;
extern const std::span<const FieldName> kFenceCheckNames;

}  // namespace pawl::doors::http
