// SPDX-License-Identifier: Apache-2.0
// What a node does with a client's request: gives it to the store, keeps the waits of those who
// asked here, and answers. What it can't answer it leaves to the client, who asks again, perhaps
// elsewhere (P11). Lives and dies with its process.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "ports/lock_store.h"
#include "simulation/ledger.h"
#include "simulation/machine.h"
#include "simulation/network.h"
#include "simulation/sim.h"

namespace pawl::testing {

class Door {
 public:
  Door(Sim& sim, Network& network, Ledger& ledger, Machine& machine, NodeNumber node)
      : sim_(sim), network_(network), ledger_(ledger), machine_(machine), node_(node) {}
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  // Before anything else.
  void open(ports::LockStore& store) { store_ = &store; }

  void take(Request request);
  void closed(ConnectionId connection);

  // From the store.
  void applied(const core::Effects& effects);
  void left_office(const std::string& leader);
  // Since this was asked last.
  bool answered_something() { return std::exchange(answered_something_, false); }

 private:
  using TakenId = std::uint64_t;
  // A request whose answer is not yet written.
  struct Taken {
    Request request;
    core::Ticket ticket;
    Micros received{0};  // by the node's clock
    bool waits = false;  // in the store's queue
  };
  using WaitKey = std::tuple<std::string, core::WaitKind, core::Ticket>;

  static WaitKey key_of(const Taken& taken);
  void submit(core::CommandBody body, std::function<void(const ports::Answer&)> done);
  void answered(TakenId id, const ports::Answer& answer);
  void keep_wait(TakenId id);
  void time_out(TakenId id);
  void tell_gone(core::CancelWait cancel);
  void serve(const WaitKey& key, const core::Effect& effect);
  void reply(TakenId id, const core::Effect& effect, core::Time state_time);
  void give_up(TakenId id, const std::string& leader);
  Taken take_out(TakenId id);

  Sim& sim_;
  Network& network_;
  Ledger& ledger_;
  Machine& machine_;
  NodeNumber node_;
  ports::LockStore* store_ = nullptr;
  core::Time state_time_{};
  bool answered_something_ = false;
  TakenId last_taken_ = 0;
  std::map<TakenId, Taken> taken_;
  std::map<ConnectionId, TakenId> by_connection_;
  std::map<WaitKey, TakenId> waiting_;
};

}  // namespace pawl::testing
