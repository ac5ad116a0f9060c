// SPDX-License-Identifier: Apache-2.0
// A whole cluster of Consensus objects in one thread, for tests: its network loses, doubles and
// shuffles, its disks take their time and lose what is not synced in a crash, and after every event
// it checks what Raft promises. Everything is decided by one seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/consensus/consensus.h"
#include "support/random.h"

namespace pawl::engine::testing {

Entry command(std::string bytes);
Entry change(const Membership& membership);
// Voters with the ids 1 to `count`.
Membership voters(std::size_t count);

// Entries from `first` on.
struct Entries {
  Index first = 1;
  std::vector<Entry> entries;

  Index last() const { return first + entries.size() - 1; }
  const Entry* find(Index index) const;
  void replace(Index from, const std::vector<Entry>& with);
  void cut_prefix(Index up_to);
};

struct TestDisk {
  Term term = 0;
  NodeId vote = 0;
  std::optional<SnapshotMark> snapshot;
  Entries log;
};

// What there is on the disk of a first member: the membership, in term 1.
TestDisk fresh_disk(const Membership& membership);
// Starts from this disk; the only voter puts a new term on it first.
Updates start(Consensus& consensus, Consensus::Ms now, NodeId id, TestDisk& disk);

struct Faults {
  std::uint32_t lost_percent = 10;
  std::uint32_t doubled_percent = 10;
  bool slow_disks = true;
  bool crashes = true;
  bool snapshots = true;
  bool changes = false;
};

class TestCluster {
 public:
  TestCluster(std::size_t nodes, std::uint64_t seed);
  ~TestCluster();

  // One random event.
  void step(const Faults& faults);
  // No more faults: true once every node has applied an entry that is submitted now.
  bool heals();

  // One line a node, for a failed test.
  std::string text() const;
  std::size_t committed() const { return committed_.size(); }
  std::size_t installed() const { return installed_; }
  std::size_t changed() const { return changed_; }
  std::size_t elected() const { return leaders_.size(); }

 private:
  struct Node;
  struct Sent {
    NodeId from = 0;
    Message message;
  };

  void boot(Node& node);
  void carry_out(Node& node, Updates updates);
  void send(Node& node, Message message);
  void deliver(std::size_t i, bool keep);
  void end_one_write(Node& node);
  void apply(Node& node);
  void submit(Node& node);
  void submit_change(Node& node);
  void take_snapshot(Node& node);
  void check(Node& node);
  void check_logs_match(const Node& one, const Node& other) const;
  Node& any();

  pawl::testing::Random random_;
  Consensus::Ms now_ = 1'000;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::deque<Sent> network_;
  std::map<Term, NodeId> leaders_;
  std::vector<Entry> committed_;  // from index 1 on
  std::map<std::pair<Index, Term>, std::string> seen_;
  std::uint64_t submitted_ = 0;
  std::size_t installed_ = 0;
  std::size_t changed_ = 0;
};

}  // namespace pawl::engine::testing
