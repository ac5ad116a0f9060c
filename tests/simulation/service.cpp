// SPDX-License-Identifier: Apache-2.0
#include "simulation/service.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/read.h"
#include "simulation/names.h"

namespace pawl::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr std::uint64_t kCheckEvery = 16;
constexpr Micros kLogTimeEvery = seconds(5);  // while anything is live

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

}  // namespace

Service::Service(Sim& sim, Network& network, const std::vector<ResourceKind>& resources)
    : sim_(sim), network_(network), resources_(resources), state_(sim.random.next()) {}

void Service::start() {
  up_ = true;
  in_office_ = false;
  ++starts_;
  rate_ = DriftingClock(sim_.draw_drift());
  append(core::Time{}, core::Takeover{}, 0);
}

// Stops at any moment: of what is being written some is on disk, none is answered.
void Service::stop() {
  up_ = in_office_ = false;
  ++starts_;
  taken_.clear();
  by_connection_.clear();
  waiting_.clear();
  held_back_.clear();
  wake_at_.reset();
  const std::uint64_t written = sim_.random.below(log_.size() + 1);
  for (std::uint64_t i = 0; i < written; ++i) {
    const Entry entry = std::move(log_.front());
    log_.pop_front();
    apply(entry);
  }
  log_.clear();
  network_.break_all();
}

void Service::take(Request request) {
  if (!up_) return network_.refuse(request);
  if (!in_office_) {
    held_back_.push_back(std::move(request));
    return;
  }
  submit(std::move(request));
}

void Service::submit(Request request) {
  const TakenId id = ++last_taken_;
  const core::Ticket ticket{request.attempt, static_cast<std::uint32_t>(sim_.random.next())};
  put_ticket(request.body, ticket);
  core::CommandBody body = request.body;
  by_connection_[request.connection] = id;
  taken_[id] = Taken{std::move(request), ticket, clock()};
  append(stamp(), std::move(body), id);
}

void Service::append(core::Time at, core::CommandBody body, TakenId answers) {
  last_stamp_ = at;
  log_.push_back({{at, std::move(body)}, answers});
  Micros time = sim_.random.between(Micros(10), sim_.plan.commit);
  if (!sim_.healed && sim_.random.chance(sim_.plan.slow_commit))
    time = sim_.random.between(milliseconds(100), seconds(6));
  last_apply_ = std::max(last_apply_, sim_.now() + time);
  sim_.events.at(last_apply_, [this, start = starts_] {
    if (start == starts_) apply_next();
  });
}

void Service::apply_next() {
  const Entry entry = std::move(log_.front());
  log_.pop_front();
  apply(entry);
  if (std::holds_alternative<core::Takeover>(entry.command.body)) take_office();
  arm();
}

void Service::take_office() {
  base_ = last_stamp_ = state_.now;
  base_clock_ = clock();
  in_office_ = true;
  if (starts_ == 1) append(stamp(), core::SetLimits{sim_.plan.limits}, 0);
  for (Request& request : std::exchange(held_back_, {})) submit(std::move(request));
}

void Service::apply(const Entry& entry) {
  const core::Effects effects = core::step(state_, entry.command);
  sim_.stats.add(Count::commands);
  for (std::size_t i = 0; i < effects.all.size(); ++i) {
    note(entry, effects.all[i]);
    serve_effect(entry, effects, i);
  }
  if (++applied_ % kCheckEvery == 0) check_state();
}

void Service::check_state() {
  if (broken_) return;
  sim_.stats.add(Count::state_checks);
  broken_ = core::check(state_);
  if (!broken_) broken_ = stuck_waiter();
}

// P7: whoever is first in the queue of a resource that nobody holds has been granted it.
std::optional<std::string> Service::stuck_waiter() const {
  for (const ResourceKind& resource : resources_) {
    const auto view = core::show_resource(state_, kSpace, resource.name, 1);
    if (!view || view->holder_count != 0 || view->waiters.empty()) continue;
    const core::WaiterView& first = view->waiters.front();
    const bool elsewhere = first.lease.terms.resources.size() > 1;
    if (first.detached || elsewhere || view->closed_until > state_.now) continue;
    return "nobody holds " + resource.name.str() + ", but " + first.lease.id.str() + " still waits";
  }
  return std::nullopt;
}

