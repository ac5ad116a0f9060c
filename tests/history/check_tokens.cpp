// SPDX-License-Identifier: Apache-2.0
// I1, tokens are unique per grant, and I2, grants in order of time are in order of token.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "history/stories.h"

namespace pawl::testing {
namespace {

bool has_token(const Operation& op) {
  return op.outcome == Outcome::ok && op.token != core::kNoToken &&
         (op.kind == OpKind::acquire || op.kind == OpKind::renew || op.kind == OpKind::upgrade ||
          op.kind == OpKind::downgrade);
}

// Who was answered a token first.
struct Seen {
  LeaseIndex lease = 0;
  std::size_t op = 0;
};
using SeenTokens = std::unordered_map<std::uint64_t, Seen>;

void check_unique(const Stories& stories, LeaseIndex lease, SeenTokens& seen,
                  const core::ResourceName& resource, Findings& findings) {
  for (const std::size_t i : stories.lease(lease).ops) {
    const Operation& op = stories.op(i);
    if (!has_token(op)) continue;
    const auto [at, fresh] = seen.try_emplace(static_cast<std::uint64_t>(op.token), Seen{lease, i});
    if (fresh || at->second.lease == lease) continue;
    findings.add({Invariant::I1,
                  {at->second.op, i},
                  resource,
                  op.lease,
                  "token " + number(op.token) + " was answered to " + tell(op) + " and to " +
                      tell(stories.op(at->second.op)) + ": two leases with one token"});
    return;
  }
}

// Within one lease: a new token only by an upgrade (I1), and none that goes back (I2).
void check_one_lease(const Stories& stories, const LeaseStory& story, Findings& findings) {
  std::vector<std::size_t> answers;
  Micros first_upgrade = kNoAnswer;
  for (const std::size_t i : story.ops) {
    if (has_token(stories.op(i))) answers.push_back(i);
    if (stories.op(i).kind == OpKind::upgrade)
      first_upgrade = std::min(first_upgrade, stories.op(i).called);
  }
  if (answers.size() < 2) return;
  std::vector<std::size_t> by_return = answers;
  std::sort(by_return.begin(), by_return.end(), [&](std::size_t a, std::size_t b) {
    return stories.op(a).returned < stories.op(b).returned;
  });
  const std::size_t first = by_return.front();
  std::size_t next = 0;
  std::size_t largest = answers.size();  // none yet
  for (const std::size_t i : answers) {  // in order of their calls
    const Operation& op = stories.op(i);
    if (op.token != stories.op(first).token && op.returned < first_upgrade) {
      findings.add({Invariant::I1,
                    {first, i},
                    {},
                    op.lease,
                    "one lease was granted twice: " + tell(stories.op(first)) + " answered token " +
                        number(stories.op(first).token) + " and " + tell(op) + " token " +
                        number(op.token) + ", without an upgrade"});
      return;
    }
    for (; stories.op(by_return[next]).returned < op.called; ++next) {
      if (largest == answers.size() ||
          stories.op(by_return[next]).token > stories.op(by_return[largest]).token)
        largest = next;
    }
    if (largest == answers.size() || stories.op(by_return[largest]).token <= op.token) continue;
    findings.add({Invariant::I2,
                  {by_return[largest], i},
                  {},
                  op.lease,
                  "a lease's token went back: " + tell(stories.op(by_return[largest])) +
                      " answered " + number(stories.op(by_return[largest]).token) + ", and " +
                      tell(op) + ", called later, " + number(op.token)});
    return;
  }
}

// If A returned before B was called, A's token is the smaller.
void check_order(const Stories& stories, std::vector<const Grant*> grants,
                 const core::ResourceName& resource, Findings& findings) {
  std::vector<const Grant*> returned = grants;
  std::sort(grants.begin(), grants.end(),
            [](const Grant* a, const Grant* b) { return a->called < b->called; });
  std::sort(returned.begin(), returned.end(),
            [](const Grant* a, const Grant* b) { return a->returned < b->returned; });
  std::size_t next = 0;
  const Grant* largest = nullptr;
  for (const Grant* grant : grants) {
    for (; returned[next]->returned < grant->called; ++next) {
      if (largest == nullptr || returned[next]->token > largest->token) largest = returned[next];
    }
    if (largest == nullptr || largest->token <= grant->token) continue;  // equal: I1's business
    findings.add({Invariant::I2,
                  {largest->op, grant->op},
                  resource,
                  stories.op(grant->op).lease,
                  tell(stories.op(grant->op)) + " was granted token " + number(grant->token) +
                      ", though it was first called at " + to_seconds(grant->called) + ", after " +
                      tell(stories.op(largest->op)) + " had returned with the larger token " +
                      number(largest->token)});
    if (findings.full()) return;
  }
}

}  // namespace

void check_tokens(const Stories& stories, Findings& findings) {
  const auto count = static_cast<LeaseIndex>(stories.leases().size());
  for (LeaseIndex i = 0; i < count; ++i) check_one_lease(stories, stories.lease(i), findings);

  if (stories.options().tokens == TokenScope::service) {
    SeenTokens seen;
    std::vector<const Grant*> grants;
    for (LeaseIndex i = 0; i < count; ++i) {
      check_unique(stories, i, seen, {}, findings);
      for (const Grant& grant : stories.lease(i).grants) grants.push_back(&grant);
    }
    check_order(stories, std::move(grants), {}, findings);
    return;
  }
  std::vector<SeenTokens> seen(stories.resource_count());
  std::vector<std::vector<const Grant*>> grants(stories.resource_count());
  for (LeaseIndex i = 0; i < count; ++i) {
    for (const ResourceIndex r : stories.lease(i).resources) {
      check_unique(stories, i, seen[r], stories.resource(r), findings);
      for (const Grant& grant : stories.lease(i).grants) grants[r].push_back(&grant);
    }
  }
  for (ResourceIndex r = 0; r < grants.size(); ++r)
    check_order(stories, std::move(grants[r]), stories.resource(r), findings);
}

}  // namespace pawl::testing
