// SPDX-License-Identifier: Apache-2.0
#include "engine/consensus/test_cluster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "core/assert.h"

namespace pawl::engine::testing {

Entry command(std::string bytes) {
  return {0, EntryKind::command, std::make_shared<const std::string>(std::move(bytes))};
}

Entry change(const Membership& membership) {
  return {0, EntryKind::change, std::make_shared<const std::string>(encode(membership))};
}

Membership voters(std::size_t count) {
  Membership membership;
  for (NodeId id = 1; id <= count; ++id) {
    membership.members.push_back({id, "node" + std::to_string(id), Role::voter});
  }
  return membership;
}

const Entry* Entries::find(Index index) const {
  return index < first || index > last() ? nullptr : &entries[index - first];
}

void Entries::replace(Index from, const std::vector<Entry>& with) {
  PAWL_ASSERT(from >= first && from <= last() + 1);
  entries.resize(from - first);
  entries.insert(entries.end(), with.begin(), with.end());
}

void Entries::cut_prefix(Index up_to) {
  if (up_to < first) return;
  const Index gone = std::min<Index>(up_to - first + 1, entries.size());
  entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(gone));
  first = up_to + 1;
}

TestDisk fresh_disk(const Membership& membership) {
  Entry first = change(membership);
  first.term = 1;
  return {1, 0, std::nullopt, {1, {first}}};
}

namespace {

Membership latest_membership(const TestDisk& disk) {
  Membership latest;
  if (disk.snapshot) latest = *decode_membership(disk.snapshot->membership);
  for (const Entry& entry : disk.log.entries) {
    if (entry.kind == EntryKind::change) latest = *decode_membership(*entry.bytes);
  }
  return latest;
}

ConsensusOptions options_of(NodeId id, std::uint32_t seed) {
  ConsensusOptions options;
  options.id = id;
  options.seed = seed;
  return options;
}

}  // namespace

Updates start(Consensus& consensus, Consensus::Ms now, NodeId id, TestDisk& disk) {
  if (latest_membership(disk).sole_voter(id)) {
    ++disk.term;
    disk.vote = id;
  }
  return consensus.start(now,
                         {disk.term, disk.vote, disk.snapshot, disk.log.first, disk.log.entries});
}

struct TestCluster::Node {
  NodeId id = 0;
  TestDisk disk;
  std::unique_ptr<Consensus> consensus;
  Entries log;  // in memory, ahead of the disk
  std::deque<Update> writes;
  Index applied = 0;
  Index membership_index = 0;  // of what was applied
  std::string membership;
};

TestCluster::TestCluster(std::size_t nodes, std::uint64_t seed) : random_(seed) {
  for (NodeId id = 1; id <= nodes; ++id) {
    nodes_.push_back(std::make_unique<Node>());
    nodes_.back()->id = id;
    nodes_.back()->disk = fresh_disk(voters(nodes));
    boot(*nodes_.back());
  }
}

TestCluster::~TestCluster() = default;

TestCluster::Node& TestCluster::any() { return *nodes_[random_.below(nodes_.size())]; }

void TestCluster::boot(Node& node) {
  node.consensus =
      std::make_unique<Consensus>(options_of(node.id, static_cast<std::uint32_t>(random_.next())));
  node.writes.clear();
  node.log = node.disk.log;
  node.applied = 0;
  node.membership.clear();
  if (node.disk.snapshot) {
    node.applied = node.disk.snapshot->index;
    node.membership = node.disk.snapshot->membership;
    node.membership_index = node.disk.snapshot->membership_index;
  }
  carry_out(node, start(*node.consensus, now_, node.id, node.disk));
}

void TestCluster::carry_out(Node& node, Updates updates) {
  for (Update& update : updates) {
    if (update.term_or_vote) {
      node.disk.term = node.consensus->term();
      node.disk.vote = node.consensus->vote();
    }
    for (const Message& message : update.messages) {
      if (!std::holds_alternative<AppendEntries>(message.body)) send(node, message);
    }
    if (update.first != 0) node.log.replace(update.first, update.entries);
    if (update.install) node.log = {update.install->index + 1, {}};
    for (const Message& message : update.messages) {
      if (std::holds_alternative<AppendEntries>(message.body)) send(node, message);
    }
    if (update.first != 0 || update.install) node.writes.push_back(std::move(update));
  }
  apply(node);
  check(node);
}

