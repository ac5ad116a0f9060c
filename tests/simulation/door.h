// SPDX-License-Identifier: Apache-2.0
// What stands between the network and the service's own calls and waits (service/calls.h), which
// are the real ones. What it can't answer it leaves to the client, who asks again, perhaps
// elsewhere (P11). Lives and dies with its process.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "ports/lock_store.h"
#include "service/calls.h"
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
  void open(ports::LockStore& store);

  void take(Request request);
  void closed(ConnectionId connection);

  // From the store.
  void applied(const core::Effects& effects);
  void left_office(const std::string& leader);
  // Since this was asked last.
  bool answered_something() { return std::exchange(answered_something_, false); }

 private:
  // The store, and a note of what it says (P11).
  class Watched final : public ports::LockStore {
   public:
    Watched(ports::LockStore& store, Ledger& ledger) : store_(store), ledger_(ledger) {}
    void submit(core::CommandBody body, ports::OnAnswer done) override;
    void read(ports::OnRead done) override { store_.read(std::move(done)); }
    ports::Office office() const override { return store_.office(); }
    void listen(ports::StoreListener* listener) override { store_.listen(listener); }

   private:
    ports::LockStore& store_;
    Ledger& ledger_;
  };

  void told(const Request& request, const service::Told& told);

  Sim& sim_;
  Network& network_;
  Ledger& ledger_;
  Machine& machine_;
  NodeNumber node_;
  std::string leader_;  // as the store says while it is not this node
  bool answered_something_ = false;
  std::map<ConnectionId, service::CallId> by_connection_;
  std::unique_ptr<Watched> store_;
  std::unique_ptr<service::Calls> calls_;
};

}  // namespace pawl::testing
