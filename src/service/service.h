// SPDX-License-Identifier: Apache-2.0
// What the daemon does with a request, whichever door it came through: checks it, makes what the
// client left out (lease id, ticket), gives it to the store, keeps the wait, tells the answer, and
// lets metrics, logs, events and statistics hear of it.
//
//   door -> Service::call -> LockStore -> ... -> effects -> Service -> door
//
// All in the loop; a callback may come before the call that it answers returns. Waits and calls are
// the doors' own: one that loses its client says so with hung_up() or unheard().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "core/command.h"
#include "core/effect.h"
#include "ports/clock.h"
#include "ports/lock_store.h"
#include "ports/loop.h"
#include "ports/observer.h"
#include "ports/random.h"
#include "ports/wall_clock.h"
#include "service/calls.h"
#include "service/options.h"
#include "service/problem.h"

namespace pawl::service {

class Feed;
class HoldTimes;
class Metrics;
class RenewalFailures;

// All of it must outlive the service.
struct World {
  ports::LockStore& store;
  ports::Loop& loop;
  const ports::Clock& clock;
  const ports::WallClock& wall;
  ports::Random& random;
  ports::Secrets& secrets;
  ports::Observer& observer;
  Metrics& metrics;
};

// An answer that somebody must hear. If it can't be written, the door tells unheard(), and the
// grant, or the wait, is given up unless the client comes back for it.
struct Receipt {
  core::Namespace space;
  core::LeaseId id;
  core::Ticket ticket;
  core::WaitKind kind = core::WaitKind::acquire;
};

// The log has decided, and this is what it said. Never a Queued: whoever waits is answered later.
// Never an effect that is a Problem either: see verdict.h.
struct Happened {
  const core::Effect& effect;  // valid during the callback
  core::Time now;              // state time of the step
  ports::WallTime wall;        // of the same moment, for texts
  std::optional<Receipt> receipt;
};

using Outcome = std::variant<Happened, Problem>;
using OnOutcome = std::function<void(const Outcome&)>;

struct Seen {
  const core::State& state;  // valid during the callback
  // What a command would be stamped with at this moment. The log may never come to see this time:
  // it is for telling people how long something lasts, and for nothing else.
  core::Time now;
  ports::WallTime wall;  // of the same moment
};
using Look = std::variant<Seen, Problem>;
using OnLook = std::function<void(const Look&)>;

class Service final : private ports::StoreListener {
 public:
  Service(const World& world, const ServiceOptions& options);
  ~Service() override;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Takes Acquire, Renew, Release, Upgrade, Downgrade and ForceRelease. An Acquire without an id
  // gets one; the ticket's attempt is the client's, its door number is drawn here; a ForceRelease
  // gets its wall time here. Returns zero if it was answered at once.
  CallId call(core::CommandBody body, OnOutcome done);

  // The client of this call is gone: it will not be answered, and its wait is given up unless the
  // client comes back within seconds. Nothing, if the call was answered before.
  void hung_up(CallId call);
  // An answer with this receipt could not be written.
  void unheard(const Receipt& receipt);

  // Reads everything that was answered before.
  void look(OnLook done);

  // Whether this node grants now, or who may.
  bool ready() const;
  ports::Office office() const;
  // The state time of the newest command that was applied here; zero before the first.
  core::Time state_time() const;
  const core::Limits& limits() const;

  // No new acquires and upgrades from now on; whoever waits is detached and told to ask again.
  // `done` when every call under way is answered, or after `patience` at the latest.
  void drain(ports::Ticks patience, ports::Action done);

  Feed& feed();
  const HoldTimes& hold_times() const;
  const RenewalFailures& renewal_failures() const;
  Metrics& metrics();
  // What is there at this moment goes into the metrics, as far as this node knows it.
  void refresh_metrics();
  const ports::WallClock& wall_clock() const;

 private:
  class Impl;
  void applied(ports::LogPosition where, const core::Command& command,
               const core::Effects& effects) override;
  void office_changed(const ports::Office& office) override;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::service
