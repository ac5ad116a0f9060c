// SPDX-License-Identifier: Apache-2.0
#include "history/stories.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace pawl::testing {
namespace {

// P4's drift allowance, by which a client decides whether a grant must be renewed before it counts.
Micros allowance(Micros valid_for) { return valid_for / 100 + Micros(2000); }

bool confirms(const Operation& op) {
  return op.outcome == Outcome::ok && (op.kind == OpKind::acquire || op.kind == OpKind::renew ||
                                       op.kind == OpKind::upgrade || op.kind == OpKind::downgrade);
}

}  // namespace

Stories::Stories(const History& history, const CheckerOptions& options)
    : history_(history), options_(options) {
  collect();
  for (LeaseIndex i = 0; i < leases_.size(); ++i) {
    find_grants(i);
    find_holds(i);
  }
}

ResourceIndex Stories::index_of(const core::ResourceName& name) {
  const auto [at, fresh] =
      resource_index_.try_emplace(name.view(), static_cast<ResourceIndex>(resources_.size()));
  if (fresh) {
    resources_.push_back(&name);
    sweeps_.emplace_back();
  }
  return at->second;
}

LeaseIndex Stories::index_of(const core::LeaseId& id) {
  const auto [at, fresh] =
      lease_index_.try_emplace(id.view(), static_cast<LeaseIndex>(leases_.size()));
  if (fresh) leases_.emplace_back();
  return at->second;
}

void Stories::collect() {
  for (std::size_t i = 0; i < history_.operations.size(); ++i) {
    const Operation& op = history_.operations[i];
    if (op.kind == OpKind::fenced_write || op.kind == OpKind::plain_write) continue;
    if (op.lease.empty()) {
      if (op.kind == OpKind::force_release && !op.at_deadline) {
        for (const core::ResourceName& name : op.resources) {
          sweeps_[index_of(name)].push_back(
              {op.called, op.outcome == Outcome::unknown ? kNoAnswer : op.returned});
        }
      }
      continue;
    }
    LeaseStory& story = leases_[index_of(op.lease)];
    story.ops.push_back(i);
    if (op.kind != OpKind::acquire || op.called >= story.asked) continue;
    story.asked = op.called;
    story.mode = op.mode;
    story.permits = op.permits;
    story.resources.clear();
    for (const core::ResourceName& name : op.resources) story.resources.push_back(index_of(name));
  }
  for (LeaseStory& story : leases_) {
    std::sort(story.ops.begin(), story.ops.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(op(a).called, a) < std::pair(op(b).called, b);
    });
  }
  for (std::vector<Sweep>& sweeps : sweeps_) {
    std::sort(sweeps.begin(), sweeps.end(),
              [](const Sweep& a, const Sweep& b) { return a.called < b.called; });
    Micros all{0};
    for (Sweep& sweep : sweeps) sweep.all_returned = all = std::max(all, sweep.all_returned);
  }
}

void Stories::find_grants(LeaseIndex index) {
  LeaseStory& story = leases_[index];
  // The acquire's own grant: whichever of its answers came first.
  Grant first{index, core::kNoToken, story.mode, story.asked, kNoAnswer, 0};
  for (const std::size_t i : story.ops) {
    if (op(i).kind != OpKind::acquire || op(i).outcome != Outcome::ok) continue;
    if (op(i).returned >= first.returned) continue;
    first.token = op(i).token;
    first.returned = op(i).returned;
    first.op = i;
  }
  if (first.returned != kNoAnswer) story.grants.push_back(first);

  // An upgrade's: what brought it named the token before it, or none. Whoever named its own token
  // only met it.
  std::map<core::FencingToken, Micros> asked;
  std::map<core::FencingToken, Grant> upgrades;
  for (const std::size_t i : story.ops) {
    if (op(i).kind == OpKind::upgrade) asked.try_emplace(op(i).known, op(i).called);
  }
  for (const std::size_t i : story.ops) {
    if (op(i).kind != OpKind::upgrade || op(i).outcome != Outcome::ok) continue;
    if (op(i).token == first.token) continue;
    Grant grant{index, op(i).token, core::Mode::exclusive, op(i).called, op(i).returned, i};
    if (const auto later = asked.lower_bound(grant.token); later != asked.begin())
      grant.called = std::min(grant.called, std::prev(later)->second);
    if (const auto any = asked.find(core::kNoToken); any != asked.end())
      grant.called = std::min(grant.called, any->second);
    const auto [at, fresh] = upgrades.try_emplace(grant.token, grant);
    if (!fresh && grant.returned < at->second.returned) at->second = grant;
  }
  for (const auto& [token, grant] : upgrades) story.grants.push_back(grant);
}

