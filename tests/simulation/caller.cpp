// SPDX-License-Identifier: Apache-2.0
#include "simulation/caller.h"

#include <algorithm>
#include <utility>

#include "simulation/answers.h"

namespace pawl::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

Micros wait_of(const core::CommandBody& body) {
  if (const auto* acquire = std::get_if<core::Acquire>(&body)) return acquire->wait;
  if (const auto* upgrade = std::get_if<core::Upgrade>(&body)) return upgrade->wait;
  return Micros::zero();
}

void put_wait(core::CommandBody& body, Micros wait) {
  if (auto* acquire = std::get_if<core::Acquire>(&body)) acquire->wait = wait;
  if (auto* upgrade = std::get_if<core::Upgrade>(&body)) upgrade->wait = wait;
}

bool is_superseded(const core::Effect& effect) {
  if (std::holds_alternative<core::Superseded>(effect)) return true;
  const auto* refused = std::get_if<core::Refused>(&effect);
  return refused != nullptr && refused->code == core::RefusalCode::superseded;
}

}  // namespace

Caller::Caller(Sim& sim, Network& network, std::uint32_t client)
    : sim_(sim),
      network_(network),
      client_(client),
      clock_(sim.draw_drift()),
      node_(sim.random.below32(sim.plan.nodes)) {}

void Caller::run(std::uint64_t life, Action action) {
  if (life != life_ || !alive_) return;
  if (frozen_) {
    backlog_.push_back([this, life, action = std::move(action)] { run(life, action); });
  } else {
    action();
  }
}

void Caller::later(Micros delay, Action action) {
  const Micros at = clock_.reaches(clock() + delay);
  sim_.events.at(at, [this, life = life_, action = std::move(action)] { run(life, action); });
}

void Caller::hear(Micros delay, Action action) {
  sim_.events.after(delay, [this, life = life_, action = std::move(action)] { run(life, action); });
}

void Caller::freeze(Micros time) {
  frozen_ = true;
  sim_.stats.add(Count::frozen);
  sim_.events.after(time, [this, freeze = ++freezes_] {
    if (freeze == freezes_) thaw();
  });
}

void Caller::thaw() {
  if (!frozen_) return;
  frozen_ = false;
  for (const Action& action : std::exchange(backlog_, {})) action();
}

void Caller::die(bool silent) {
  sim_.stats.add(Count::died);
  alive_ = frozen_ = false;
  ++life_;
  ++freezes_;
  backlog_.clear();
  for (const auto& [id, call] : std::exchange(calls_, {})) {
    sim_.history.at(call.op).listening = false;
    network_.close(call.connection, silent);
  }
}

void Caller::be_born() {
  alive_ = true;
  clock_ = DriftingClock(sim_.draw_drift());
}

void Caller::learn_state_time(core::Time time) {
  state_time_ms_ = std::max(state_time_ms_, core::to_ms(time));
}

CallId Caller::call(core::CommandBody body, Operation op, Micros patience, Done done) {
  const CallId id = ++last_call_;
  Call& call = calls_[id];
  call.waits = wait_of(body) > Micros::zero();
  call.wait_until = clock() + wait_of(body);
  call.give_up = clock() + patience;
  call.body = std::move(body);
  call.once = std::holds_alternative<core::ForceRelease>(call.body) && op.lease.empty();
  call.done = std::move(done);
  call.began_healthy = sim_.healed;
  op.client = client_;
  op.called = sim_.now();
  op.wait = wait_of(call.body);
  call.op = sim_.history.call(std::move(op));
  send(id);
  return id;
}

// Waits are re-sent at most a second apart, so that a waiter keeps its turn.
Micros Caller::reply_time_out(const Call& call) {
  if (call.waits) return sim_.random.between(milliseconds(300), milliseconds(1'000));
  return sim_.random.between(milliseconds(100), milliseconds(1'500));
}

void Caller::send(CallId id) {
  Call& call = calls_.at(id);
  ++call.attempt;
  if (call.attempt > 1) sim_.stats.add(Count::resent);
  if (call.waits) put_wait(call.body, std::max(Micros::zero(), call.wait_until - clock()));
  call.sent = sim_.now();
  call.sent_clock = clock();
  call.connection = network_.send({node_, 0, client_, id, call.attempt, call.body, call.once});
  later(call.once ? seconds(8) : reply_time_out(call), [this, id, attempt = call.attempt] {
    const auto at = calls_.find(id);
    if (at == calls_.end() || at->second.attempt != attempt) return;
    if (!sim_.healed) turn_to("");
    send_again(id, attempt, Micros::zero());
  });
}

// Another node, most likely the one that was named.
void Caller::turn_to(const std::string& leader) {
  if (!leader.empty() && !sim_.random.chance(100'000)) {
    node_ = node_at(leader);
  } else if (sim_.random.chance(700'000)) {
    node_ = sim_.random.below32(sim_.plan.nodes);
  }
}

void Caller::send_again(CallId id, std::uint32_t attempt, Micros delay) {
  const auto at = calls_.find(id);
  if (at == calls_.end() || at->second.attempt != attempt) return;
  network_.close(at->second.connection, false);
  if (at->second.once || clock() >= at->second.give_up) return finish(id, std::nullopt);
  if (delay == Micros::zero()) return send(id);
  later(delay, [this, id, attempt] { send_again(id, attempt, Micros::zero()); });
}

void Caller::broken(const Broken& broken) {
  run(life_, [this, broken] {
    const auto at = calls_.find(broken.call);
    if (at == calls_.end() || at->second.attempt != broken.attempt) return;
    turn_to(broken.leader);
    const bool soon = !broken.leader.empty() || sim_.random.chance(500'000);
    const Micros longest = milliseconds(soon ? 20 : at->second.waits ? 300 : 900);
    send_again(broken.call, broken.attempt, sim_.random.between(milliseconds(1), longest));
  });
}

void Caller::receive(const Reply& reply) {
  run(life_, [this, reply] {
    const auto at = calls_.find(reply.call);
    // An older sending's connection is closed: nobody reads what comes there.
    if (at == calls_.end() || at->second.attempt != reply.attempt) return;
    learn_state_time(reply.state_time);
    node_ = reply.node;
    if (is_superseded(reply.effect)) {
      return send_again(reply.call, reply.attempt,
                        sim_.random.between(milliseconds(1), milliseconds(200)));
    }
    // If a duplicate was answered, the original may still be under way.
    network_.close(at->second.connection, false);
    finish(reply.call, reply.effect);
  });
}

void Caller::finish(CallId id, std::optional<core::Effect> effect) {
  const auto at = calls_.find(id);
  const Call call = std::move(at->second);
  calls_.erase(at);
  Operation& op = sim_.history.at(call.op);
  if (effect) {
    op.returned = sim_.now();
    op.sent = call.sent;
    record(*effect, op);
    if (const auto queued = sim_.queued_at.find(op.lease.str());
        queued != sim_.queued_at.end() && op.kind == OpKind::acquire)
      op.queued_by = queued->second;
  } else {
    sim_.stats.add(Count::unknown);
    if (!call.began_healthy) op.listening = false;
  }
  const Answer answer{op.outcome, std::move(effect), call.sent_clock, call.op};
  call.done(answer);
}

bool Caller::drop(CallId id) {
  const auto at = calls_.find(id);
  if (at == calls_.end()) return false;
  sim_.history.at(at->second.op).listening = false;
  network_.close(at->second.connection, false);
  calls_.erase(at);
  return true;
}

}  // namespace pawl::testing
