// SPDX-License-Identifier: Apache-2.0
// What lies between nodes: messages are lost, doubled, late and overtaken, and links are cut one
// way or both. A snapshot takes its time, and comes whole or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "engine/replica/peers.h"
#include "simulation/machine.h"
#include "simulation/names.h"
#include "simulation/sim.h"

namespace pawl::testing {

class PeerNetwork {
 public:
  using Over = std::function<void()>;
  struct Snapshot {
    engine::InstallSnapshot announcement;
    std::string file;
  };

  explicit PeerNetwork(Sim& sim) : sim_(sim) {}

  // Where messages arrive.
  std::function<void(NodeNumber to, engine::Message)> to_node;
  std::function<void(NodeNumber to, NodeNumber from, Snapshot, Over)> snapshot_to_node;
  // Hears everything that is sent.
  std::function<void(NodeNumber from, const engine::Message&)> listen_in;
  // A file that was to stay in place is gone.
  std::function<void(std::string what)> complain;

  void send(NodeNumber from, const engine::Message& message);
  // The file is read when the transfer ends: until then it must stay.
  void send_snapshot(NodeNumber from, Machine& machine, SimDisk& disk, NodeNumber to,
                     const engine::InstallSnapshot& announcement, const std::string& path,
                     Over over);

  // Cuts some links: a node is left alone, some links carry nothing one way, the nodes fall into
  // two halves, or into two that only one node sees both of.
  void cut();
  void mend() { cut_.clear(); }

 private:
  using Link = std::pair<NodeNumber, NodeNumber>;  // from, to

  Micros delay();
  void deliver(NodeNumber from, NodeNumber to, engine::Message message);
  bool carries(NodeNumber from, NodeNumber to) const { return !cut_.contains({from, to}); }
  void cut_both(NodeNumber a, NodeNumber b);
  void cut_halves(NodeNumber bridge);

  Sim& sim_;
  std::set<Link> cut_;
};

}  // namespace pawl::testing
