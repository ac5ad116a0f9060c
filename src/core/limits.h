// SPDX-License-Identifier: Apache-2.0
// Every limit of the lock service, in one place. They are part of the state: all nodes decide by
// the same numbers, and they change only by a logged SetLimits. Plain values.
#pragma once

#include <compare>
#include <cstdint>

#include "core/time.h"

namespace pawl::core {

// The rules in force. A changed rule gets a new number, which takes effect by a logged SetLimits.
inline constexpr std::uint32_t kRuleVersion = 1;

// Fixed by rule version 1.
inline constexpr Duration kHoldBack =
    std::chrono::seconds(1);  // a detached waiter keeps its turn this long,
inline constexpr Duration kGiveUp =
    std::chrono::seconds(5);  // and its place, or its untaken grant, this long
inline constexpr std::uint32_t kForgetPerStep = 256;  // so that no step stalls on old ends
inline constexpr std::uint32_t kShownHolders = 16;    // a Busy names at most so many
inline constexpr std::uint32_t kAuditedHolders = 64;  // an audit record names at most so many
inline constexpr std::uint32_t kMinLeaseIdBytes = 8;
inline constexpr std::uint32_t kMaxLeaseIdBytes = 128;
inline constexpr std::uint32_t kMaxNamespaceBytes = 64;
inline constexpr std::uint64_t kMaxToken = (std::uint64_t{1} << 53) - 1;

struct Limits {
  // one request
  std::uint32_t max_resource_bytes = 512;
  std::uint32_t max_owner_bytes = 256;
  std::uint32_t max_reason_bytes = 1024;
  std::uint32_t max_metadata_pairs = 16;
  std::uint32_t max_metadata_bytes = 1024;
  std::uint32_t max_resources = 64;
  std::uint32_t max_permits = 1'000'000;
  Duration min_ttl = std::chrono::milliseconds(100);
  Duration max_ttl = std::chrono::hours(24);
  Duration max_wait = std::chrono::minutes(10);
  Duration max_closed = std::chrono::hours(24);  // the longest minHold and lockDelay
  // the whole state
  std::uint32_t max_waiters = 10'000;     // on one resource
  std::uint64_t max_leases = 1'000'000;   // held and waiting
  std::uint64_t max_records = 8'000'000;  // leases, waiters, remembered ends, closures
  std::uint32_t max_audit = 10'000;       // the oldest record beyond these is dropped
  Duration retention = std::chrono::seconds(60);

  friend bool operator==(const Limits&, const Limits&) = default;
};

}  // namespace pawl::core
