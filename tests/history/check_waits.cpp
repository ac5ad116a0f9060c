// SPDX-License-Identifier: Apache-2.0
// I8: once the faults heal, every waiter is answered within a bound, and in order of arrival (P7).
#include <algorithm>
#include <vector>

#include "history/stories.h"

namespace pawl::testing {
namespace {

void check_answered(const Stories& stories, Findings& findings) {
  const CheckerOptions& options = stories.options();
  for (std::size_t i = 0; i < stories.history().operations.size(); ++i) {
    const Operation& op = stories.op(i);
    const bool waits = (op.kind == OpKind::acquire || op.kind == OpKind::upgrade) &&
                       op.wait > Micros::zero() && op.listening;
    if (!waits || op.returned < *options.healed) continue;
    const Micros due = std::max(op.called, *options.healed) + op.wait + options.answer_bound;
    const bool in_time = op.outcome != Outcome::unknown && op.returned <= due;
    if (in_time || due > options.ended) continue;
    findings.add({Invariant::I8,
                  {i},
                  op.resources.empty() ? core::ResourceName{} : op.resources.front(),
                  op.lease,
                  tell(op) + " waits for at most " + to_seconds(op.wait) +
                      ", but was not answered by " + to_seconds(due) +
                      " although all faults had healed at " + to_seconds(*options.healed)});
  }
}

// Who asked after another was known to stand in the queue gets the larger token, whether it waited
// or not.
void check_arrival(const Stories& stories, const std::vector<std::size_t>& granted,
                   ResourceIndex resource, Findings& findings) {
  std::vector<std::size_t> called = granted;
  std::vector<std::size_t> queued;
  for (const std::size_t i : granted) {
    if (stories.op(i).queued_by) queued.push_back(i);
  }
  std::sort(called.begin(), called.end(), [&](std::size_t a, std::size_t b) {
    return stories.op(a).called < stories.op(b).called;
  });
  std::sort(queued.begin(), queued.end(), [&](std::size_t a, std::size_t b) {
    return *stories.op(a).queued_by < *stories.op(b).queued_by;
  });
  std::size_t next = 0;
  std::optional<std::size_t> last;
  for (const std::size_t i : called) {
    for (; next < queued.size() && *stories.op(queued[next]).queued_by < stories.op(i).called;
         ++next) {
      if (!last || stories.op(queued[next]).token > stories.op(*last).token) last = queued[next];
    }
    if (!last || stories.op(*last).token <= stories.op(i).token) continue;
    findings.add({Invariant::I8,
                  {*last, i},
                  stories.resource(resource),
                  stories.op(i).lease,
                  tell(stories.op(i)) + " was granted token " + number(stories.op(i).token) +
                      " and so overtook " + tell(stories.op(*last)) + ", token " +
                      number(stories.op(*last).token) + ", which stood in the queue of " +
                      stories.resource(resource).str() + " since " +
                      to_seconds(*stories.op(*last).queued_by)});
    if (findings.full()) return;
  }
}

}  // namespace

void check_waits(const Stories& stories, Findings& findings) {
  if (!stories.options().healed) return;
  check_answered(stories, findings);
  std::vector<std::vector<std::size_t>> granted(stories.resource_count());
  for (const LeaseStory& story : stories.leases()) {
    // Faults may have cost an older request its turn.
    if (story.grants.empty() || story.asked < *stories.options().healed) continue;
    const std::size_t op = story.grants.front().op;
    if (stories.op(op).kind != OpKind::acquire) continue;
    for (const ResourceIndex r : story.resources) granted[r].push_back(op);
  }
  for (ResourceIndex r = 0; r < granted.size(); ++r)
    check_arrival(stories, granted[r], r, findings);
}

}  // namespace pawl::testing
