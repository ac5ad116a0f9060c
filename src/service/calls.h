// SPDX-License-Identifier: Apache-2.0
// The calls under way and the waits among them. A call ends as the log says: with its own answer;
// when its wait is over, with what the logged CancelWait comes back with; or when the grant it
// waits for appears in somebody else's step. Owned by the loop.
//
//   submitted -> answered
//             -> waits -> granted, ended, superseded      (an effect with its ticket)
//                      -> timeout is logged -> what comes back
//                      -> hung up: `gone` is logged, nobody is answered
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/command.h"
#include "core/effect.h"
#include "ports/clock.h"
#include "ports/lock_store.h"
#include "ports/loop.h"
#include "ports/random.h"

namespace pawl::service {

// A call that is not yet answered. Zero: none.
using CallId = std::uint64_t;

enum class CallKind : std::uint8_t { acquire, renew, release, upgrade, downgrade, force_release };

// What of a command is needed to judge its answer and to end its wait.
struct Asked {
  CallKind kind = CallKind::acquire;
  core::Namespace space;
  core::LeaseId id;
  core::FencingToken known{};  // upgrade, downgrade
  core::Ticket ticket;         // acquire, upgrade

  core::WaitKind wait_kind() const {
    return kind == CallKind::upgrade ? core::WaitKind::upgrade : core::WaitKind::acquire;
  }
  // It may have to wait, and its answer must be heard.
  bool has_ticket() const { return kind == CallKind::acquire || kind == CallKind::upgrade; }
};

// The log has decided. Never a Queued: whoever waits is told later.
struct Decided {
  const core::Effect& effect;  // valid during the callback
  core::Time now;              // state time of the step
};
// It is not in the log and never will be.
struct NotTaken {
  const ports::NotSubmitted& refused;
};
// It may have happened or still happen: repeat it with the same id (P11).
struct OutcomeUnknown {};
// This node stops: the wait is detached, and keeps its place for some seconds.
struct Detached {};

using Told = std::variant<Decided, NotTaken, OutcomeUnknown, Detached>;
using OnTold = std::function<void(const Asked&, const Told&)>;

class Calls {
 public:
  // All of it must outlive the calls.
  struct Hands {
    ports::LockStore& store;
    ports::Loop& loop;
    const ports::Clock& clock;
    ports::Random& random;
  };
  explicit Calls(const Hands& hands);

  // `body` has its ids; the ticket's door number is put in here. Zero: it was told at once.
  CallId take(core::CommandBody body, OnTold done);
  // Nobody is there to be told any more.
  void hung_up(CallId id);
  // What was told did not reach the client.
  void unheard(const core::Namespace& space, const core::LeaseId& id, core::Ticket ticket,
               core::WaitKind kind);

  // A repeat is let in under any limits, but how long it waits is no part of what it repeats.
  void set_longest_wait(core::Duration wait) { longest_wait_ = wait; }

  // After each applied command; the command's own answer came before.
  void applied(const core::Effects& effects);
  // Nobody who waits here will hear from this node any more: the next leader's Takeover leaves the
  // waits to those who ask again.
  void left_office();
  // Everyone who waits, or begins to, is detached and told to ask again, here or at another node.
  void detach_all();

  std::size_t under_way() const { return calls_.size(); }

 private:
  struct Call {
    Asked asked;
    OnTold done;
    ports::Ticks until{0};   // of the wait
    bool waits = false;      // in the store's queue
    bool detaching = false;  // `gone` is logged or will be: a grant must not be told (P4)
  };
  using Deadline = std::pair<ports::Ticks, CallId>;

  core::Ticket draw_ticket(std::uint32_t attempt);
  void answered(CallId id, const ports::Answer& answer);
  void keep_wait(CallId id, Call& call);
  void set_timer();
  void time_out();
  void log_timeout(CallId id);
  void log_detach(CallId id);
  void log_gone(core::CancelWait cancel);
  void try_again();
  CallId waiting_with(const core::Ticket& ticket, core::WaitKind kind, const core::Namespace& space,
                      const core::LeaseId& lease) const;
  void decide(CallId id, const core::Effect& effect, core::Time now);
  void tell(CallId id, const Told& told);
  Call take_out(CallId id);
  std::vector<CallId> all_waiting() const;

  Hands hands_;
  CallId last_ = 0;
  std::unordered_map<CallId, Call> calls_;
  std::unordered_map<std::uint32_t, CallId> by_door_;  // those with a ticket
  core::Duration longest_wait_ = core::kUnlimited;
  std::size_t waiting_ = 0;
  bool stopping_ = false;  // whoever begins to wait is detached at once
  std::set<Deadline> deadlines_;
  std::unique_ptr<ports::Timer> timer_;
  // The store was full: to be logged again soon.
  std::vector<CallId> timeouts_refused_;
  std::vector<CallId> detaches_refused_;
  std::deque<core::CancelWait> gone_refused_;
  std::unique_ptr<ports::Timer> again_;
};

}  // namespace pawl::service