void TestCluster::send(Node& node, Message message) {
  if (auto* append = std::get_if<AppendEntries>(&message.body)) {
    for (Index i = 1; i <= append->count; ++i) {
      const Entry* entry = node.log.find(append->previous_index + i);
      ASSERT_NE(entry, nullptr);
      append->entries.push_back(*entry);
    }
  }
  if (auto* install = std::get_if<InstallSnapshot>(&message.body)) {
    ASSERT_TRUE(node.disk.snapshot);
    ASSERT_EQ(node.disk.snapshot->index, install->last_index);
    ASSERT_EQ(node.disk.snapshot->membership_index, install->membership_index);
    install->membership = node.disk.snapshot->membership;
  }
  network_.push_back({node.id, std::move(message)});
}

void TestCluster::deliver(std::size_t i, bool keep) {
  Sent sent = network_[i];
  if (!keep) network_.erase(network_.begin() + static_cast<std::ptrdiff_t>(i));
  Node& to = *nodes_[sent.message.peer - 1];
  sent.message.peer = sent.from;
  Updates updates;
  ASSERT_TRUE(to.consensus->receive(now_, sent.message, updates));
  carry_out(to, std::move(updates));
}

void TestCluster::end_one_write(Node& node) {
  const Update update = std::move(node.writes.front());
  node.writes.pop_front();
  if (update.install) {
    node.disk.snapshot = update.install;
    node.disk.log = {update.install->index + 1, {}};
    node.applied = update.install->index;
    node.membership = update.install->membership;
    node.membership_index = update.install->membership_index;
    ++installed_;
    carry_out(node, node.consensus->snapshot_installed(now_, *update.install));
    return;
  }
  node.disk.log.replace(update.first, update.entries);
  carry_out(node, node.consensus->persisted(now_, update.write));
}

void TestCluster::apply(Node& node) {
  if (node.consensus->installing()) return;
  const Index up_to = std::min(node.consensus->commit_index(), node.consensus->stored_index());
  while (node.applied < up_to) {
    const Index index = ++node.applied;
    const Entry* entry = node.log.find(index);
    ASSERT_NE(entry, nullptr);
    const Entry* on_disk = node.disk.log.find(index);
    ASSERT_TRUE(on_disk != nullptr && on_disk->term == entry->term) << "not on disk: " << index;
    if (index > committed_.size()) {
      ASSERT_EQ(index, committed_.size() + 1);
      committed_.push_back(*entry);
    }
    ASSERT_EQ(committed_[index - 1].term, entry->term) << "at " << index;
    ASSERT_EQ(*committed_[index - 1].bytes, *entry->bytes) << "at " << index;
    if (entry->kind != EntryKind::change) continue;
    node.membership = *entry->bytes;
    node.membership_index = index;
    carry_out(node,
              node.consensus->membership_committed(now_, index, *decode_membership(*entry->bytes)));
  }
}

void TestCluster::submit(Node& node) {
  std::vector<Entry> entries;
  for (std::uint64_t n = random_.below(4) + 1; n > 0; --n) {
    entries.push_back(command("command " + std::to_string(++submitted_)));
  }
  Updates updates;
  if (node.consensus->submit(now_, std::move(entries), updates)) {
    carry_out(node, std::move(updates));
  }
}

void TestCluster::submit_change(Node& node) {
  Membership next = node.consensus->membership();
  const NodeId id = random_.below(nodes_.size()) + 1;
  const auto at = std::find_if(next.members.begin(), next.members.end(),
                               [id](const Member& member) { return member.id >= id; });
  if (at == next.members.end() || at->id != id) {
    next.members.insert(at, {id, "node" + std::to_string(id), Role::standby});
  } else if (at->role == Role::voter) {
    at->role = random_.pick({Role::standby, Role::standby, Role::spare});
  } else if (random_.percent(70)) {
    at->role = Role::voter;
  } else {
    next.members.erase(at);
  }
  if (next.members.empty()) return;
  Updates updates;
  if (node.consensus->submit(now_, {change(next)}, updates)) {
    ++changed_;
    carry_out(node, std::move(updates));
  }
}

void TestCluster::take_snapshot(Node& node) {
  if (node.applied < 2 || node.consensus->installing() || node.membership_index == 0) return;
  if (node.disk.snapshot && node.disk.snapshot->index >= node.applied) return;
  const std::uint32_t trailing = random_.below32(4);
  node.disk.snapshot = {node.applied, node.consensus->term_of(node.applied), node.membership_index,
                        node.membership};
  node.consensus->snapshot_taken(now_, *node.disk.snapshot, trailing);
  if (node.applied > trailing && node.log.find(node.applied - trailing) != nullptr) {
    node.log.cut_prefix(node.applied - trailing);
    node.disk.log.cut_prefix(node.applied - trailing);
  }
  check(node);
}

