// SPDX-License-Identifier: Apache-2.0
// I4, I5, I6: what succeeds on a lease proves that it lived then; so it must not have been told
// dead before, and no grant that it leaves no room for may have been answered before.
#include <algorithm>
#include <optional>
#include <vector>

#include "history/stories.h"

namespace pawl::testing {
namespace {

bool acts_on_lease(const Operation& op) {
  return op.kind == OpKind::renew || op.kind == OpKind::release || op.kind == OpKind::upgrade ||
         op.kind == OpKind::downgrade;
}

// The first answer that said that the lease is over.
struct End {
  Micros at = kNoAnswer;
  std::size_t op = 0;
  void at_latest(Micros time, std::size_t by) {
    if (time >= at) return;
    at = time;
    op = by;
  }
};

void check_known_end(const Stories& stories, const LeaseStory& story, Findings& findings) {
  End any;
  End unreleased;  // other than by a release, after which a release does not succeed
  for (const std::size_t i : story.ops) {
    const Operation& op = stories.op(i);
    const bool forced =
        op.kind == OpKind::force_release && op.outcome == Outcome::ok && !op.at_deadline;
    const bool released = op.kind == OpKind::release && op.outcome == Outcome::ok;
    if (forced || released || op.over != Over::no) any.at_latest(op.returned, i);
    if (forced || op.over == Over::otherwise) unreleased.at_latest(op.returned, i);
  }
  for (const std::size_t i : story.ops) {
    const Operation& op = stories.op(i);
    if (op.outcome != Outcome::ok || (!acts_on_lease(op) && op.kind != OpKind::acquire)) continue;
    if (acts_on_lease(op) && op.returned < story.asked) {
      findings.add({Invariant::I4,
                    {i},
                    {},
                    op.lease,
                    tell(op) + " succeeded, but nobody had asked for that lease"});
      continue;
    }
    const End& end = op.kind == OpKind::release ? unreleased : any;
    if (op.called <= end.at) continue;
    const bool acquire = op.kind == OpKind::acquire;
    findings.add({acquire ? Invariant::I6 : Invariant::I4,
                  {end.op, i},
                  {},
                  op.lease,
                  tell(op) + " succeeded, though " + tell(stories.op(end.op)) +
                      " had said that the lease was over"});
  }
}

void check_dead_on_arrival(const Stories& stories, const LeaseStory& story, Findings& findings) {
  for (const std::size_t i : story.ops) {
    const Operation& op = stories.op(i);
    if (op.kind != OpKind::acquire || op.outcome != Outcome::ok || op.valid_for > Micros::zero())
      continue;
    findings.add({Invariant::I6,
                  {i},
                  {},
                  op.lease,
                  tell(op) + " returned ok with a lease that has no time left"});
  }
}

// The last moment at which a lease is known to have lived: some time after `called` of its op.
struct Life {
  LeaseIndex lease = 0;
  Micros called{-1};
  std::size_t op = 0;
};

// The longest life of all leases so far, and the longest of another lease than that one's.
struct Longest {
  Life first;
  Life second;

  const Life& of_another(LeaseIndex lease) const { return first.lease == lease ? second : first; }
  void add(const Life& life) {
    if (life.called > first.called) {
      if (first.lease != life.lease) second = first;
      first = life;
    } else if (life.lease != first.lease && life.called > second.called) {
      second = life;
    }
  }
};

// Sums of permits over lives that were known to last beyond a moment.
class PermitSums {
 public:
  explicit PermitSums(std::vector<Micros> moments) : moments_(std::move(moments)) {
    std::sort(moments_.begin(), moments_.end());
    tree_.assign(moments_.size() + 1, 0);
  }
  void add(Micros moment, std::uint64_t permits) {
    const auto at = std::lower_bound(moments_.begin(), moments_.end(), moment) - moments_.begin();
    total_ += permits;
    for (auto i = static_cast<std::size_t>(at) + 1; i < tree_.size(); i += i & (~i + 1))
      tree_[i] += permits;
  }
  std::uint64_t beyond(Micros moment) const {
    const auto at = std::upper_bound(moments_.begin(), moments_.end(), moment) - moments_.begin();
    std::uint64_t up_to = 0;
    for (auto i = static_cast<std::size_t>(at); i > 0; i -= i & (~i + 1)) up_to += tree_[i];
    return total_ - up_to;
  }

