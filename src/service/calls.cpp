// SPDX-License-Identifier: Apache-2.0
#include "service/calls.h"

#include <algorithm>
#include <chrono>
#include <type_traits>

#include "core/assert.h"

namespace pawl::service {
namespace {

using core::WaitKind;

constexpr ports::Ticks kAgain = std::chrono::milliseconds(20);
// Beyond these a grant that nobody heard of is left to its TTL.
constexpr std::size_t kMostGone = 100'000;

template <class Command>
constexpr CallKind kind_of() {
  if constexpr (std::is_same_v<Command, core::Acquire>) return CallKind::acquire;
  if constexpr (std::is_same_v<Command, core::Renew>) return CallKind::renew;
  if constexpr (std::is_same_v<Command, core::Release>) return CallKind::release;
  if constexpr (std::is_same_v<Command, core::Upgrade>) return CallKind::upgrade;
  if constexpr (std::is_same_v<Command, core::Downgrade>) return CallKind::downgrade;
  return CallKind::force_release;
}

Asked asked_of(const core::CommandBody& body) {
  return std::visit(
      [](const auto& command) {
        using Command = std::decay_t<decltype(command)>;
        Asked asked;
        asked.kind = kind_of<Command>();
        if constexpr (requires { command.space; }) asked.space = command.space;
        if constexpr (requires { command.id; }) asked.id = command.id;
        if constexpr (requires { command.known; }) asked.known = command.known;
        if constexpr (requires { command.ticket; }) asked.ticket = command.ticket;
        return asked;
      },
      body);
}

core::Ticket* ticket_of(core::CommandBody& body) {
  if (auto* acquire = std::get_if<core::Acquire>(&body)) return &acquire->ticket;
  if (auto* upgrade = std::get_if<core::Upgrade>(&body)) return &upgrade->ticket;
  return nullptr;
}

core::Duration wait_of(const core::CommandBody& body) {
  if (const auto* acquire = std::get_if<core::Acquire>(&body)) return acquire->wait;
  if (const auto* upgrade = std::get_if<core::Upgrade>(&body)) return upgrade->wait;
  return core::Duration::zero();
}

bool is_full(const ports::Answer& answer) {
  const auto* refused = std::get_if<ports::NotSubmitted>(&answer);
  return refused != nullptr && refused->why == ports::NotSubmitted::Why::overloaded;
}

core::CancelWait cancel_of(const Asked& asked, core::CancelReason reason) {
  return {asked.space, asked.id, asked.ticket, asked.wait_kind(), reason};
}

}  // namespace

Calls::Calls(const Hands& hands)
    : hands_(hands),
      timer_(hands.loop.make_timer([this] { time_out(); })),
      again_(hands.loop.make_timer([this] { try_again(); })) {}

// No two calls under way share a door number, so that it alone finds the call.
core::Ticket Calls::draw_ticket(std::uint32_t attempt) {
  std::uint32_t door = 0;
  do {
    door = static_cast<std::uint32_t>(hands_.random.next());
  } while (by_door_.contains(door));
  return {attempt, door};
}

CallId Calls::take(core::CommandBody body, OnTold done) {
  const CallId id = ++last_;
  if (core::Ticket* ticket = ticket_of(body)) {
    *ticket = draw_ticket(ticket->attempt);
    by_door_[ticket->door] = id;
  }
  const ports::Ticks until = hands_.clock.now() + std::min(wait_of(body), longest_wait_);
  calls_.emplace(id, Call{asked_of(body), std::move(done), until});
  hands_.store.submit(std::move(body),
                      [this, id](const ports::Answer& answer) { answered(id, answer); });
  return calls_.contains(id) ? id : 0;
}

void Calls::answered(CallId id, const ports::Answer& answer) {
  const auto at = calls_.find(id);
  if (at == calls_.end()) return;  // hung up, or told already
  Call& call = at->second;
  if (const auto* applied = std::get_if<ports::Applied>(&answer)) {
    const core::Effect& effect = applied->effects.reply();
    const bool waits = std::holds_alternative<core::Queued>(effect) ||
                       std::holds_alternative<core::UpgradeQueued>(effect);
    return waits ? keep_wait(id, call) : decide(id, effect, applied->effects.now);
  }
  const auto* refused = std::get_if<ports::NotSubmitted>(&answer);
  // A wait whose end could not be logged is in the log all the same.
  if (refused != nullptr && !call.waits) return tell(id, NotTaken{*refused});
  tell(id, OutcomeUnknown{});
}

void Calls::keep_wait(CallId id, Call& call) {
  if (std::exchange(call.waits, true)) return;
  ++waiting_;
  if (stopping_) return log_detach(id);
  deadlines_.emplace(call.until, id);
  set_timer();
}

void Calls::set_timer() {
  if (deadlines_.empty()) return timer_->cancel();
  timer_->set(deadlines_.begin()->first);
}

void Calls::time_out() {
  const ports::Ticks now = hands_.clock.now();
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const CallId id = deadlines_.begin()->second;
    deadlines_.erase(deadlines_.begin());
    log_timeout(id);
  }
  set_timer();
}

void Calls::log_timeout(CallId id) {
  const auto at = calls_.find(id);
  if (at == calls_.end()) return;
  hands_.store.submit(cancel_of(at->second.asked, core::CancelReason::timeout),
                      [this, id](const ports::Answer& answer) {
                        if (!is_full(answer)) return answered(id, answer);
                        timeouts_refused_.push_back(id);
                        again_->set(hands_.clock.now() + kAgain);
                      });
}

