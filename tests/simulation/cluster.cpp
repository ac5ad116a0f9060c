// SPDX-License-Identifier: Apache-2.0
#include "simulation/cluster.h"

#include <algorithm>
#include <utility>

#include "core/read.h"

namespace pawl::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

Cluster::Cluster(Sim& sim, Network& network, const std::vector<ResourceKind>& resources)
    : sim_(sim), peers_(sim), ledger_(sim, resources) {
  for (NodeNumber number = 0; number < sim.plan.nodes; ++number)
    nodes_.push_back(
        std::make_unique<Node>(Surroundings{sim, network, peers_, ledger_, promises_}, number));
  network.to_node = [this](const Request& request) { node(request.node).take(request); };
  network.closed_to_node = [this](NodeNumber number, ConnectionId connection) {
    node(number).closed(connection);
  };
  peers_.to_node = [this](NodeNumber to, const engine::Message& message) {
    node(to).receive(message);
  };
  peers_.snapshot_to_node =
      [this](NodeNumber to, NodeNumber from, const PeerNetwork::Snapshot& snapshot,
             const PeerNetwork::Over& over) { node(to).receive_snapshot(from, snapshot, over); };
  peers_.complain = [this](std::string what) { ledger_.break_with(std::move(what)); };
  peers_.listen_in = [this](NodeNumber from, const engine::Message& message) {
    listen_in(from, message);
  };
  plan_probe();
}

void Cluster::listen_in(NodeNumber from, const engine::Message& message) {
  if (auto complaint = promises_.hear(from, message)) ledger_.break_with(*std::move(complaint));
  if (const auto* vote = std::get_if<engine::RequestVoteResult>(&message.body)) {
    if (vote->granted && !vote->pre_vote) on_promise(from, true);
  } else if (const auto* append = std::get_if<engine::AppendEntriesResult>(&message.body)) {
    if (append->rejected == 0) on_promise(from, false);
  }
}

void Cluster::plan_probe() {
  sim_.events.after(sim_.random.between(milliseconds(50), seconds(2)), [this] {
    node(sim_.random.below32(size())).probe();
    plan_probe();
  });
}

bool Cluster::settled() const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [](const auto& node) { return node->in_office(); });
}

std::optional<core::Time> Cluster::state_time(std::uint64_t which) const {
  const Node& node = *nodes_[which % nodes_.size()];
  if (!node.up()) return std::nullopt;
  return node.state().now;
}

std::optional<core::Holder> Cluster::some_holder(const core::ResourceName& resource,
                                                 std::uint64_t which) const {
  const Node* newest = nullptr;
  for (const auto& node : nodes_) {
    if (node->up() && (newest == nullptr || node->applied() > newest->applied()))
      newest = node.get();
  }
  if (newest == nullptr) return std::nullopt;
  const auto view = core::show_resource(newest->state(), kSpace, resource, 16);
  if (!view || view->holders.empty()) return std::nullopt;
  return view->holders[which % view->holders.size()];
}

}  // namespace pawl::testing
