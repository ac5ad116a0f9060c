// SPDX-License-Identifier: Apache-2.0
// What a step did: the answer to its command and everything that happened on the way, in order. An
// effect carries all that a reply, a log line, a metric, an event or a waiting client needs, so
// that nobody looks into the state to find out. Plain values that outlive the state. See
// docs/rules.md.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/command.h"

namespace pawl::core {

// Why a lease id is over. P8's causes of loss, and the ends that are none.
enum class EndCause : std::uint8_t {
  released,          // by its holder, or by its waiter
  expired,           // loss
  max_hold_reached,  // loss
  force_released,    // loss, by an actor for a reason
  abandoned,         // nobody came back for the wait, or took up the grant
  timed_out,         // the wait was over
  busy,              // was never granted: the resource was taken and it did not wait
  refused,           // was never granted: its mode or permits did not fit the resource
  never_acquired,    // was released before its acquire arrived
};

enum class RefusalCode : std::uint8_t {
  invalid,            // bad input; `field` and `why` say which and what
  lease_id_conflict,  // the id belongs to another request
  lease_id_stale,     // the id is older than the service's memory
  lease_not_found,
  lease_not_held,  // it still waits
  superseded,      // a newer attempt counts
  mode_mismatch,   // permit and other modes don't mix on one resource; a permit can't be upgraded
  permit_limit_mismatch,  // the resource is in use with another limit
  upgrade_conflict,       // another holder's upgrade waits: waiting too would deadlock
  overloaded,             // a limit is reached; `field` names it
  not_held,               // nobody holds the resource
  not_holder,             // the named lease or token does not hold the resource
  no_deadline,            // at_deadline on a lease that has none
  rule_version_unsupported,
};

// A lease as it stands after what the effect tells (for an end: as it stood before it).
struct LeaseInfo {
  Namespace space;
  LeaseId id;
  Terms terms;                  // as asked; terms.mode is the mode asked for
  Mode mode = Mode::exclusive;  // the mode it has now
  FencingToken token{};         // none while it waits
  Time granted_at{};            // zero while it waits, like the two below
  Time renewed_at{};
  Time deadline{};
  Metadata metadata;
  friend bool operator==(const LeaseInfo&, const LeaseInfo&) = default;
};

struct Holder {
  LeaseId id;
  OwnerId owner;
  Mode mode = Mode::exclusive;
  std::uint32_t permits = 0;
  FencingToken token{};
  Time granted_at{};
  Time deadline{};
  friend bool operator==(const Holder&, const Holder&) = default;
};

struct AuditRecord {
  AuditId id{};
  Namespace space;
  ResourceName resource;
  ActorId actor;
  std::string reason;
  ForceWhen when = ForceWhen::now;
  std::vector<Holder> holders;     // the first kAuditedHolders of those it ended or doomed
  std::uint32_t holder_count = 0;  // all of them
  Time at{};
  std::int64_t wall_ms = 0;
  friend bool operator==(const AuditRecord&, const AuditRecord&) = default;
};

// Acquired: at once, after a wait, or again (`repeated`: the same grant, not extended).
struct Granted {
  LeaseInfo lease;
  Ticket ticket;
  Duration valid_for{0};
  Duration waited{0};
  bool after_wait = false;
  bool repeated = false;
  friend bool operator==(const Granted&, const Granted&) = default;
};

// Waits; its Granted or Ended follows in this or a later step, with the ticket current then.
struct Queued {
  LeaseInfo lease;
  Ticket ticket;
  std::uint32_t waiters = 0;  // in the longest of its queues, itself included
  bool repeated = false;
  friend bool operator==(const Queued&, const Queued&) = default;
};

enum class BusyReason : std::uint8_t {
  held,     // by others, or others wait ahead
  delayed,  // the holders leave room, but it is closed for a while (minHold, lockDelay)
};

struct Busy {
  Namespace space;
  LeaseId id;
  OwnerId owner;
  WaitKind kind = WaitKind::acquire;
  Mode mode = Mode::exclusive;  // asked for
  Ticket ticket;
  ResourceName resource;  // the first, in the order asked, that could not be had
  BusyReason reason = BusyReason::held;
  std::vector<Holder>
      holders;  // the first kShownHolders of that resource, without the asking lease
  std::uint32_t holder_count = 0;
  std::uint32_t waiters = 0;
  Duration retry_after{
      0};  // a hint: until the first of `holders` ends, or the resource opens; zero: none
  friend bool operator==(const Busy&, const Busy&) = default;
};

// Nothing was done, and this says why.
struct Refused {
  Namespace space;
  LeaseId id;
  Ticket ticket;
  RefusalCode code = RefusalCode::invalid;
  std::string field;
  std::string why;
  friend bool operator==(const Refused&, const Refused&) = default;
};

// The attempt with this ticket waits no longer: a newer one took its place in the queue.
struct Superseded {
  Namespace space;
  LeaseId id;
  WaitKind kind = WaitKind::acquire;
  Ticket ticket;
  friend bool operator==(const Superseded&, const Superseded&) = default;
};

struct Renewed {
  LeaseInfo lease;
  Duration valid_for{0};
  friend bool operator==(const Renewed&, const Renewed&) = default;
};

// An operator ends this lease at its deadline: it is still held, but can't be renewed.
struct RenewalRefused {
  LeaseInfo lease;
  Duration valid_for{0};
  AuditId audit{};
  ActorId actor;
  std::string reason;
  friend bool operator==(const RenewalRefused&, const RenewalRefused&) = default;
};

// A lease, or a wait for one, is over.
struct Ended {
  LeaseInfo lease;
  EndCause cause = EndCause::released;
  bool held = false;                      // false: it only waited
  Ticket ticket;                          // the current attempt, which may still wait for an answer
  std::optional<Ticket> waiting_upgrade;  // an upgrade that is answered with this end
  Duration lasted{0};                     // held, or waited, for so long
  Time closed_until{};                    // its resources stay closed till then; zero: they don't
  AuditId audit{};                        // force_released: by whom and why
  ActorId actor;
  std::string reason;
  friend bool operator==(const Ended&, const Ended&) = default;
};

// The answer to a command on a lease that is over and remembered.
struct AlreadyEnded {
  Namespace space;
  LeaseId id;
  Ticket ticket;
  EndCause cause = EndCause::released;
  FencingToken token{};
  Time ended_at{};
  AuditId audit{};
  ActorId actor;
  std::string reason;
  friend bool operator==(const AlreadyEnded&, const AlreadyEnded&) = default;
};

// Shared became exclusive, with a new token.
struct Upgraded {
  LeaseInfo lease;
  Ticket ticket;
  FencingToken old_token{};
  Duration valid_for{0};
  Duration waited{0};
  bool after_wait = false;
  friend bool operator==(const Upgraded&, const Upgraded&) = default;
};

struct UpgradeQueued {
  LeaseInfo lease;
  Ticket ticket;
  bool repeated = false;
  friend bool operator==(const UpgradeQueued&, const UpgradeQueued&) = default;
};

// The upgrade waits no longer; the lease goes on as shared.
struct UpgradeWithdrawn {
  LeaseInfo lease;
  Ticket ticket;
  EndCause cause = EndCause::timed_out;  // timed_out or abandoned
  friend bool operator==(const UpgradeWithdrawn&, const UpgradeWithdrawn&) = default;
};

// Exclusive became shared; the token stays.
struct Downgraded {
  LeaseInfo lease;
  Duration valid_for{0};
  friend bool operator==(const Downgraded&, const Downgraded&) = default;
};

// Nothing to change: this is how the lease stands.
struct Present {
  LeaseInfo lease;
  Ticket ticket;
  Duration valid_for{0};
  friend bool operator==(const Present&, const Present&) = default;
};

// Nobody is connected for this wait, or for this grant that is not yet confirmed.
struct Detached {
  LeaseInfo lease;
  Ticket ticket;
  friend bool operator==(const Detached&, const Detached&) = default;
};

struct ForceReleased {
  AuditRecord record;
  friend bool operator==(const ForceReleased&, const ForceReleased&) = default;
};

struct Advanced {
  friend bool operator==(const Advanced&, const Advanced&) = default;
};

struct TakenOver {
  std::uint64_t detached = 0;
  friend bool operator==(const TakenOver&, const TakenOver&) = default;
};

struct LimitsSet {
  Limits limits;
  std::uint32_t rule_version = kRuleVersion;
  friend bool operator==(const LimitsSet&, const LimitsSet&) = default;
};

using Effect =
    std::variant<Granted, Queued, Busy, Refused, Superseded, Renewed, RenewalRefused, Ended,
                 AlreadyEnded, Upgraded, UpgradeQueued, UpgradeWithdrawn, Downgraded, Present,
                 Detached, ForceReleased, Advanced, TakenOver, LimitsSet>;

struct Effects {
  Time now{};                   // state time of the step
  std::vector<Effect> all;      // in the order in which it happened
  std::size_t reply_index = 0;  // which of them answers the command; there is always one

  const Effect& reply() const { return all[reply_index]; }
  friend bool operator==(const Effects&, const Effects&) = default;
};

}  // namespace pawl::core
