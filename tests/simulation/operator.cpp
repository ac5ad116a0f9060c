// SPDX-License-Identifier: Apache-2.0
#include "simulation/operator.h"

#include "simulation/names.h"

namespace pawl::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

void Operator::begin() {
  const Micros mean = sim_.plan.between_force_releases;
  if (mean == Micros::zero() || sim_.healed) return;
  caller_.later(sim_.random.between(milliseconds(10), mean * 2), [this] {
    if (!sim_.healed) act();
    begin();
  });
}

void Operator::act() {
  core::ForceRelease request;
  request.space = kSpace;
  request.resource = resources_[sim_.random.below(resources_.size())].name;
  request.actor = core::ActorId("operator");
  request.reason = "the simulation wants it";
  if (sim_.random.chance(500'000)) request.when = core::ForceWhen::at_deadline;
  const auto holder = cluster_.some_holder(request.resource, sim_.random.next());
  if (!holder) return;
  Operation op;
  op.kind = OpKind::force_release;
  op.resources = {request.resource};
  op.at_deadline = request.when == core::ForceWhen::at_deadline;
  const std::uint64_t guard = sim_.random.below(5);
  if (guard < 3) request.only_lease = holder->id;
  if (guard == 3) request.only_token = holder->token;
  if (guard != 4) op.lease = holder->id;
  caller_.call(std::move(request), std::move(op), seconds(4),
               [this](const Answer& answer) { acted(answer); });
}

// Whom it met, where it named nobody: each of them is over for certain (I4).
void Operator::acted(const Answer& answer) {
  const Operation asked = sim_.history.at(answer.op);
  if (answer.outcome != Outcome::ok || !asked.lease.empty()) return;
  for (const core::Holder& holder : std::get<core::ForceReleased>(*answer.effect).record.holders) {
    Operation op = asked;
    op.lease = holder.id;
    sim_.history.call(std::move(op));
  }
}

}  // namespace pawl::testing
