// SPDX-License-Identifier: Apache-2.0
// The asking half of a worker, and its fate.
#include "simulation/worker.h"

#include <algorithm>
#include <cstdio>

#include "simulation/names.h"

namespace pawl::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

Worker::Worker(Sim& sim, Network& network, const Cluster& cluster, Registers& registers,
               const std::vector<ResourceKind>& resources, std::uint32_t number)
    : sim_(sim),
      network_(network),
      cluster_(cluster),
      registers_(registers),
      resources_(resources),
      caller_(sim, network, number),
      keeper_(sim, caller_) {
  keeper_.on_held = [this] { work(); };
  keeper_.on_lost = [this] { lost(); };
}

void Worker::begin() {
  plan_fate();
  rest();
}

void Worker::rest() {
  resting_ = true;
  caller_.later(sim_.random.between(Micros(10), sim_.plan.longest_idle), [this] {
    if (!sim_.closing) ask();
  });
}

// The library's ids carry the state time of the last answer, as `/v1/version` gives the first
// (design section 5).
core::LeaseId Worker::draw_id() {
  char text[80];
  if (sim_.random.chance(sim_.plan.plain_id)) {
    static_cast<void>(std::snprintf(text, sizeof text, "plain-%u-%llu-%llu", caller_.client(),
                                    static_cast<unsigned long long>(lives_),
                                    static_cast<unsigned long long>(asked_)));
  } else {
    static_cast<void>(std::snprintf(text, sizeof text, "p1_%llx_%016llx%016llx",
                                    static_cast<unsigned long long>(caller_.state_time_ms()),
                                    static_cast<unsigned long long>(sim_.random.next()),
                                    static_cast<unsigned long long>(sim_.random.next())));
  }
  return core::LeaseId(text);
}

core::Acquire Worker::draw_request() {
  Random& random = sim_.random;
  const Plan& plan = sim_.plan;
  core::Acquire request;
  request.space = kSpace;
  request.id = draw_id();
  core::Terms& terms = request.terms;
  terms.owner =
      core::OwnerId("worker-" + std::to_string(caller_.client()) + "-" + std::to_string(lives_));
  const ResourceKind& first = resources_[random.below(resources_.size())];
  terms.resources.push_back(first.name);
  if (random.chance(plan.several)) {
    for (const ResourceKind& other : resources_) {
      if (other.name != first.name && other.permits == first.permits && random.chance(500'000))
        terms.resources.push_back(other.name);
    }
    if (random.chance(500'000)) std::reverse(terms.resources.begin(), terms.resources.end());
  }
  // Now and then somebody has it all wrong, and must be refused.
  const bool permit = (first.permits != 0) != random.chance(5'000);
  if (permit) {
    terms.mode = core::Mode::permit;
    const std::uint32_t limit = first.permits == 0 ? 2 : first.permits;
    terms.permits = {limit, static_cast<std::uint32_t>(random.between(1, limit))};
  } else if (random.chance(plan.shared)) {
    terms.mode = core::Mode::shared;
  }
  terms.ttl = random.between(plan.shortest_ttl, plan.longest_ttl);
  if (random.chance(500'000)) terms.ttl = random.between(plan.shortest_ttl, terms.ttl);
  if (random.chance(plan.holds_and_delays))
    terms.max_hold = random.between(milliseconds(50), terms.ttl * 3);
  if (random.chance(plan.holds_and_delays))
    terms.min_hold = random.between(milliseconds(10), terms.ttl);
  if (random.chance(plan.holds_and_delays))
    terms.lock_delay = random.between(milliseconds(10), seconds(2));
  if (!random.chance(plan.no_wait))
    request.wait = random.between(milliseconds(50), plan.longest_wait);
  return request;
}

void Worker::ask() {
  resting_ = false;
  ++asked_;
  // A new process asks for the time first; sometimes it has an old answer in hand.
  if (caller_.state_time_ms() == 0) {
    if (const auto time = cluster_.state_time(sim_.random.next())) caller_.learn_state_time(*time);
  }
  core::Acquire request = draw_request();
  Operation op;
  op.kind = OpKind::acquire;
  op.lease = request.id;
  op.resources = request.terms.resources;
  op.mode = request.terms.mode;
  op.permits = request.terms.permits;
  op.ttl = request.terms.ttl;
  const core::LeaseId id = request.id;
  const Micros wait = request.wait;
  const Micros patience =
      wait + (sim_.healed ? seconds(20) : sim_.random.between(seconds(1), seconds(10)));
  const CallId call = caller_.call(std::move(request), std::move(op), patience,
                                   [this, id](const Answer& answer) { asked(id, answer); });
  if (wait > Micros::zero() && sim_.random.chance(sim_.plan.cancel)) {
    caller_.later(sim_.random.between(Micros(0), wait), [this, call, id, asked = asked_] {
      if (asked == asked_ && !resting_ && !keeper_.held()) withdraw(call, id);
    });
  }
}

// Nobody wants it any more: whatever became of it, it is given back.
void Worker::withdraw(CallId call, const core::LeaseId& id) {
  if (!caller_.drop(call)) return;
  release(id);
}

void Worker::asked(const core::LeaseId& id, const Answer& answer) {
  if (answer.outcome == Outcome::ok)
    return keeper_.adopt(std::get<core::Granted>(*answer.effect), answer);
  if (answer.outcome == Outcome::unknown && sim_.random.chance(600'000)) return release(id);
  rest();
}

void Worker::plan_fate() {
  sim_.events.after(sim_.random.between(milliseconds(10), seconds(2)), [this] { meet_fate(); });
}

void Worker::meet_fate() {
  if (sim_.healed) return;
  plan_fate();
  if (!caller_.alive() || caller_.frozen()) return;
  if (sim_.random.chance(sim_.plan.freeze)) {
    const Micros longest = sim_.plan.longest_ttl * 2 + seconds(1);
    return caller_.freeze(sim_.random.between(milliseconds(10), longest));
  }
  if (!sim_.random.chance(sim_.plan.die)) return;
  keeper_.let_go();
  ++turn_;
  ++asked_;
  resting_ = true;
  caller_.die(sim_.random.chance(300'000));
  sim_.events.after(sim_.random.between(milliseconds(100), seconds(10)), [this] {
    ++lives_;
    caller_.be_born();
    rest();
  });
}

}  // namespace pawl::testing