 private:
  std::vector<Micros> moments_;
  std::vector<std::uint64_t> tree_;
  std::uint64_t total_ = 0;
};

Life life_of(const Stories& stories, LeaseIndex lease) {
  const LeaseStory& story = stories.lease(lease);
  Life life{lease, Micros{-1}, 0};
  bool release_called = false;
  for (const std::size_t i : story.ops) {
    const Operation& op = stories.op(i);
    const bool repeat = op.kind == OpKind::release && release_called;
    release_called |= op.kind == OpKind::release;
    if (op.outcome != Outcome::ok || repeat) continue;
    // The acquire that brought the grant proves nothing about later; one that repeats it does.
    const bool again = op.kind == OpKind::acquire && !story.grants.empty() &&
                       op.called > story.grants.front().returned;
    if ((acts_on_lease(op) || again) && op.called > life.called) {
      life.called = op.called;
      life.op = i;
    }
  }
  return life;
}

// As far as a lease that was granted exclusively is known to have stayed so.
Life exclusive_life(const Stories& stories, const Grant& grant, Life life) {
  const std::vector<std::size_t>& ops = stories.lease(grant.lease).ops;
  auto at = std::partition_point(
      ops.begin(), ops.end(), [&](std::size_t i) { return stories.op(i).called < grant.called; });
  at = std::find_if(at, ops.end(),
                    [&](std::size_t i) { return stories.op(i).kind == OpKind::downgrade; });
  if (at != ops.end()) life.called = std::min(life.called, stories.op(*at).called);
  return life;
}

class Rivals {
 public:
  Rivals(const Stories& stories, ResourceIndex resource, const std::vector<Life>& lives,
         Findings& findings)
      : stories_(stories), resource_(resource), lives_(lives), findings_(findings) {}

  void run(std::vector<const Grant*>& grants) {
    std::sort(grants.begin(), grants.end(),
              [](const Grant* a, const Grant* b) { return a->token < b->token; });
    std::vector<Micros> moments;
    moments.reserve(grants.size());
    for (const Grant* grant : grants) moments.push_back(lives_[grant->lease].called);
    PermitSums permits(std::move(moments));
    for (const Grant* grant : grants) {
      judge(*grant, permits);
      const Life& life = lives_[grant->lease];
      if (grant->mode == core::Mode::permit) {
        permits.add(life.called, stories_.lease(grant->lease).permits.count);
        permit_.add(life);
        continue;
      }
      unpermitted_.add(life);
      if (grant->mode == core::Mode::exclusive)
        exclusive_.add(exclusive_life(stories_, *grant, life));
    }
  }

 private:
  void judge(const Grant& grant, const PermitSums& permits) {
    const LeaseIndex lease = grant.lease;
    const bool permit = grant.mode == core::Mode::permit;
    const bool shared = grant.mode == core::Mode::shared;
    const Life* rival = &(shared ? exclusive_ : unpermitted_).of_another(lease);
    if (!permit && permit_.of_another(lease).called > rival->called)
      rival = &permit_.of_another(lease);
    if (rival->called > grant.returned) return report(grant, *rival, "");
    if (!permit) return;
    const core::Permits asked = stories_.lease(lease).permits;
    const std::uint64_t others = permits.beyond(grant.returned);
    if (others + asked.count <= asked.limit) return;
    report(grant, permit_.of_another(lease),
           ": " + std::to_string(others) + " of " + std::to_string(asked.limit) +
               " permits were still taken by earlier leases");
  }

  void report(const Grant& grant, const Life& rival, const std::string& why) {
    const Operation& op = stories_.op(rival.op);
    Invariant invariant = Invariant::I5;
    if (op.kind == OpKind::release) invariant = Invariant::I4;
    if (op.kind == OpKind::acquire) invariant = Invariant::I6;
    findings_.add({invariant,
                   {grant.op, rival.op},
                   stories_.resource(resource_),
                   op.lease,
                   tell(op) + " succeeded, though a later grant that leaves it no room on " +
                       stories_.resource(resource_).str() + " had returned before: " +
                       tell(stories_.op(grant.op)) + " with token " + number(grant.token) + why});
  }

  const Stories& stories_;
  ResourceIndex resource_;
  const std::vector<Life>& lives_;
  Findings& findings_;
  Longest unpermitted_;  // of shared and exclusive leases
  Longest exclusive_;
  Longest permit_;
};

}  // namespace

void check_ends(const Stories& stories, Findings& findings) {
  std::vector<Life> lives;
  std::vector<std::vector<const Grant*>> by_resource(stories.resource_count());
  for (LeaseIndex i = 0; i < stories.leases().size(); ++i) {
    const LeaseStory& story = stories.lease(i);
    check_known_end(stories, story, findings);
    check_dead_on_arrival(stories, story, findings);
    lives.push_back(life_of(stories, i));
    for (const ResourceIndex r : story.resources) {
      for (const Grant& grant : story.grants) by_resource[r].push_back(&grant);
    }
  }
  for (ResourceIndex r = 0; r < by_resource.size() && !findings.full(); ++r)
    Rivals(stories, r, lives, findings).run(by_resource[r]);
}

}  // namespace pawl::testing
