// SPDX-License-Identifier: Apache-2.0
// The checks in order, and the two that need no leases' stories: I9 and I10.
#include "history/checker.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "history/stories.h"

namespace pawl::testing {
namespace {

// A lease as far as the state machine's own reports tell.
struct Length {
  core::Time deadline{};
  core::Time max_hold_end = core::kNever;
  bool renewed = false;
  std::optional<core::Time> detached;
  std::optional<core::Time> over;

  core::Time end() const { return std::min(deadline, max_hold_end); }
};

std::string at(core::Time time) {
  return time == core::kNever ? "never" : to_seconds(time.time_since_epoch());
}

// Why an end of this kind came too early, if it did.
std::optional<std::string> too_early(const Length& lease, const StateEvent& event,
                                     const CheckerOptions& options) {
  using Kind = StateEvent::Kind;
  switch (event.kind) {
    case Kind::expired:
    case Kind::doomed_over:
      if (event.at >= lease.end()) return std::nullopt;
      return "ended at its deadline at " + at(event.at) + ", but its last accepted renewal lasts " +
             "until " + at(lease.end());
    case Kind::max_hold_over:
      if (event.at >= lease.max_hold_end) return std::nullopt;
      return "ended at its max hold at " + at(event.at) + ", which was only at " +
             at(lease.max_hold_end);
    case Kind::abandoned:
      if (lease.renewed) return "was abandoned at " + at(event.at) + ", though it had been renewed";
      if (!lease.detached) return "was abandoned at " + at(event.at) + ", though never detached";
      if (event.at >= core::after(*lease.detached, options.give_up)) return std::nullopt;
      return "was abandoned at " + at(event.at) + ", though detached only at " +
             at(*lease.detached);
    case Kind::granted:
    case Kind::renewed:
    case Kind::detached:
    case Kind::attached:
    case Kind::other_end:
      return std::nullopt;
  }
  return std::nullopt;
}

// A second life: of an id that still lives (I1), or that must not come back (I6, P6).
void check_granted_again(const Length& lease, const StateEvent& event,
                         const CheckerOptions& options, Findings& findings) {
  const std::string again = "lease " + event.lease.str() + " was granted again at " + at(event.at);
  if (!lease.over) {
    findings.add({Invariant::I1, {}, {}, event.lease, again + ", though it was held already"});
  } else if (event.lease.view().starts_with("p1_") ||
             event.at < core::after(*lease.over, options.retention)) {
    findings.add(
        {Invariant::I6, {}, {}, event.lease, again + ", though over since " + at(*lease.over)});
  }
}

}  // namespace

void check_lengths(const History& history, const CheckerOptions& options, Findings& findings) {
  using Kind = StateEvent::Kind;
  std::unordered_map<std::string_view, Length> leases;
  for (const StateEvent& event : history.state_events) {
    const auto [place, fresh] = leases.try_emplace(event.lease.view());
    Length& lease = place->second;
    if (event.kind == Kind::granted) {
      if (!fresh) check_granted_again(lease, event, options, findings);
      lease = Length{};
      lease.deadline = core::after(event.at, event.ttl);
      if (event.max_hold > core::Duration::zero())
        lease.max_hold_end = core::after(event.at, event.max_hold);
    } else if (event.kind == Kind::renewed) {
      lease.deadline = std::max(lease.deadline, core::after(event.at, event.ttl));
      lease.renewed = true;
      lease.detached.reset();
    } else if (event.kind == Kind::detached) {
      if (!lease.detached) lease.detached = event.at;
    } else if (event.kind == Kind::attached) {
      lease.detached.reset();
    } else {
      if (const auto why = too_early(lease, event, options)) {
        findings.add(
            {Invariant::I10, {}, {}, event.lease, "lease " + event.lease.str() + " " + *why});
      }
      lease.over = event.at;
    }
  }
}

std::vector<Violation> check(const History& history, const CheckerOptions& options) {
  Findings findings(options.most);
  const Stories stories(history, options);
  check_tokens(stories, findings);
  check_holds(stories, findings);
  check_ends(stories, findings);
  check_register(history, findings);
  check_waits(stories, findings);
  check_lengths(history, options, findings);
  return findings.take();
}

std::vector<Violation> check_same_states(std::vector<StateRow> rows) {
  std::sort(rows.begin(), rows.end(), [](const StateRow& a, const StateRow& b) {
    return std::tie(a.index, a.node) < std::tie(b.index, b.node);
  });
  std::vector<Violation> found;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const StateRow& a = rows[i - 1];
    const StateRow& b = rows[i];
    if (a.index != b.index || std::tie(a.term, a.hash) == std::tie(b.term, b.hash)) continue;
    const char* what = a.term != b.term ? "terms" : "states";
    found.push_back({Invariant::I9,
                     {},
                     {},
                     {},
                     "nodes " + std::to_string(a.node) + " and " + std::to_string(b.node) +
                         " have different " + what + " at log index " + std::to_string(a.index) +
                         ": (" + std::to_string(a.term) + ", " + std::to_string(a.hash) +
                         ") and (" + std::to_string(b.term) + ", " + std::to_string(b.hash) + ")"});
  }
  return found;
}

const char* name_of(Invariant invariant) {
  static constexpr const char* kNames[] = {"I0", "I1", "I2", "I3", "I4", "I5",
                                           "I6", "I7", "I8", "I9", "I10"};
  return kNames[static_cast<std::size_t>(invariant)];
}

}  // namespace pawl::testing
