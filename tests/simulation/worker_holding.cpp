// SPDX-License-Identifier: Apache-2.0
// What a worker does while it holds: updates what the lock protects, with its token, and changes
// its mode.
#include <algorithm>

#include "simulation/answers.h"
#include "simulation/names.h"
#include "simulation/worker.h"

namespace pawl::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

void Worker::work() {
  ++turn_;
  exclusive_ = keeper_.lease().terms.mode == core::Mode::exclusive;
  steps_left_ = sim_.random.below(7);
  next(turn_);
}

void Worker::next(std::uint64_t turn) {
  if (turn != turn_) return;
  const Micros longest = std::max<Micros>(milliseconds(2), keeper_.lease().terms.ttl / 2);
  caller_.later(sim_.random.between(milliseconds(1), longest), [this, turn] { act(turn); });
}

void Worker::act(std::uint64_t turn) {
  if (turn != turn_) return;
  if (steps_left_ == 0) {
    const core::LeaseId id = keeper_.lease().id;
    keeper_.let_go();
    return release(id);
  }
  --steps_left_;
  if (sim_.random.chance(sim_.plan.change_mode)) return change_mode(turn);
  if (exclusive_) return update(turn);
  next(turn);
}

void Worker::change_mode(std::uint64_t turn) {
  if (keeper_.lease().terms.mode == core::Mode::permit) return next(turn);
  if (exclusive_) return downgrade(turn);
  upgrade(turn);
}

void Worker::upgrade(std::uint64_t turn) {
  core::Upgrade request;
  request.space = kSpace;
  request.id = keeper_.lease().id;
  request.known = keeper_.lease().token;
  if (!sim_.random.chance(sim_.plan.no_wait))
    request.wait = sim_.random.between(milliseconds(50), sim_.plan.longest_wait);
  Operation op;
  op.kind = OpKind::upgrade;
  op.lease = request.id;
  op.known = request.known;
  const Micros patience =
      request.wait + (sim_.healed ? seconds(20) : sim_.random.between(seconds(1), seconds(5)));
  caller_.call(std::move(request), std::move(op), patience, [this, turn](const Answer& answer) {
    if (turn == turn_ && answer.outcome == Outcome::ok) exclusive_ = true;
    mode_changed(answer, turn);
  });
}

void Worker::downgrade(std::uint64_t turn) {
  const core::Downgrade request{kSpace, keeper_.lease().id, keeper_.lease().token};
  Operation op;
  op.kind = OpKind::downgrade;
  op.lease = request.id;
  op.known = request.known;
  exclusive_ = false;
  caller_.call(request, std::move(op), sim_.random.between(seconds(1), seconds(5)),
               [this, turn](const Answer& answer) { mode_changed(answer, turn); });
}

void Worker::mode_changed(const Answer& answer, std::uint64_t turn) {
  if (turn != turn_) return;
  if (answer.outcome == Outcome::ok) {
    const Micros valid_for = sim_.history.at(answer.op).valid_for;
    keeper_.confirm(*lease_in(*answer.effect), valid_for, answer);
  }
  next(turn);
}

// Reads the value, thinks, writes the next one: an update that must not be lost.
void Worker::update(std::uint64_t turn) {
  const auto& names = keeper_.lease().terms.resources;
  const core::ResourceName name = names[sim_.random.below(names.size())];
  const core::FencingToken token = keeper_.lease().token;
  sim_.events.after(network_.delay(), [this, name, token, turn] {
    const auto values = registers_.all[name].read(token);
    if (!values) sim_.stats.add(Count::stale_rejected);
    caller_.hear(network_.delay(), [this, name, token, turn, values] {
      if (turn != turn_) return;
      if (!values) return next(turn);
      const Micros longest = std::max<Micros>(milliseconds(2), keeper_.lease().terms.ttl / 3);
      caller_.later(sim_.random.between(milliseconds(1), longest),
                    [this, name, token, turn, values] { write(name, token, *values, turn); });
    });
  });
}

// It was sure to hold the lock when it began; if it was frozen since, it does not know yet.
void Worker::write(const core::ResourceName& resource, core::FencingToken token,
                   Register::Values base, std::uint64_t turn) {
  if (turn != turn_) return;
  Operation op;
  op.kind = OpKind::fenced_write;
  op.client = caller_.client();
  op.resources = {resource};
  op.token = token;
  op.called = sim_.now();
  op.base = base.fenced;
  op.value = ++registers_.last_value;
  const std::size_t fenced = sim_.history.call(op);
  op.kind = OpKind::plain_write;
  op.base = base.plain;
  const std::size_t plain = sim_.history.call(op);
  const Micros delay = network_.delay();
  sim_.events.after(delay, [this, fenced, plain] {
    store(fenced);
    store(plain);
  });
  caller_.hear(delay + network_.delay(), [this, turn] { next(turn); });
}

// The register's own account: what it took is known even if the writer never hears of it.
void Worker::store(std::size_t index) {
  Operation& op = sim_.history.at(index);
  Register& target = registers_.all[op.resources.front()];
  const bool fenced = op.kind == OpKind::fenced_write;
  op.order = fenced ? target.write_fenced(op.token, op.value) : target.write_plain(op.value);
  op.outcome = op.order == 0 ? Outcome::fail : Outcome::ok;
  op.returned = sim_.now();
  if (!fenced) return;
  sim_.stats.add(op.order == 0 ? Count::stale_rejected : Count::fenced_writes);
}

void Worker::release(const core::LeaseId& id) {
  ++turn_;
  Operation op;
  op.kind = OpKind::release;
  op.lease = id;
  caller_.call(core::Release{kSpace, id}, std::move(op),
               sim_.random.between(milliseconds(500), seconds(5)),
               [this](const Answer&) { rest(); });
}

void Worker::lost() {
  ++turn_;
  const core::LeaseId id = keeper_.lease().id;
  if (sim_.random.chance(500'000)) return release(id);
  rest();
}

}  // namespace pawl::testing