void Service::serve_effect(const Entry& entry, const core::Effects& effects, std::size_t index) {
  const core::Effect& effect = effects.all[index];
  if (index == effects.reply_index) serve_reply(entry, effect);
  using core::WaitKind;
  if (const auto* granted = std::get_if<core::Granted>(&effect)) {
    serve_waiter({granted->lease.id.str(), WaitKind::acquire, granted->ticket}, effect);
  } else if (const auto* ended = std::get_if<core::Ended>(&effect)) {
    serve_waiter({ended->lease.id.str(), WaitKind::acquire, ended->ticket}, effect);
    if (ended->waiting_upgrade)
      serve_waiter({ended->lease.id.str(), WaitKind::upgrade, *ended->waiting_upgrade}, effect);
  } else if (const auto* superseded = std::get_if<core::Superseded>(&effect)) {
    serve_waiter({superseded->id.str(), superseded->kind, superseded->ticket}, effect);
  } else if (const auto* upgraded = std::get_if<core::Upgraded>(&effect)) {
    serve_waiter({upgraded->lease.id.str(), WaitKind::upgrade, upgraded->ticket}, effect);
  } else if (const auto* withdrawn = std::get_if<core::UpgradeWithdrawn>(&effect)) {
    serve_waiter({withdrawn->lease.id.str(), WaitKind::upgrade, withdrawn->ticket}, effect);
  }
}

void Service::serve_reply(const Entry& entry, const core::Effect& effect) {
  if (!taken_.contains(entry.answers)) return;
  const bool waits = std::holds_alternative<core::Queued>(effect) ||
                     std::holds_alternative<core::UpgradeQueued>(effect);
  if (waits) {
    keep_wait(entry.answers);
  } else {
    answer(entry.answers, effect);
  }
}

void Service::serve_waiter(const WaitKey& key, const core::Effect& effect) {
  const auto at = waiting_.find(key);
  if (at != waiting_.end()) answer(at->second, effect);
}

void Service::keep_wait(TakenId id) {
  const Taken& taken = taken_.at(id);
  const core::CommandBody& body = taken.request.body;
  waiting_[{lease_of(body).str(), kind_of(body), taken.ticket}] = id;
  const Micros over = rate_.reaches(taken.received + wait_of(body));
  sim_.events.at(over, [this, id, start = starts_] {
    const auto at = taken_.find(id);
    if (start != starts_ || at == taken_.end()) return;
    cancel(at->second, core::CancelReason::timeout, id);
  });
}

void Service::cancel(const Taken& taken, core::CancelReason reason, TakenId answers) {
  const core::CommandBody& body = taken.request.body;
  append(stamp(), core::CancelWait{kSpace, lease_of(body), taken.ticket, kind_of(body), reason},
         answers);
}

void Service::answer(TakenId id, const core::Effect& effect) {
  const auto at = taken_.find(id);
  if (at == taken_.end()) return;
  const Taken taken = std::move(at->second);
  taken_.erase(at);
  by_connection_.erase(taken.request.connection);
  waiting_.erase({lease_of(taken.request.body).str(), kind_of(taken.request.body), taken.ticket});
  network_.reply(taken.request.connection,
                 {taken.request.call, taken.request.attempt, effect, state_.now});
}

void Service::closed(ConnectionId connection) {
  std::erase_if(held_back_, [&](const Request& held) { return held.connection == connection; });
  const auto at = by_connection_.find(connection);
  if (at == by_connection_.end()) return;  // answered, or never arrived
  const TakenId id = at->second;
  const Taken taken = std::move(taken_.at(id));
  taken_.erase(id);
  by_connection_.erase(at);
  waiting_.erase({lease_of(taken.request.body).str(), kind_of(taken.request.body), taken.ticket});
  if (!lease_of(taken.request.body).empty()) cancel(taken, core::CancelReason::gone, 0);
}

// Plans the next look at the clock: when something is due, and at the latest when time must be
// logged.
void Service::arm() {
  if (!in_office_ || !core::is_live(state_)) return;
  Micros at = sim_.now() + kLogTimeEvery / 2;
  const core::Time due = core::next_due(state_);
  if (due != core::kNever) {
    const Micros reading = base_clock_ + (due - base_);
    const Micros late = sim_.healed ? milliseconds(1) : sim_.plan.lateness;
    at = std::min(
        at, std::max(sim_.now(), rate_.reaches(reading)) + sim_.random.between(Micros(0), late));
  }
  if (wake_at_ && *wake_at_ <= at) return;
  wake_at_ = at;
  sim_.events.at(at, [this, at, start = starts_] {
    if (start != starts_ || wake_at_ != at) return;
    wake_at_.reset();
    wake();
  });
}

void Service::wake() {
  const core::Time now = stamp();
  const bool under_way = !log_.empty();  // its apply arms again
  const bool due = core::next_due(state_) <= now;
  const bool quiet = core::is_live(state_) && now - last_stamp_ >= kLogTimeEvery / 2;
  if (!under_way && (due || quiet)) return append(now, core::Advance{}, 0);
  if (!under_way) arm();
}

std::optional<core::Holder> Service::some_holder(const core::ResourceName& resource,
                                                 std::uint64_t which) const {
  const auto view = core::show_resource(state_, kSpace, resource, 16);
  if (!view || view->holders.empty()) return std::nullopt;
  return view->holders[which % view->holders.size()];
}

}  // namespace pawl::testing
