// SPDX-License-Identifier: Apache-2.0
#include "simulation/network.h"

#include <utility>

namespace pawl::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

Micros Network::delay() {
  if (sim_.healed) return sim_.random.between(Micros(50), milliseconds(5));
  if (!sim_.random.chance(sim_.plan.slow)) return sim_.random.between(Micros(20), sim_.plan.delay);
  const Micros slow = sim_.random.between(Micros(20), sim_.plan.slow_delay);
  if (slow > seconds(1)) sim_.stats.add(Count::slow);
  return slow;
}

// The library's ids carry their time, so that not even what the service has forgotten can come
// back.
Micros Network::longest_duplicate(const core::CommandBody& body) const {
  const auto* acquire = std::get_if<core::Acquire>(&body);
  const bool carries_time = acquire != nullptr && acquire->id.view().starts_with("p1_");
  return sim_.plan.duplicate_delay * (carries_time ? 3 : 1);
}

ConnectionId Network::send(Request request) {
  request.connection = ++last_;
  open_[last_] = {request.node, request.client, request.call, request.attempt, request.reliable};
  sim_.stats.add(Count::messages);
  const ConnectionId connection = last_;
  const bool faulty = !sim_.healed && !request.reliable;
  if (faulty && sim_.random.chance(sim_.plan.duplicate)) {
    sim_.stats.add(Count::duplicated);
    Request copy = request;
    copy.duplicate = true;
    copy.node = sim_.random.below32(sim_.plan.nodes);
    copy.connection = ++last_;
    open_[last_] = {copy.node, request.client, request.call, request.attempt, false};
    const Micros late = sim_.random.between(Micros(20), longest_duplicate(copy.body));
    if (late > seconds(1)) sim_.stats.add(Count::late_duplicates);
    // As a proxy does that sends twice: the copy has a connection of its own, which may be dropped.
    if (sim_.random.chance(sim_.plan.hang_up_duplicate)) {
      const Micros hang_up = sim_.random.between(Micros(20), late + milliseconds(20));
      sim_.events.after(hang_up, [this, id = copy.connection] { close(id, false); });
    }
    deliver(std::move(copy), late);
  }
  if (faulty && sim_.random.chance(sim_.plan.lose_request)) {
    sim_.stats.add(Count::lost);
  } else {
    const Micros time = delay();
    deliver(std::move(request), time);
  }
  return connection;
}

void Network::deliver(Request request, Micros time) {
  sim_.events.after(time, [this, request = std::move(request)] {
    // What was sent before the connection was closed still arrives, and the end of it after that.
    if (!open_.contains(request.connection)) notice_close(request.node, request.connection, false);
    to_node(request);
  });
}

void Network::reply(ConnectionId connection, Reply reply) {
  sim_.stats.add(Count::messages);
  const auto at = open_.find(connection);
  if (at == open_.end()) return;
  const Connection found = at->second;
  open_.erase(at);
  if (!sim_.healed && !found.reliable && sim_.random.chance(sim_.plan.lose_reply)) {
    sim_.stats.add(Count::lost);
    return;
  }
  sim_.events.after(delay(), [this, client = found.client, reply = std::move(reply)] {
    to_client(client, reply);
  });
}

void Network::close(ConnectionId connection, bool silent) {
  const auto at = open_.find(connection);
  if (at == open_.end()) return;
  const NodeNumber node = at->second.node;
  open_.erase(at);
  notice_close(node, connection, silent);
}

void Network::notice_close(NodeNumber node, ConnectionId connection, bool silent) {
  Micros notice = delay();
  if (!sim_.healed && (silent || sim_.random.chance(sim_.plan.unnoticed_close)))
    notice = sim_.random.between(seconds(3), seconds(20));
  sim_.events.after(notice, [this, node, connection] { closed_to_node(node, connection); });
}

void Network::tell_broken(const Connection& connection, const std::string& leader) {
  // If it is not told, the client finds out by waiting.
  if (!sim_.healed && sim_.random.chance(300'000)) return;
  sim_.events.after(delay(), [this, connection, leader] {
    broken_to_client(connection.client, {connection.call, connection.attempt, leader});
  });
}

void Network::break_all(NodeNumber node) {
  for (auto at = open_.begin(); at != open_.end();) {
    if (at->second.node != node) {
      ++at;
      continue;
    }
    tell_broken(at->second, "");
    at = open_.erase(at);
  }
}

void Network::refuse(const Request& request, const std::string& leader) {
  const auto at = open_.find(request.connection);
  if (at == open_.end()) return;
  const Connection connection = at->second;
  open_.erase(at);
  tell_broken(connection, leader);
}

}  // namespace pawl::testing
