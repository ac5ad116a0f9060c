// SPDX-License-Identifier: Apache-2.0
#include "simulation/peer_network.h"

#include <memory>

#include "engine/snapshot/snapshot_store.h"

namespace pawl::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr NodeNumber kNobody = ~NodeNumber{0};

}  // namespace

Micros PeerNetwork::delay() {
  if (sim_.healed) return sim_.random.between(Micros(50), milliseconds(2));
  if (sim_.random.chance(sim_.plan.peer_slow))
    return sim_.random.between(Micros(20), sim_.plan.peer_slow_delay);
  return sim_.random.between(Micros(20), sim_.plan.peer_delay);
}

void PeerNetwork::send(NodeNumber from, const engine::Message& message) {
  listen_in(from, message);
  const auto to = static_cast<NodeNumber>(message.peer - 1);
  sim_.stats.add(Count::peer_messages);
  if (!carries(from, to) || (!sim_.healed && sim_.random.chance(sim_.plan.peer_lose))) {
    sim_.stats.add(Count::peer_lost);
    return;
  }
  if (!sim_.healed && sim_.random.chance(sim_.plan.peer_duplicate)) {
    sim_.stats.add(Count::peer_doubled);
    deliver(from, to, message);
  }
  deliver(from, to, message);
}

void PeerNetwork::deliver(NodeNumber from, NodeNumber to, engine::Message message) {
  message.peer = from + 1;
  sim_.events.after(delay(), [this, to, message = std::move(message)] { to_node(to, message); });
}

void PeerNetwork::send_snapshot(NodeNumber from, Machine& machine, SimDisk& disk, NodeNumber to,
                                const engine::InstallSnapshot& announcement,
                                const std::string& path, Over over) {
  // Whatever happens first ends the transfer, once.
  const auto end = std::make_shared<Over>(std::move(over));
  const ports::Action once = machine.guard([end] {
    if (const Over last = std::exchange(*end, nullptr)) last();
  });
  const Micros time = delay() + sim_.random.between(milliseconds(1), sim_.plan.transfer);
  machine.after(sim_.healed ? seconds(2) : seconds(20), once);
  machine.after(time, [=, this, &disk] {
    if (!*end) return;
    const auto file = engine::read_snapshot_bytes(disk, path);
    if (!file) {
      if (!disk.exists(path)) complain(path + " was removed while it was sent");
      return once();
    }
    const bool lost = !sim_.healed && sim_.random.chance(sim_.plan.peer_lose);
    if (lost || !carries(from, to)) {
      sim_.stats.add(Count::peer_lost);
      return once();
    }
    snapshot_to_node(to, from, {announcement, file.value()}, once);
  });
}

void PeerNetwork::cut_both(NodeNumber a, NodeNumber b) {
  cut_.insert({a, b});
  cut_.insert({b, a});
}

void PeerNetwork::cut_halves(NodeNumber bridge) {
  const std::uint64_t side = sim_.random.next();
  for (NodeNumber a = 0; a < sim_.plan.nodes; ++a) {
    for (NodeNumber b = 0; b < a; ++b) {
      const bool apart = (side >> a & 1) != (side >> b & 1);
      if (apart && a != bridge && b != bridge) cut_both(a, b);
    }
  }
}

void PeerNetwork::cut() {
  sim_.stats.add(Count::cuts);
  const NodeNumber node = sim_.random.below32(sim_.plan.nodes);
  switch (sim_.random.below(5)) {
    case 0:
      for (NodeNumber other = 0; other < sim_.plan.nodes; ++other) cut_both(node, other);
      return;
    case 1: {
      const bool deaf = sim_.random.chance(500'000);  // or it is not heard
      for (NodeNumber other = 0; other < sim_.plan.nodes; ++other)
        cut_.insert(deaf ? Link(other, node) : Link(node, other));
      return;
    }
    case 2:
      for (NodeNumber a = 0; a < sim_.plan.nodes; ++a) {
        for (NodeNumber b = 0; b < sim_.plan.nodes; ++b) {
          if (sim_.random.chance(300'000)) cut_.insert({a, b});
        }
      }
      return;
    case 3:
      return cut_halves(kNobody);
    default:
      return cut_halves(node);
  }
}

}  // namespace pawl::testing
