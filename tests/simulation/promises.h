// SPDX-License-Identifier: Apache-2.0
// What nodes have given their word for: whom they voted for, and which entries are on their disks.
// Whatever befalls a node, its disk must bear out what it said (P9), and it never votes twice in a
// term. Heard by listening in on the network between nodes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "engine/consensus/message.h"
#include "engine/log/log.h"
#include "simulation/names.h"

namespace pawl::testing {

class Promises {
 public:
  using Complaint = std::optional<std::string>;

  // A message leaves a node.
  Complaint hear(NodeNumber from, const engine::Message& message);
  // This is on a node's disk at its start.
  Complaint compare(NodeNumber node, const engine::LogContents& contents) const;

 private:
  struct Promise {
    engine::Term term = 0;         // the newest it spoke in
    engine::Index stored = 0;      // on its disk, as it said in that term
    engine::Term stored_term = 0;  // of that entry; zero: not known
  };
  Complaint hear_vote(NodeNumber from, engine::NodeId to, engine::Term term);
  void hear_append(const engine::AppendEntries& append);
  void hear_stored(NodeNumber from, const engine::AppendEntriesResult& result);

  std::map<std::pair<NodeNumber, engine::Term>, engine::NodeId> votes_;
  // By the leader's term and the index: the term of the entry.
  std::map<std::pair<engine::Term, engine::Index>, engine::Term> sent_;
  std::map<NodeNumber, Promise> promises_;
};

}  // namespace pawl::testing
