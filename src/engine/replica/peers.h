// SPDX-License-Identifier: Apache-2.0
// The other members, as the replica sees them: messages go out and may be lost, doubled, late or
// out of order. What comes in is given to Replica::receive(). In the loop only; nothing here
// blocks.
#pragma once

#include <functional>
#include <string>

#include "engine/consensus/message.h"

namespace pawl::engine {

class Peers {
 public:
  virtual ~Peers() = default;

  virtual void send(const Message& message) = 0;

  // A snapshot with its announcement, on a way of its own. The file stays in place until `over` is
  // called, which is once, when the transfer has ended well or badly.
  virtual void send_snapshot(NodeId to, const InstallSnapshot& announcement,
                             const std::string& path, std::function<void()> over) = 0;
};

// A cluster of one has nobody to talk to.
class NoPeers final : public Peers {
 public:
  void send(const Message&) override {}
  void send_snapshot(NodeId, const InstallSnapshot&, const std::string&,
                     std::function<void()> over) override {
    over();
  }
};

}  // namespace pawl::engine
