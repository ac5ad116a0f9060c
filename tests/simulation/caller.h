// SPDX-License-Identifier: Apache-2.0
// A client process as far as it talks: calls that are re-sent until answered, a clock of its own,
// and a process that can freeze (everything waits, then happens late) or die (nothing happens any
// more). What it says and hears goes into the history.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/command.h"
#include "core/effect.h"
#include "simulation/network.h"
#include "simulation/sim.h"

namespace pawl::testing {

// How a call ended for the client.
struct Answer {
  Outcome outcome = Outcome::unknown;
  std::optional<core::Effect> effect;  // unless unknown
  Micros sent{0};                      // the answered sending, by the client's own clock
  std::size_t op = 0;                  // in the history
};

class Caller {
 public:
  using Action = std::function<void()>;
  using Done = std::function<void(const Answer&)>;

  Caller(Sim& sim, Network& network, std::uint32_t client);
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // Calls until answered, or until `patience` is over and the outcome stays unknown. `op` is the
  // record's beginning: kind, lease and what was asked.
  CallId call(core::CommandBody body, Operation op, Micros patience, Done done);
  // Nobody waits for this answer any more; `done` is not called. False if it was answered already.
  bool drop(CallId id);

  // Later, by the client's clock; as late as it thaws if it is frozen then, and never if it died.
  void later(Micros delay, Action action);
  // When something arrives that is no answer of the service, after a true delay.
  void hear(Micros delay, Action action);
  Micros clock() const { return clock_.read(sim_.now()); }

  void freeze(Micros time);
  void die(bool silent);
  void be_born();
  bool alive() const { return alive_; }
  bool frozen() const { return frozen_; }
  bool idle() const { return calls_.empty(); }
  void thaw();

  // From the network.
  void receive(const Reply& reply);
  void broken(const Broken& broken);

  std::uint32_t client() const { return client_; }
  std::int64_t state_time_ms() const { return state_time_ms_; }
  void learn_state_time(core::Time time);

 private:
  struct Call {
    core::CommandBody body;
    std::size_t op = 0;
    std::uint32_t attempt = 0;
    ConnectionId connection = 0;
    Micros sent{0};  // true time
    Micros sent_clock{0};
    Micros give_up{0};     // by the client's clock
    Micros wait_until{0};  // likewise; of a wait
    bool waits = false;
    bool once = false;           // acts anew each time: sent once, whatever becomes of it
    bool began_healthy = false;  // no fault excuses that it is not answered
    Done done;
  };

  void run(std::uint64_t life, Action action);
  void send(CallId id);
  void send_again(CallId id, std::uint32_t attempt, Micros delay);
  void finish(CallId id, std::optional<core::Effect> effect);
  Micros reply_time_out(const Call& call);
  void turn_to(const std::string& leader);

  Sim& sim_;
  Network& network_;
  std::uint32_t client_;
  DriftingClock clock_;
  bool alive_ = true;
  bool frozen_ = false;
  std::uint64_t life_ = 0;
  std::uint64_t freezes_ = 0;
  std::vector<Action> backlog_;  // what happened while it was frozen
  CallId last_call_ = 0;
  std::map<CallId, Call> calls_;
  std::int64_t state_time_ms_ = 0;
  NodeNumber node_;  // whom it asks: the one that answered last, until it does not
};

}  // namespace pawl::testing
