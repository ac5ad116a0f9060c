// SPDX-License-Identifier: Apache-2.0
// What lies between clients and nodes: every message may be lost, late, doubled or overtaken.
// Each sending of a request has a connection of its own, and so has each duplicate that something
// on the way made of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "core/command.h"
#include "core/effect.h"
#include "simulation/names.h"
#include "simulation/sim.h"

namespace pawl::testing {

using ConnectionId = std::uint64_t;
using CallId = std::uint64_t;

struct Request {
  NodeNumber node = 0;  // whom it goes to
  ConnectionId connection = 0;
  std::uint32_t client = 0;
  CallId call = 0;
  std::uint32_t attempt = 1;
  core::CommandBody body;
  bool reliable = false;   // never lost or doubled by the network
  bool duplicate = false;  // made by the network, not by the client
};

struct Reply {
  CallId call = 0;
  std::uint32_t attempt = 1;
  core::Effect effect;
  core::Time state_time{};
  NodeNumber node = 0;  // who answers
};

// A connection ended without an answer.
struct Broken {
  CallId call = 0;
  std::uint32_t attempt = 1;
  std::string leader;  // who may answer; empty: not known
};

class Network {
 public:
  explicit Network(Sim& sim) : sim_(sim) {}

  // Where messages arrive.
  std::function<void(Request)> to_node;
  std::function<void(NodeNumber, ConnectionId)> closed_to_node;
  std::function<void(std::uint32_t client, Reply)> to_client;
  std::function<void(std::uint32_t client, Broken)> broken_to_client;

  // Sends over a new connection, whose number it returns.
  ConnectionId send(Request request);
  void reply(ConnectionId connection, Reply reply);
  // The client's end is gone; the door notices at once, or late (`silent`: no FIN was sent).
  void close(ConnectionId connection, bool silent);
  // A node is gone, and with it all its connections.
  void break_all(NodeNumber node);
  // How long some message takes, now.
  Micros delay();
  // The node does not answer this, or nobody listens there.
  void refuse(const Request& request, const std::string& leader);

 private:
  struct Connection {
    NodeNumber node = 0;
    std::uint32_t client = 0;
    CallId call = 0;
    std::uint32_t attempt = 1;
    bool reliable = false;
  };
  Micros longest_duplicate(const core::CommandBody& body) const;
  void deliver(Request request, Micros delay);
  void notice_close(NodeNumber node, ConnectionId connection, bool silent);
  void tell_broken(const Connection& connection, const std::string& leader);

  Sim& sim_;
  ConnectionId last_ = 0;
  std::map<ConnectionId, Connection> open_;
};

}  // namespace pawl::testing
