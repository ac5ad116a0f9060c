// SPDX-License-Identifier: Apache-2.0
#include "simulation/door.h"

#include <optional>

namespace pawl::testing {
namespace {

void put_attempt(core::CommandBody& body, std::uint32_t attempt) {
  if (auto* acquire = std::get_if<core::Acquire>(&body)) acquire->ticket.attempt = attempt;
  if (auto* upgrade = std::get_if<core::Upgrade>(&body)) upgrade->ticket.attempt = attempt;
}

Count count_of(const ports::NotSubmitted& refused) {
  return refused.why == ports::NotSubmitted::Why::overloaded ? Count::store_full
                                                             : Count::not_leader;
}

}  // namespace

// Each command is answered once.
void Door::Watched::submit(core::CommandBody body, ports::OnAnswer done) {
  std::optional<Sending> sending;
  if (const auto* acquire = std::get_if<core::Acquire>(&body))
    sending.emplace(acquire->id.str(), acquire->ticket);
  if (const auto* upgrade = std::get_if<core::Upgrade>(&body))
    sending.emplace(upgrade->id.str(), upgrade->ticket);
  const auto times = std::make_shared<int>(0);
  store_.submit(std::move(body), [=, this, done = std::move(done)](const ports::Answer& answer) {
    if (++*times > 1) ledger_.break_with("a command was answered twice");
    if (sending && std::holds_alternative<ports::NotSubmitted>(answer))
      ledger_.not_submitted(*sending);
    done(answer);
  });
}

void Door::open(ports::LockStore& store) {
  store_ = std::make_unique<Watched>(store, ledger_);
  calls_ = std::make_unique<service::Calls>(
      service::Calls::Hands{*store_, machine_, machine_, machine_});
}

void Door::take(Request request) {
  put_attempt(request.body, request.attempt);
  const ConnectionId connection = request.connection;
  core::CommandBody body = request.body;
  const service::CallId call = calls_->take(
      std::move(body),
      [this, request = std::move(request)](const service::Asked&, const service::Told& outcome) {
        by_connection_.erase(request.connection);
        told(request, outcome);
      });
  if (call != 0) by_connection_[connection] = call;
}

void Door::told(const Request& request, const service::Told& told) {
  if (const auto* decided = std::get_if<service::Decided>(&told)) {
    answered_something_ = true;
    return network_.reply(request.connection,
                          {request.call, request.attempt, decided->effect, decided->now, node_});
  }
  if (const auto* refused = std::get_if<service::NotTaken>(&told)) {
    sim_.stats.add(count_of(refused->refused));
    return network_.refuse(request, refused->refused.leader);
  }
  sim_.stats.add(Count::store_unknown);
  network_.refuse(request, leader_);
}

// In the replay at a start there are no calls yet.
void Door::applied(const core::Effects& effects) {
  if (calls_) calls_->applied(effects);
}

void Door::left_office(const std::string& leader) {
  leader_ = leader;
  if (calls_) calls_->left_office();
  leader_.clear();
}

void Door::closed(ConnectionId connection) {
  const auto at = by_connection_.find(connection);
  if (at == by_connection_.end()) return;  // answered, or never arrived
  const service::CallId call = at->second;
  by_connection_.erase(at);
  calls_->hung_up(call);
}

}  // namespace pawl::testing
