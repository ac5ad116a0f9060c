// SPDX-License-Identifier: Apache-2.0
// What happened to locks, in order, for those who follow it: the last so many events, each with its
// place in the log as its id. Readers hold a place, not a copy: one that is slow, or comes back
// after a while, costs nothing, and is told when it missed something. Owned by the loop.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/names.h"
#include "ports/lock_store.h"
#include "ports/loop.h"

namespace pawl::service {

// `<index>-<command>-<event>`, decimal. The same event has the same id on every node and after
// every restart.
struct EventId {
  ports::LogPosition where;
  std::uint32_t number = 0;  // of the event in its step, from 0
  friend auto operator<=>(const EventId&, const EventId&) = default;
};
std::string to_text(const EventId& id);
std::optional<EventId> parse_event_id(std::string_view text);

struct FeedEvent {
  std::optional<EventId> id;  // none: an observation of this node, not something in the log
  std::string_view name;      // "lock_acquired", ...: a literal
  core::Namespace space;
  std::vector<core::ResourceName> resources;
  std::string json;  // one object, as docs/api.md describes it
};

struct FeedFilter {
  std::optional<core::Namespace> space;  // none: all
  std::string prefix;                    // of any of its resources
};

class Feed {
 public:
  Feed(ports::Loop& loop, std::size_t max_events, std::size_t max_bytes);

  // Ids grow.
  void add(FeedEvent event);

  // A place in the feed: between two events. Grows.
  using Place = std::uint64_t;
  // After the newest event.
  Place end() const;
  // After the event with this id; if it is no longer there, or never was, the oldest place, and
  // `missed` is set.
  struct Found {
    Place place = 0;
    bool missed = false;
  };
  Found after(const EventId& id) const;

  // Calls visit(const FeedEvent&) for the events from `from` on that pass the filter, until it
  // returns false (that event was taken, the next is not), or `most` events were looked at.
  // `missed`: the feed has forgotten events that this reader had not seen yet.
  struct Read {
    Place next = 0;
    bool missed = false;
    bool more = false;  // there is more to look at now
  };
  template <class Visit>
  Read read(Place from, const FeedFilter& filter, std::size_t most, Visit visit) const {
    Read result{from, from < first_, false};
    Place at = std::max(from, first_);
    for (; at < end() && most > 0; --most) {
      const FeedEvent& event = events_[static_cast<std::size_t>(at - first_)].event;
      ++at;
      if (passes(event, filter) && !visit(event)) break;
    }
    result.next = at;
    result.more = at < end();
    return result;
  }

  // `more` is called once, in the loop, soon after the next add(), never by add() itself. Then it
  // must be asked again.
  using WatchId = std::uint64_t;
  WatchId watch(ports::Action more);
  void unwatch(WatchId id);

 private:
  struct Kept {
    FeedEvent event;
    EventId upto;  // its own id, or that of the last event before it that has one
  };

  static bool passes(const FeedEvent& event, const FeedFilter& filter);
  static std::size_t bytes_of(const FeedEvent& event);
  void forget();
  void wake_soon();
  void wake();

  ports::Loop& loop_;
  std::size_t max_events_;
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  Place first_ = 0;
  std::deque<Kept> events_;
  WatchId last_watch_ = 0;
  std::map<WatchId, ports::Action> watches_;
  bool waking_ = false;
  std::shared_ptr<Feed*> self_;  // what is posted may come after the end
};

}  // namespace pawl::service
