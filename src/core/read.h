// SPDX-License-Identifier: Apache-2.0
// Reading the state: what a door shows, and when time must move next. Nothing here changes
// anything. Answers are values that outlive the state. Not thread-safe: called where step() is
// called.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/effect.h"
#include "core/state.h"

namespace pawl::core {

// The earliest time at which something is due: when the clock reaches it, an Advance is wanted.
// kNever: nothing is.
Time next_due(const State& state);

// Whether anything depends on the clock: a lease, a wait or a closure is live.
bool is_live(const State& state);

struct LeaseView {
  LeaseInfo lease;
  bool waiting = false;
  bool detached = false;
  AuditId doomed{};
};
std::optional<LeaseView> show_lease(const State& state, const Namespace& space, const LeaseId& id);

struct WaiterView {
  LeaseInfo lease;  // without its resources and metadata
  Duration waiting{0};
  bool upgrade = false;
  bool detached = false;
};
struct ResourceView {
  ResourceName resource;
  std::vector<Holder> holders;      // by token
  std::vector<WaiterView> waiters;  // an upgrade first, then by arrival
  std::uint64_t holder_count = 0;
  std::uint64_t waiter_count = 0;
  FencingToken last_token{};  // the largest among the holders
  Time closed_until{};        // the last closure's end; zero: open
};
// Why am I waiting? At most `limit` holders and waiters are listed; the counts are of all.
std::optional<ResourceView> show_resource(const State& state, const Namespace& space,
                                          const ResourceName& name, std::size_t limit);

// Resources by name, in order, from the name after `after`, at most `limit`, each with its first
// kShownHolders holders. One that is only waited for, or closed for a while, is listed without any.
// A lease over several resources stands at each of them.
struct ListedResource {
  ResourceName resource;
  std::vector<LeaseInfo> holders;
  std::uint64_t holder_count = 0;
};
std::vector<ListedResource> list_resources(const State& state, const Namespace& space,
                                           std::string_view prefix, std::string_view after,
                                           std::size_t limit);

// However long the names are, a page is read and written in about a millisecond.
inline constexpr std::size_t kPageBytes = std::size_t{128} * 1024;

// Holds by resource, in order, and by token within each: a lease over several resources stands at
// each of them. `after` is where the page before ended; nothing: from the beginning.
struct HoldCursor {
  std::string resource;
  FencingToken token{};
  friend bool operator==(const HoldCursor&, const HoldCursor&) = default;
};
struct ListedHold {
  ResourceName resource;
  LeaseInfo lease;
};
struct HoldPage {
  std::vector<ListedHold> holds;   // at most `limit`, and no more than some kPageBytes of text
  std::optional<HoldCursor> next;  // there may be more
};
HoldPage list_holds(const State& state, const Namespace& space, std::string_view prefix,
                    const std::optional<HoldCursor>& after, std::size_t limit);

// The held leases among `slots` places of the table from `from` on: those granted in
// (granted_after, granted_by], and since when the longest-held of all of them is held. A sweep over
// all leases is a few of these, so that none takes long.
struct HoldSweep {
  std::vector<LeaseInfo> found;
  std::uint64_t granted_by = 0;  // how many were granted by then, before `granted_after` too
  Time oldest = kNever;
  LeaseRef next = kNone;  // where to go on; kNone: that was all
};
HoldSweep sweep_holds(const State& state, LeaseRef from, std::size_t slots, Time granted_after,
                      Time granted_by);

// Remembered as ended. No actor and reason: those are in the trail.
std::optional<AlreadyEnded> show_end(const State& state, const Namespace& space, const LeaseId& id);

// The trail of this namespace, for resources that begin with `prefix`, oldest first, from the
// record after `after` on, at most `limit` and some kPageBytes of text.
struct AuditPage {
  std::vector<AuditRecord> records;
  bool more = false;  // after the last of them
};
AuditPage list_audit(const State& state, const Namespace& space, std::string_view prefix,
                     AuditId after, std::size_t limit);

// Whether a live lease of this resource has this token (advisory: only the resource itself can
// fence).
bool holds_token(const State& state, const Namespace& space, const ResourceName& name,
                 FencingToken token);

}  // namespace pawl::core