void Calls::hung_up(CallId id) {
  if (!calls_.contains(id)) return;
  const Asked asked = take_out(id).asked;
  if (asked.has_ticket()) log_gone(cancel_of(asked, core::CancelReason::gone));
}

void Calls::unheard(const core::Namespace& space, const core::LeaseId& id, core::Ticket ticket,
                    WaitKind kind) {
  log_gone({space, id, ticket, kind, core::CancelReason::gone});
}

// Said until it is heard; a store that no longer leads need not know.
void Calls::log_gone(core::CancelWait cancel) {
  hands_.store.submit(cancel, [this, cancel](const ports::Answer& answer) {
    if (!is_full(answer)) return;
    if (gone_refused_.size() == kMostGone) gone_refused_.pop_front();
    gone_refused_.push_back(cancel);
    again_->set(hands_.clock.now() + kAgain);
  });
}

void Calls::try_again() {
  for (const CallId id : std::exchange(timeouts_refused_, {})) log_timeout(id);
  for (const CallId id : std::exchange(detaches_refused_, {})) log_detach(id);
  for (core::CancelWait& cancel : std::exchange(gone_refused_, {})) log_gone(std::move(cancel));
}

std::vector<CallId> Calls::all_waiting() const {
  std::vector<CallId> ids;
  for (const auto& [id, call] : calls_)
    if (call.waits) ids.push_back(id);
  return ids;
}

void Calls::detach_all() {
  stopping_ = true;
  for (const CallId id : all_waiting()) log_detach(id);
}

void Calls::log_detach(CallId id) {
  const auto at = calls_.find(id);
  if (at == calls_.end()) return;
  at->second.detaching = true;
  hands_.store.submit(cancel_of(at->second.asked, core::CancelReason::gone),
                      [this, id](const ports::Answer& answer) {
                        if (!calls_.contains(id)) return;
                        if (is_full(answer)) {
                          detaches_refused_.push_back(id);
                          again_->set(hands_.clock.now() + kAgain);
                          return;
                        }
                        if (std::holds_alternative<ports::Applied>(answer))
                          return tell(id, Detached{});
                        tell(id, OutcomeUnknown{});
                      });
}

void Calls::left_office() {
  for (const CallId id : all_waiting())
    if (calls_.contains(id)) tell(id, OutcomeUnknown{});
}

CallId Calls::waiting_with(const core::Ticket& ticket, WaitKind kind, const core::Namespace& space,
                           const core::LeaseId& lease) const {
  const auto at = by_door_.find(ticket.door);
  if (at == by_door_.end()) return 0;
  const Call& call = calls_.at(at->second);
  const bool same = call.waits && call.asked.ticket == ticket && call.asked.wait_kind() == kind &&
                    call.asked.id == lease && call.asked.space == space;
  return same ? at->second : 0;
}

void Calls::applied(const core::Effects& effects) {
  if (waiting_ == 0) return;
  for (const core::Effect& effect : effects.all) {
    if (const auto* granted = std::get_if<core::Granted>(&effect)) {
      decide(
          waiting_with(granted->ticket, WaitKind::acquire, granted->lease.space, granted->lease.id),
          effect, effects.now);
    } else if (const auto* ended = std::get_if<core::Ended>(&effect)) {
      const core::LeaseInfo& lease = ended->lease;
      decide(waiting_with(ended->ticket, WaitKind::acquire, lease.space, lease.id), effect,
             effects.now);
      if (ended->waiting_upgrade)
        decide(waiting_with(*ended->waiting_upgrade, WaitKind::upgrade, lease.space, lease.id),
               effect, effects.now);
    } else if (const auto* superseded = std::get_if<core::Superseded>(&effect)) {
      decide(waiting_with(superseded->ticket, superseded->kind, superseded->space, superseded->id),
             effect, effects.now);
    } else if (const auto* upgraded = std::get_if<core::Upgraded>(&effect)) {
      decide(waiting_with(upgraded->ticket, WaitKind::upgrade, upgraded->lease.space,
                          upgraded->lease.id),
             effect, effects.now);
    } else if (const auto* withdrawn = std::get_if<core::UpgradeWithdrawn>(&effect)) {
      decide(waiting_with(withdrawn->ticket, WaitKind::upgrade, withdrawn->lease.space,
                          withdrawn->lease.id),
             effect, effects.now);
    }
  }
}

void Calls::decide(CallId id, const core::Effect& effect, core::Time now) {
  if (id == 0) return;
  // The `gone` behind it in the log shortens a grant that nobody has confirmed.
  if (calls_.at(id).detaching) return tell(id, OutcomeUnknown{});
  tell(id, Decided{effect, now});
}

void Calls::tell(CallId id, const Told& told) {
  const Call call = take_out(id);
  call.done(call.asked, told);
}

Calls::Call Calls::take_out(CallId id) {
  const auto at = calls_.find(id);
  PAWL_ASSERT(at != calls_.end());
  Call call = std::move(at->second);
  calls_.erase(at);
  if (call.asked.has_ticket()) by_door_.erase(call.asked.ticket.door);
  if (call.waits) {
    --waiting_;
    deadlines_.erase({call.until, id});
  }
  return call;
}

}  // namespace pawl::service
