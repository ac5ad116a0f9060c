// SPDX-License-Identifier: Apache-2.0
// One node of the cluster: a disk that stays, and a process on it that comes and goes. The process
// is the engine as it is in production (engine/replica/replica.h) on a simulated machine, with a
// door for clients.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/fault.h"
#include "engine/replica/replica.h"
#include "simulation/door.h"
#include "simulation/ledger.h"
#include "simulation/machine.h"
#include "simulation/peer_network.h"
#include "simulation/promises.h"

namespace pawl::testing {

// What all nodes share; it outlives them.
struct Surroundings {
  Sim& sim;
  Network& network;
  PeerNetwork& peers;
  Ledger& ledger;
  const Promises& promises;
};

class Node {
 public:
  Node(const Surroundings& around, NodeNumber number);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Told when the process has ended, whoever ended it.
  std::function<void()> on_down;

  // False: it did not come up.
  bool start();
  void crash(CrashKind kind);
  // Asks the process to end in good order.
  void stop();
  void sleep(bool clock_stops);
  void wake();

  bool up() const { return process_ != nullptr; }
  bool asleep() const;
  std::uint64_t lives() const { return lives_; }
  bool in_office() const;
  // Only while it is up.
  const core::State& state() const;
  std::uint64_t applied() const;

  SimDisk& disk() { return disk_; }
  // While it is down: flips a bit in one of its files, and sees whether it refuses to start. The
  // next start finds the disk as it was.
  void flip_a_bit();

  // From clients and other nodes; nothing happens if it is down.
  void take(const Request& request);
  void closed(ConnectionId connection);
  void receive(const engine::Message& message);
  void receive_snapshot(NodeNumber from, const PeerNetwork::Snapshot& snapshot,
                        const PeerNetwork::Over& over);
  // Asks for a read, and sees that it shows all that was answered before.
  void probe();

 private:
  class Process;

  void ended();
  void compare_with_promises();
  void failed(const engine::Fault& fault);
  void crashed_inside(const SimCrash& crash);
  std::optional<engine::Fault> open(bool deaf);

  Surroundings around_;
  NodeNumber number_;
  SimDisk disk_;
  std::shared_ptr<Process> process_;
  std::uint64_t lives_ = 0;
};

}  // namespace pawl::testing
