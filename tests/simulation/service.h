// SPDX-License-Identifier: Apache-2.0
// The lock service as one node that never loses its log: it stamps what arrives with its own clock,
// applies it in order a little later, keeps the waits, and moves time on when something is due
// (design sections 5 and 6). It can be stopped at any moment, and then forgets all but its log.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/state.h"
#include "core/step.h"
#include "simulation/names.h"
#include "simulation/network.h"
#include "simulation/sim.h"

namespace pawl::testing {

class Service {
 public:
  Service(Sim& sim, Network& network, const std::vector<ResourceKind>& resources);

  void start();
  void stop();
  bool up() const { return up_; }

  void take(Request request);
  void closed(ConnectionId connection);

  core::Time state_time() const { return state_.now; }
  // A lease that holds the resource, for the operator to pick on.
  std::optional<core::Holder> some_holder(const core::ResourceName& resource,
                                          std::uint64_t which) const;
  // The first thing that was wrong with the state, if any; `check_state` looks again.
  const std::optional<std::string>& broken() const { return broken_; }
  void check_state();

 private:
  using TakenId = std::uint64_t;
  // A request whose answer is not yet written.
  struct Taken {
    Request request;
    core::Ticket ticket;
    Micros received{0};  // by the service's clock
  };
  // An entry of the log that is not yet applied.
  struct Entry {
    core::Command command;
    TakenId answers = 0;  // whom the reply is for; zero: nobody
  };
  using WaitKey = std::tuple<std::string, core::WaitKind, core::Ticket>;

  Micros clock() const { return rate_.read(sim_.now()); }
  core::Time stamp() const { return base_ + (clock() - base_clock_); }
  void submit(Request request);
  void append(core::Time at, core::CommandBody body, TakenId answers);
  void apply_next();
  void apply(const Entry& entry);
  void take_office();
  void serve_effect(const Entry& entry, const core::Effects& effects, std::size_t index);
  void serve_reply(const Entry& entry, const core::Effect& effect);
  void serve_waiter(const WaitKey& key, const core::Effect& effect);
  void answer(TakenId id, const core::Effect& effect);
  void keep_wait(TakenId id);
  void cancel(const Taken& taken, core::CancelReason reason, TakenId answers);
  void arm();
  void wake();
  std::optional<std::string> stuck_waiter() const;
  void note(const Entry& entry, const core::Effect& effect);

  Sim& sim_;
  Network& network_;
  const std::vector<ResourceKind>& resources_;
  core::State state_;
  DriftingClock rate_{0};
  core::Time base_{};
  Micros base_clock_{0};
  bool up_ = false;
  bool in_office_ = false;  // Takeover is applied: it can stamp
  std::uint64_t starts_ = 0;
  Micros last_apply_{0};
  core::Time last_stamp_{};
  std::optional<Micros> wake_at_;
  std::deque<Entry> log_;
  std::vector<Request> held_back_;
  TakenId last_taken_ = 0;
  std::map<TakenId, Taken> taken_;
  std::map<ConnectionId, TakenId> by_connection_;
  std::map<WaitKey, TakenId> waiting_;
  std::uint64_t applied_ = 0;
  std::optional<std::string> broken_;
};

}  // namespace pawl::testing