Micros Stories::valid_until(const Operation& op) const {
  if (op.valid_for >= kNoAnswer - op.last_sent()) return kNoAnswer;
  // In this order the product can't overflow, and loses less than a microsecond.
  const auto lost = Micros(op.valid_for.count() / 1'000'000 * options_.drift_ppm +
                           op.valid_for.count() % 1'000'000 * options_.drift_ppm / 1'000'000 + 1);
  return op.last_sent() + op.valid_for - lost;
}

Micros Stories::held_since(const LeaseStory& story, std::size_t acquire) const {
  const Operation& granted = op(acquire);
  const bool endless = granted.valid_for >= kNoAnswer - granted.last_sent();
  const bool late = !endless && granted.last_sent() + granted.valid_for -
                                        allowance(granted.valid_for) - granted.returned <
                                    granted.ttl / 2;
  if (!granted.waited && !late) return granted.returned;
  Micros since = kNoAnswer;
  for (const std::size_t i : story.ops) {
    if (op(i).kind == OpKind::renew && op(i).outcome == Outcome::ok &&
        op(i).called >= granted.returned)
      since = std::min(since, op(i).returned);
  }
  return since;
}

// The last moment that is certain, before the holder's own doing, an operator's, or the end that
// was promised. A release that failed may have been sent twice, and done its work the first time.
Micros Stories::held_until(const LeaseStory& story, Micros granted) const {
  Micros promised{0};
  Micros ended = kNoAnswer;
  for (const std::size_t i : story.ops) {
    if (confirms(op(i))) promised = std::max(promised, valid_until(op(i)));
    const bool ends = op(i).kind == OpKind::release ||
                      (op(i).kind == OpKind::force_release && !op(i).at_deadline);
    if (ends) ended = std::min(ended, op(i).called);
  }
  Micros until = std::min(promised, ended);
  for (const ResourceIndex resource : story.resources) {
    const std::vector<Sweep>& sweeps = sweeps_[resource];
    const auto met = std::partition_point(sweeps.begin(), sweeps.end(), [&](const Sweep& sweep) {
      return sweep.all_returned < granted;
    });
    if (met != sweeps.end()) until = std::min(until, met->called);
  }
  return until;
}

void Stories::find_holds(LeaseIndex index) {
  LeaseStory& story = leases_[index];
  if (story.grants.empty() || op(story.grants.front().op).kind != OpKind::acquire) return;
  const Grant& first = story.grants.front();
  const Micros since = held_since(story, first.op);
  const Micros until = held_until(story, first.called);
  if (since >= until) return;

  // Exclusiveness is certain from the answer of what gave it, a new token, until a downgrade is
  // called: that one may arrive at any time from then on, so only a newer token brings
  // exclusiveness back.
  struct Change {
    Micros at{0};
    bool up = false;
    std::size_t op = 0;
  };
  std::vector<Change> changes;
  std::vector<Micros> downs;  // in order, as the ops are
  for (const std::size_t i : story.ops) {
    if (op(i).kind != OpKind::downgrade) continue;
    changes.push_back({op(i).called, false, i});
    downs.push_back(op(i).called);
  }
  for (std::size_t g = 1; g < story.grants.size(); ++g) {
    const Grant& grant = story.grants[g];
    const auto next = std::lower_bound(downs.begin(), downs.end(), grant.called);
    const bool crossed = next != downs.end() && *next <= grant.returned;
    if (!crossed) changes.push_back({grant.returned, true, grant.op});
  }
  // An upgrade without a new token is none, unless the lease was never exclusive before: then it is
  // a wrong one, and I2 will tell.
  if (first.mode == core::Mode::shared && downs.empty()) {
    for (const std::size_t i : story.ops) {
      if (op(i).kind == OpKind::upgrade && op(i).outcome == Outcome::ok &&
          op(i).token == first.token)
        changes.push_back({op(i).returned, true, i});
    }
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::tie(a.at, a.up, a.op) < std::tie(b.at, b.up, b.op);
  });

  Hold hold{index, first.token, first.mode, since, until, first.op};
  for (const Change& change : changes) {
    if (change.at >= until) break;
    const core::Mode mode = change.up ? core::Mode::exclusive : core::Mode::shared;
    const core::FencingToken token = change.up ? op(change.op).token : hold.token;
    if (hold.mode == core::Mode::permit || (mode == hold.mode && token == hold.token)) continue;
    if (change.at > hold.from) {
      story.holds.push_back(hold);
      story.holds.back().until = change.at;
      hold.from = change.at;
    }
    hold.mode = mode;
    hold.token = token;
    hold.op = change.op;
  }
  story.holds.push_back(hold);
}

std::string tell(const Operation& op) {
  std::string text = "client " + std::to_string(op.client) + "'s " + name_of(op.kind);
  if (!op.lease.empty()) text += " of lease " + op.lease.str();
  text += " (" + to_seconds(op.called) + " .. " + to_seconds(op.returned) + ")";
  return text;
}

}  // namespace pawl::testing
