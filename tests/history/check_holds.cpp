// SPDX-License-Identifier: Apache-2.0
// I3, definite holds that conflict never overlap, by a sweep over their beginnings and ends; and
// the half of I2 that speaks of holds: those that conflict, sorted by time, are sorted by token.
#include <algorithm>
#include <map>
#include <vector>

#include "history/stories.h"

namespace pawl::testing {
namespace {

class Sweeper {
 public:
  Sweeper(const Stories& stories, ResourceIndex resource, Findings& findings)
      : stories_(stories), resource_(resource), findings_(findings) {}

  void run(std::vector<const Hold*>& holds) {
    std::sort(holds.begin(), holds.end(),
              [](const Hold* a, const Hold* b) { return a->from < b->from; });
    for (const Hold* hold : holds) {
      while (!active_.empty() && active_.begin()->first <= hold->from) leave();
      check_overlap(*hold);
      check_order(*hold);
      enter(*hold);
      if (findings_.full()) return;
    }
  }

 private:
  using ByEnd = std::multimap<Micros, const Hold*>;

  void enter(const Hold& hold) {
    active_.emplace(hold.until, &hold);
    if (hold.mode == core::Mode::exclusive) exclusive_.emplace(hold.until, &hold);
    if (hold.mode == core::Mode::permit) {
      permits_ += count(hold);
    } else {
      unpermitted_.emplace(hold.until, &hold);
    }
  }

  void leave() {
    const auto [until, hold] = *active_.begin();
    active_.erase(active_.begin());
    if (hold->mode == core::Mode::exclusive) exclusive_.erase(exclusive_.begin());
    if (hold->mode == core::Mode::permit) {
      permits_ -= count(*hold);
    } else {
      unpermitted_.erase(unpermitted_.begin());
    }
  }

  // What ends last is what overlaps longest, and makes the clearest example.
  static const Hold* last(const ByEnd& holds) {
    return holds.empty() ? nullptr : holds.rbegin()->second;
  }

  void check_overlap(const Hold& hold) {
    const Hold* other = nullptr;
    if (hold.mode == core::Mode::exclusive) other = last(active_);
    if (hold.mode == core::Mode::shared) {
      other = last(exclusive_);
      if (other == nullptr && permits_ > 0) other = last(active_);
    }
    if (hold.mode == core::Mode::permit) other = last(unpermitted_);
    if (other != nullptr) {
      findings_.add({Invariant::I3,
                     {other->op, hold.op},
                     stories_.resource(resource_),
                     stories_.op(hold.op).lease,
                     tell_hold(*other) + " and " + tell_hold(hold) + " overlap on " +
                         stories_.resource(resource_).str() + " from " + to_seconds(hold.from) +
                         " to " + to_seconds(std::min(hold.until, other->until))});
      return;
    }
    if (hold.mode != core::Mode::permit) return;
    const std::uint64_t limit = stories_.lease(hold.lease).permits.limit;
    if (permits_ + count(hold) <= limit) return;
    std::vector<std::size_t> ops;
    for (const auto& [until, holder] : active_) {
      if (ops.size() < 16) ops.push_back(holder->op);
    }
    ops.push_back(hold.op);
    findings_.add(
        {Invariant::I3, std::move(ops), stories_.resource(resource_), stories_.op(hold.op).lease,
         tell_hold(hold) + " took " + std::to_string(count(hold)) + " of " + std::to_string(limit) +
             " permits of " + stories_.resource(resource_).str() + " at " + to_seconds(hold.from) +
             " while " + std::to_string(permits_) + " were held"});
  }

  // Of the conflicting holds that began before, and by I3 ended before, none has a larger token.
  void check_order(const Hold& hold) {
    if (hold.mode == core::Mode::permit) return;
    const Largest& before = hold.mode == core::Mode::exclusive ? any_ : exclusive_tokens_;
    const Hold* other = before.of_another(hold.lease);
    if (other != nullptr && other->until <= hold.from && other->token > hold.token) {
      findings_.add({Invariant::I2,
                     {other->op, hold.op},
                     stories_.resource(resource_),
                     stories_.op(hold.op).lease,
                     tell_hold(*other) + " came before " + tell_hold(hold) + " on " +
                         stories_.resource(resource_).str() + ", but has the larger token"});
    }
    any_.add(hold);
    if (hold.mode == core::Mode::exclusive) exclusive_tokens_.add(hold);
  }

  // The hold with the largest token, and the largest of another lease than that one's.
  struct Largest {
    const Hold* first = nullptr;
    const Hold* second = nullptr;

    const Hold* of_another(LeaseIndex lease) const {
      return first != nullptr && first->lease == lease ? second : first;
    }
    void add(const Hold& hold) {
      if (first == nullptr || hold.token > first->token) {
        if (first != nullptr && first->lease != hold.lease) second = first;
        first = &hold;
      } else if (hold.lease != first->lease && (second == nullptr || hold.token > second->token)) {
        second = &hold;
      }
    }
  };

  std::uint64_t count(const Hold& hold) const { return stories_.lease(hold.lease).permits.count; }

  std::string tell_hold(const Hold& hold) const {
    const Operation& op = stories_.op(hold.op);
    return "client " + std::to_string(op.client) + "'s " + name_of(hold.mode) + " hold of lease " +
           op.lease.str() + " (token " + number(hold.token) + ", " + to_seconds(hold.from) +
           " .. " + to_seconds(hold.until) + ")";
  }

  const Stories& stories_;
  ResourceIndex resource_;
  Findings& findings_;
  ByEnd active_;
  ByEnd exclusive_;
  ByEnd unpermitted_;
  std::uint64_t permits_ = 0;
  Largest any_;
  Largest exclusive_tokens_;
};

}  // namespace

void check_holds(const Stories& stories, Findings& findings) {
  std::vector<std::vector<const Hold*>> by_resource(stories.resource_count());
  for (const LeaseStory& story : stories.leases()) {
    for (const ResourceIndex r : story.resources) {
      for (const Hold& hold : story.holds) by_resource[r].push_back(&hold);
    }
  }
  for (ResourceIndex r = 0; r < by_resource.size() && !findings.full(); ++r)
    Sweeper(stories, r, findings).run(by_resource[r]);
}

}  // namespace pawl::testing