void TestCluster::check(Node& node) {
  const Consensus& consensus = *node.consensus;
  if (consensus.role() == RaftRole::leader) {
    const auto [leader, first] = leaders_.emplace(consensus.term(), node.id);
    ASSERT_EQ(leader->second, node.id) << "two leaders in term " << consensus.term();
  }
  ASSERT_EQ(consensus.term(), node.disk.term);
  ASSERT_EQ(consensus.last_index(),
            node.log.entries.empty() && node.log.first == 1 ? 0 : node.log.last());
  for (Index i = node.log.first; i <= node.log.last(); ++i) {
    const Entry& entry = *node.log.find(i);
    ASSERT_EQ(consensus.term_of(i), entry.term);
    const auto [seen, first] = seen_.emplace(std::pair(i, entry.term), *entry.bytes);
    ASSERT_EQ(seen->second, *entry.bytes) << "two entries at " << i << " of term " << entry.term;
  }
  for (const auto& other : nodes_) {
    if (other->id != node.id) check_logs_match(node, *other);
  }
}

// Two logs that agree on one entry agree on all before it.
void TestCluster::check_logs_match(const Node& one, const Node& other) const {
  bool agreed = false;
  const Index lowest = std::max(one.log.first, other.log.first);
  for (Index i = std::min(one.log.last(), other.log.last()); i >= lowest && i > 0; --i) {
    const bool same = one.log.find(i)->term == other.log.find(i)->term;
    ASSERT_TRUE(same || !agreed) << "logs differ at " << i;
    agreed = agreed || same;
  }
}

void TestCluster::step(const Faults& faults) {
  Node& node = any();
  if (!faults.slow_disks) {
    for (const auto& each : nodes_) {
      while (!each->writes.empty()) end_one_write(*each);
    }
  }
  if (node.consensus->needs_restart()) return boot(node);
  switch (random_.weighted({60, 20, 25, 12, faults.crashes ? 1u : 0u, faults.snapshots ? 2u : 0u,
                            faults.changes ? 4u : 0u})) {
    case 0:
      if (!network_.empty()) {
        const std::size_t i = random_.below(std::min<std::size_t>(network_.size(), 12));
        if (random_.percent(faults.lost_percent)) {
          network_.erase(network_.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          deliver(i, random_.percent(faults.doubled_percent));
        }
      }
      return;
    case 1:
      if (!node.writes.empty()) end_one_write(node);
      return;
    case 2:
      now_ += random_.below(random_.percent(5) ? 1'000 : 40);
      if (node.consensus->next_timeout() <= now_) carry_out(node, node.consensus->timeout(now_));
      return;
    case 3:
      return submit(node);
    case 4:
      return boot(node);
    case 5:
      return take_snapshot(node);
    default:
      return submit_change(node);
  }
}

std::string TestCluster::text() const {
  std::ostringstream out;
  for (const auto& node : nodes_) {
    const Consensus& c = *node->consensus;
    out << "node " << node->id << " role " << static_cast<int>(c.role()) << " term " << c.term()
        << " vote " << c.vote() << " leader " << c.leader() << " commit " << c.commit_index()
        << " stored " << c.stored_index() << " last " << c.last_index() << "^"
        << c.term_of(c.last_index()) << " applied " << node->applied << " log from "
        << node->log.first << " installing " << c.installing() << " members";
    for (const Member& member : c.membership().members) {
      out << ' ' << member.id << "sv-"[static_cast<int>(member.role)];
    }
    out << '\n';
  }
  return out.str();
}

bool TestCluster::heals() {
  const Consensus::Ms give_up = now_ + 60'000;
  std::optional<Index> goal;
  while (now_ < give_up) {
    ++now_;
    for (const auto& node : nodes_) {
      if (node->consensus->needs_restart()) boot(*node);
      if (node->consensus->next_timeout() <= now_) {
        carry_out(*node, node->consensus->timeout(now_));
      }
      if (!goal && now_ + 30'000 > give_up && node->consensus->role() == RaftRole::leader) {
        submit(*node);
        goal = node->consensus->last_index();
      }
    }
    for (std::size_t n = network_.size(); n > 0; --n) deliver(0, false);
    for (const auto& node : nodes_) {
      while (!node->writes.empty()) end_one_write(*node);
    }
    if (::testing::Test::HasFatalFailure()) return false;
    const auto behind = [&](const auto& node) {
      const Member* member =
          nodes_[leaders_.rbegin()->second - 1]->consensus->membership().find(node->id);
      return member != nullptr && member->role != Role::spare && node->applied < *goal;
    };
    if (goal && std::none_of(nodes_.begin(), nodes_.end(), behind)) return true;
  }
  return false;
}

}  // namespace pawl::engine::testing
