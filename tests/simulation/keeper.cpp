// SPDX-License-Identifier: Apache-2.0
#include "simulation/keeper.h"

#include <algorithm>

#include "simulation/names.h"

namespace pawl::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

Micros drift_allowance(Micros valid_for) { return valid_for / 100 + milliseconds(2); }

}  // namespace

void Keeper::adopt(const core::Granted& granted, const Answer& answer) {
  ++turn_;
  kept_ = true;
  held_ = doomed_ = false;
  lease_ = granted.lease;
  deadline_ = Micros::zero();
  extend(answer.sent, granted.valid_for);
  const bool waited = sim_.history.at(answer.op).waited;
  const bool late = deadline_ - caller_.clock() < lease_.terms.ttl / 2;
  if (waited || late) return renew();  // held once that is acknowledged
  held_ = true;
  watch_deadline();
  plan_renewal(lease_.terms.ttl / 3);
  on_held();
}

void Keeper::extend(Micros sent, Micros valid_for) {
  deadline_ = std::max(deadline_, sent + valid_for - drift_allowance(valid_for));
}

void Keeper::confirm(const core::LeaseInfo& lease, Micros valid_for, const Answer& answer) {
  if (!held_) return;
  lease_ = lease;
  extend(answer.sent, valid_for);
  watch_deadline();
}

void Keeper::watch_deadline() {
  caller_.later(std::max(Micros::zero(), deadline_ - caller_.clock()), [this, turn = turn_] {
    if (turn == turn_ && held_ && caller_.clock() >= deadline_) lose();
  });
}

void Keeper::plan_renewal(Micros delay) {
  caller_.later(delay, [this, turn = turn_] {
    if (turn == turn_ && kept_ && !doomed_) renew();
  });
}

void Keeper::renew() {
  Operation op;
  op.kind = OpKind::renew;
  op.lease = lease_.id;
  const Micros other = sim_.random.chance(100'000) ? lease_.terms.ttl * 2 : Micros::zero();
  const Micros patience = std::max<Micros>(lease_.terms.ttl, seconds(1));
  renewal_ = caller_.call(core::Renew{kSpace, lease_.id, other}, std::move(op), patience,
                          [this, turn = turn_](const Answer& answer) {
                            if (turn == turn_ && kept_) renewed(answer);
                          });
}

void Keeper::renewed(const Answer& answer) {
  renewal_ = 0;
  if (answer.outcome == Outcome::unknown) return held_ ? renew() : lose();
  if (const auto* renewed = std::get_if<core::Renewed>(&*answer.effect)) {
    lease_ = renewed->lease;
    extend(answer.sent, renewed->valid_for);
    if (!held_ && deadline_ <= caller_.clock()) return renew();  // it came too late to be of use
    watch_deadline();
    plan_renewal(lease_.terms.ttl / 3);
    if (held_) return;
    held_ = true;
    return on_held();
  }
  if (std::holds_alternative<core::RenewalRefused>(*answer.effect) && held_) {
    doomed_ = true;
    return;
  }
  lose();
}

void Keeper::let_go() {
  if (renewal_ != 0) caller_.drop(renewal_);
  renewal_ = 0;
  kept_ = held_ = false;
  ++turn_;
}

void Keeper::lose() {
  if (held_) sim_.stats.add(Count::losses);
  let_go();
  on_lost();
}

}  // namespace pawl::testing
