// SPDX-License-Identifier: Apache-2.0
#include "simulation/door.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "simulation/names.h"

namespace pawl::testing {

using std::chrono::milliseconds;

namespace {

core::WaitKind kind_of(const core::CommandBody& body) {
  return std::holds_alternative<core::Upgrade>(body) ? core::WaitKind::upgrade
                                                     : core::WaitKind::acquire;
}

core::LeaseId lease_of(const core::CommandBody& body) {
  if (const auto* acquire = std::get_if<core::Acquire>(&body)) return acquire->id;
  if (const auto* upgrade = std::get_if<core::Upgrade>(&body)) return upgrade->id;
  return {};
}

Micros wait_of(const core::CommandBody& body) {
  if (const auto* acquire = std::get_if<core::Acquire>(&body)) return acquire->wait;
  if (const auto* upgrade = std::get_if<core::Upgrade>(&body)) return upgrade->wait;
  return Micros::zero();
}

// The door's part of the request.
void put_ticket(core::CommandBody& body, core::Ticket ticket) {
  if (auto* acquire = std::get_if<core::Acquire>(&body)) acquire->ticket = ticket;
  if (auto* upgrade = std::get_if<core::Upgrade>(&body)) upgrade->ticket = ticket;
}

bool is_overloaded(const ports::Answer& answer) {
  const auto* refused = std::get_if<ports::NotSubmitted>(&answer);
  return refused != nullptr && refused->why == ports::NotSubmitted::Why::overloaded;
}

constexpr Micros kAgain = milliseconds(20);

}  // namespace

Door::WaitKey Door::key_of(const Taken& taken) {
  const core::CommandBody& body = taken.request.body;
  return {lease_of(body).str(), kind_of(body), taken.ticket};
}

void Door::take(Request request) {
  const TakenId id = ++last_taken_;
  const core::Ticket ticket{request.attempt, static_cast<std::uint32_t>(sim_.random.next())};
  put_ticket(request.body, ticket);
  core::CommandBody body = request.body;
  by_connection_[request.connection] = id;
  taken_[id] = Taken{std::move(request), ticket, machine_.now()};
  submit(std::move(body), [this, id](const ports::Answer& answer) { answered(id, answer); });
}

// Each command is answered once.
void Door::submit(core::CommandBody body, std::function<void(const ports::Answer&)> done) {
  std::optional<Sending> sending;
  if (const auto* acquire = std::get_if<core::Acquire>(&body))
    sending.emplace(acquire->id.str(), acquire->ticket);
  if (const auto* upgrade = std::get_if<core::Upgrade>(&body))
    sending.emplace(upgrade->id.str(), upgrade->ticket);
  const auto times = std::make_shared<int>(0);
  store_->submit(std::move(body), [=, this, done = std::move(done)](const ports::Answer& answer) {
    if (++*times > 1) ledger_.break_with("a command was answered twice");
    if (sending && std::holds_alternative<ports::NotSubmitted>(answer))
      ledger_.not_submitted(*sending);
    done(answer);
  });
}

void Door::answered(TakenId id, const ports::Answer& answer) {
  if (const auto* applied = std::get_if<ports::Applied>(&answer)) {
    if (!taken_.contains(id)) return;
    const core::Effect& effect = applied->effects.reply();
    const bool waits = std::holds_alternative<core::Queued>(effect) ||
                       std::holds_alternative<core::UpgradeQueued>(effect);
    if (waits) return keep_wait(id);
    return reply(id, effect, applied->effects.now);
  }
  if (const auto* refused = std::get_if<ports::NotSubmitted>(&answer)) {
    sim_.stats.add(is_overloaded(answer) ? Count::store_full : Count::not_leader);
    return give_up(id, refused->leader);
  }
  sim_.stats.add(Count::store_unknown);
  give_up(id, "");
}

void Door::keep_wait(TakenId id) {
  Taken& taken = taken_.at(id);
  if (std::exchange(taken.waits, true)) return;
  waiting_[key_of(taken)] = id;
  const Micros over = taken.received + wait_of(taken.request.body);
  machine_.later(over - machine_.now(), [this, id] { time_out(id); });
}

void Door::time_out(TakenId id) {
  const auto at = taken_.find(id);
  if (at == taken_.end()) return;
  const core::CommandBody& body = at->second.request.body;
  const core::CancelWait cancel{kSpace, lease_of(body), at->second.ticket, kind_of(body),
                                core::CancelReason::timeout};
  submit(cancel, [this, id](const ports::Answer& answer) {
    if (!is_overloaded(answer)) return answered(id, answer);
    machine_.later(kAgain, [this, id] { time_out(id); });
  });
}

// Said until it is heard; a store that no longer leads need not know.
void Door::tell_gone(core::CancelWait cancel) {
  submit(cancel, [this, cancel](const ports::Answer& answer) {
    if (is_overloaded(answer)) machine_.later(kAgain, [this, cancel] { tell_gone(cancel); });
  });
}

void Door::applied(const core::Effects& effects) {
  state_time_ = effects.now;
  using core::WaitKind;
  for (const core::Effect& effect : effects.all) {
    if (const auto* granted = std::get_if<core::Granted>(&effect)) {
      serve({granted->lease.id.str(), WaitKind::acquire, granted->ticket}, effect);
    } else if (const auto* ended = std::get_if<core::Ended>(&effect)) {
      serve({ended->lease.id.str(), WaitKind::acquire, ended->ticket}, effect);
      if (ended->waiting_upgrade)
        serve({ended->lease.id.str(), WaitKind::upgrade, *ended->waiting_upgrade}, effect);
    } else if (const auto* superseded = std::get_if<core::Superseded>(&effect)) {
      serve({superseded->id.str(), superseded->kind, superseded->ticket}, effect);
    } else if (const auto* upgraded = std::get_if<core::Upgraded>(&effect)) {
      serve({upgraded->lease.id.str(), WaitKind::upgrade, upgraded->ticket}, effect);
    } else if (const auto* withdrawn = std::get_if<core::UpgradeWithdrawn>(&effect)) {
      serve({withdrawn->lease.id.str(), WaitKind::upgrade, withdrawn->ticket}, effect);
    }
  }
}

void Door::serve(const WaitKey& key, const core::Effect& effect) {
  const auto at = waiting_.find(key);
  if (at != waiting_.end()) reply(at->second, effect, state_time_);
}

Door::Taken Door::take_out(TakenId id) {
  const auto at = taken_.find(id);
  Taken taken = std::move(at->second);
  taken_.erase(at);
  by_connection_.erase(taken.request.connection);
  if (taken.waits) waiting_.erase(key_of(taken));
  return taken;
}

void Door::reply(TakenId id, const core::Effect& effect, core::Time state_time) {
  answered_something_ = true;
  const Request request = take_out(id).request;
  network_.reply(request.connection, {request.call, request.attempt, effect, state_time, node_});
}

void Door::give_up(TakenId id, const std::string& leader) {
  if (!taken_.contains(id)) return;
  network_.refuse(take_out(id).request, leader);
}

// The next leader's Takeover leaves all waits to those who ask again.
void Door::left_office(const std::string& leader) {
  std::vector<TakenId> waits;
  for (const auto& [key, id] : waiting_) waits.push_back(id);
  for (const TakenId id : waits) give_up(id, leader);
}

void Door::closed(ConnectionId connection) {
  const auto at = by_connection_.find(connection);
  if (at == by_connection_.end()) return;  // answered, or never arrived
  const Taken taken = take_out(at->second);
  const core::CommandBody& body = taken.request.body;
  if (lease_of(body).empty()) return;
  tell_gone({kSpace, lease_of(body), taken.ticket, kind_of(body), core::CancelReason::gone});
}

}  // namespace pawl::testing
