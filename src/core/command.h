// SPDX-License-Identifier: Apache-2.0
// What can be asked of the lock state machine. Commands are data: logged, replayed, compared.
// Plain values; `at` is the state time that the leader stamped on receipt. See docs/rules.md.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/limits.h"
#include "core/names.h"
#include "core/time.h"

namespace pawl::core {

// What makes two Acquires of one lease id the same request: a repeat must match all of it.
struct Terms {
  OwnerId owner;
  std::vector<ResourceName> resources;
  Mode mode = Mode::exclusive;
  Permits permits;
  Duration ttl{0};
  Duration max_hold{0};    // zero: none
  Duration min_hold{0};    // zero: none
  Duration lock_delay{0};  // zero: none
  friend bool operator==(const Terms&, const Terms&) = default;
};

struct Acquire {
  Namespace space;
  LeaseId id;
  Terms terms;
  Duration wait{0};  // zero: answer at once. The door that took the request keeps the time.
  Metadata metadata;
  Ticket ticket;
  bool submitted_once = false;  // a door made the id and sends it once: a refusal needs no memory
  friend bool operator==(const Acquire&, const Acquire&) = default;
};

struct Renew {
  Namespace space;
  LeaseId id;
  Duration ttl{0};  // zero: the lease's own
  friend bool operator==(const Renew&, const Renew&) = default;
};

struct Release {
  Namespace space;
  LeaseId id;
  friend bool operator==(const Release&, const Release&) = default;
};

struct Upgrade {
  Namespace space;
  LeaseId id;
  FencingToken known{};  // the token the caller believes in
  Duration wait{0};
  Ticket ticket;
  friend bool operator==(const Upgrade&, const Upgrade&) = default;
};

struct Downgrade {
  Namespace space;
  LeaseId id;
  FencingToken known{};
  friend bool operator==(const Downgrade&, const Downgrade&) = default;
};

enum class WaitKind : std::uint8_t { acquire, upgrade };
enum class CancelReason : std::uint8_t {
  timeout,  // the wait is over: a waiter goes, a grant stays and is the answer
  gone,     // nobody is there to hear the answer
};

struct CancelWait {
  Namespace space;
  LeaseId id;
  Ticket ticket;  // acts only while this is the current attempt
  WaitKind kind = WaitKind::acquire;
  CancelReason reason = CancelReason::timeout;
  friend bool operator==(const CancelWait&, const CancelWait&) = default;
};

enum class ForceWhen : std::uint8_t {
  now,          // the lease ends in this step
  at_deadline,  // renewals are refused from now on; it ends when its holder's own deadline passes
};

struct ForceRelease {
  Namespace space;
  ResourceName resource;
  ActorId actor;
  std::string reason;
  std::optional<LeaseId> only_lease;       // only this holder, only if still so;
  std::optional<FencingToken> only_token;  // at most one of the two
  ForceWhen when = ForceWhen::now;
  std::int64_t wall_ms = 0;  // the asking node's wall clock, for the audit record's text only (P10)
  friend bool operator==(const ForceRelease&, const ForceRelease&) = default;
};

// Time passes.
struct Advance {
  friend bool operator==(const Advance&, const Advance&) = default;
};

// A new leader's first entry: nobody who waits is connected to it.
struct Takeover {
  friend bool operator==(const Takeover&, const Takeover&) = default;
};

struct SetLimits {
  Limits limits;
  std::uint32_t rule_version = kRuleVersion;
  friend bool operator==(const SetLimits&, const SetLimits&) = default;
};

using CommandBody = std::variant<Acquire, Renew, Release, Upgrade, Downgrade, CancelWait,
                                 ForceRelease, Advance, Takeover, SetLimits>;

struct Command {
  Time at{};
  CommandBody body;
  friend bool operator==(const Command&, const Command&) = default;
};

}  // namespace pawl::core
