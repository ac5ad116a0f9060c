// SPDX-License-Identifier: Apache-2.0
// The lock service: nodes, what lies between them, and what their log did. One thread, as the whole
// simulation.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/effect.h"
#include "simulation/ledger.h"
#include "simulation/network.h"
#include "simulation/node.h"
#include "simulation/peer_network.h"
#include "simulation/promises.h"

namespace pawl::testing {

class Cluster {
 public:
  Cluster(Sim& sim, Network& network, const std::vector<ResourceKind>& resources);

  NodeNumber size() const { return static_cast<NodeNumber>(nodes_.size()); }
  Node& node(NodeNumber number) { return *nodes_[number]; }
  PeerNetwork& peers() { return peers_; }
  Ledger& ledger() { return ledger_; }
  const Ledger& ledger() const { return ledger_; }

  // A node has given its word that it voted, or that entries are on its disk.
  std::function<void(NodeNumber, bool vote)> on_promise;

  // Somebody leads.
  bool settled() const;

  // As some node knows it; nothing if that one is down.
  std::optional<core::Time> state_time(std::uint64_t which) const;
  // A lease that holds the resource, for the operator to pick on.
  std::optional<core::Holder> some_holder(const core::ResourceName& resource,
                                          std::uint64_t which) const;

 private:
  void plan_probe();
  void listen_in(NodeNumber from, const engine::Message& message);

  Sim& sim_;
  PeerNetwork peers_;
  Ledger ledger_;
  Promises promises_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace pawl::testing
