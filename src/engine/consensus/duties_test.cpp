// SPDX-License-Identifier: Apache-2.0
// What Consensus makes good for libraft, one test a duty. docs/consensus.md lists them.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/consensus/consensus.h"
#include "engine/consensus/test_cluster.h"

namespace pawl::engine {
namespace {

using testing::change;
using testing::command;
using testing::fresh_disk;
using testing::TestDisk;
using testing::voters;
using Ms = Consensus::Ms;

Entry at(Term term, Entry entry) {
  entry.term = term;
  return entry;
}

Entry at(Term term) { return at(term, command("of term " + std::to_string(term))); }

ConsensusOptions options_of(NodeId id) {
  ConsensusOptions options;
  options.id = id;
  options.seed = static_cast<std::uint32_t>(id);
  return options;
}

// The disk of a member of three voters, with entries of these terms behind the first.
TestDisk disk_of(std::initializer_list<Term> terms, std::size_t members = 3) {
  TestDisk disk = fresh_disk(voters(members));
  for (const Term term : terms) {
    disk.log.entries.push_back(at(term));
    disk.term = term;
  }
  return disk;
}

template <class Body>
std::vector<Body> sent(const Updates& updates, NodeId to) {
  std::vector<Body> found;
  for (const Update& update : updates) {
    for (const Message& message : update.messages) {
      const Body* body = std::get_if<Body>(&message.body);
      if (message.peer == to && body != nullptr) found.push_back(*body);
    }
  }
  return found;
}

// One node, and the test is all others.
struct Node {
  explicit Node(TestDisk disk, NodeId id = 1) : consensus(options_of(id)) {
    updates = testing::start(consensus, now, id, disk);
  }

  bool hear(NodeId from, decltype(Message::body) body) {
    updates.clear();
    return consensus.receive(now, {from, std::move(body)}, updates);
  }
  bool submit(Entry entry) {
    updates.clear();
    return consensus.submit(now, {std::move(entry)}, updates);
  }
  void wait() {
    now = std::max(now, consensus.next_timeout());
    updates = consensus.timeout(now);
  }
  void persist() {
    for (const Update& update : Updates(updates)) {
      if (update.write != 0) updates = consensus.persisted(now, update.write);
    }
  }
  // With the votes of 2.
  void lead() {
    wait();
    ASSERT_TRUE(hear(2, RequestVoteResult{consensus.term() + 1, true, true}));
    ASSERT_TRUE(hear(2, RequestVoteResult{consensus.term(), true, false}));
    ASSERT_EQ(consensus.role(), RaftRole::leader);
    persist();
  }
  // And commits an entry of its term, with node 2.
  void lead_and_commit() {
    lead();
    ASSERT_TRUE(submit(command("takeover")));
    persist();
    ASSERT_TRUE(hear(2, AppendEntriesResult{consensus.term(), 0, consensus.last_index()}));
    ASSERT_EQ(consensus.commit_index(), consensus.last_index());
  }

  Ms now = 1'000;
  Consensus consensus;
  Updates updates;
};

// Starting and electing.

TEST(DutiesTest, TheOnlyVoterLeadsAtOnceInItsNewTermAndTakesItsLogAsCommitted) {
  Node node(disk_of({1, 2}, 1));
  EXPECT_EQ(node.consensus.role(), RaftRole::leader);
  EXPECT_EQ(node.consensus.term(), 3u);
  EXPECT_EQ(node.consensus.commit_index(), 3u);
  ASSERT_TRUE(node.submit(command("takeover")));
  EXPECT_EQ(node.updates.at(0).entries.at(0).term, 3u);
  EXPECT_EQ(node.consensus.commit_index(), 3u) << "before it is on disk";
  node.persist();
  EXPECT_EQ(node.consensus.commit_index(), 4u);
}

TEST(DutiesDeathTest, TheOnlyVoterIsNeverStartedInATermThatItsLogHas) {
  const TestDisk disk = disk_of({1, 2}, 1);
  Consensus consensus(options_of(1));
  EXPECT_DEATH((void)consensus.start(0, {2, 1, std::nullopt, 1, disk.log.entries}), "term");
}

TEST(DutiesTest, AFollowerThatIsLeftTheOnlyVoterNeverTakesOverByItself) {
  Node node(disk_of({}, 2));
  Membership alone = voters(2);
  alone.members[1].role = Role::standby;
  ASSERT_TRUE(node.hear(2, AppendEntries{1, 1, 1, 1, 1, {at(1, change(alone))}}));
  node.persist();
  EXPECT_TRUE(node.consensus.sole_voter());
  EXPECT_TRUE(node.consensus.needs_restart());
  for (int i = 0; i < 5; ++i) {
    const Ms before = node.now;
    node.wait();
    EXPECT_GT(node.consensus.next_timeout(), before) << "or the loop would spin";
  }
  ASSERT_TRUE(node.hear(2, TimeoutNow{1, 2, 1}));
  EXPECT_EQ(node.consensus.role(), RaftRole::follower);
  EXPECT_EQ(node.consensus.term(), 1u);
}

// Node 1 has the fuller log and an older term, node 2 a newer term and the shorter log; 3 is gone.
TEST(DutiesTest, AMajorityWhoseFullerLogHasTheOlderTermElectsALeader) {
  TestDisk fuller = disk_of({2});
  TestDisk newer = disk_of({});
  newer.term = 9;
  Node one(fuller, 1);
  Node two(newer, 2);
  const auto talk = [](Node& from, Node& to, const auto& again) -> void {
    for (const Update& update : Updates(from.updates)) {
      for (const Message& message : update.messages) {
        if (message.peer == 3) continue;
        ASSERT_TRUE(to.hear(message.peer == 1 ? 2 : 1, message.body));
        again(to, from, again);
      }
    }
  };
  for (Ms now = 1'000; now < 30'000; ++now) {
    one.now = two.now = now;
    for (auto [node, other] : {std::pair(&one, &two), std::pair(&two, &one)}) {
      if (node->consensus.next_timeout() > now) continue;
      node->wait();
      talk(*node, *other, talk);
    }
  }
  EXPECT_EQ(one.consensus.role(), RaftRole::leader);
}

TEST(DutiesTest, ARefusedPreVoteTellsTheTermOfTheOneThatRefuses) {
  TestDisk newer = disk_of({});
  newer.term = 9;
  Node node(newer);
  ASSERT_TRUE(node.hear(2, RequestVote{3, 2, 2, 2, false, true}));
  const auto results = sent<RequestVoteResult>(node.updates, 2);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_FALSE(results[0].granted);
  EXPECT_EQ(results[0].term, 9u);
}

TEST(DutiesTest, ANewLeaderWritesABarrierOnlyIfItHasUncommittedEntries) {
  Node with(disk_of({2}));
  with.wait();
  ASSERT_TRUE(with.hear(2, RequestVoteResult{3, true, true}));
  ASSERT_TRUE(with.hear(2, RequestVoteResult{3, true, false}));
  ASSERT_EQ(with.updates.size(), 1u);
  EXPECT_EQ(with.updates[0].first, 3u);
  ASSERT_EQ(with.updates[0].entries.size(), 1u);
  EXPECT_EQ(with.updates[0].entries[0].kind, EntryKind::barrier);
  EXPECT_EQ(with.updates[0].entries[0].term, 3u);
  Node without(disk_of({}));
  without.lead();
  EXPECT_EQ(without.consensus.last_index(), 1u);
}

TEST(DutiesDeathTest, TimeThatGoesBackIsABug) {
  Node node(disk_of({}));
  EXPECT_DEATH((void)node.consensus.timeout(node.now - 1), "now >= now_");
}

TEST(DutiesTest, AVoteThatComesAfterTheCandidacyIsDropped) {
  Node node(disk_of({}));
  ASSERT_TRUE(node.hear(2, RequestVoteResult{7, false, false}));
  EXPECT_EQ(node.consensus.term(), 1u);
  node.lead();
  ASSERT_TRUE(node.hear(3, RequestVoteResult{9, true, true}));
  EXPECT_EQ(node.consensus.role(), RaftRole::leader);
  EXPECT_TRUE(node.updates.empty());
}

TEST(DutiesTest, ANodeVotesWhetherOrNotItKnowsThatItIsAVoter) {
  Membership with_standby = voters(2);
  with_standby.members[1].role = Role::standby;
  // Node 1 was the only voter, made node 2 one too, and crashed before node 2 heard of it.
  TestDisk grown = fresh_disk(with_standby);
  grown.log.entries.push_back(at(1, change(voters(2))));
  Node one(grown, 1);
  Node two(fresh_disk(with_standby), 2);
  ASSERT_TRUE(two.hear(1, AppendEntries{1, 1, 1, 1, 0, {}}));
  ASSERT_EQ(two.consensus.leader(), 1u);
  two.wait();
  EXPECT_EQ(two.consensus.leader(), 0u) << "a standby forgets a leader that is silent, too";
  ASSERT_TRUE(two.hear(1, RequestVote{2, 1, 2, 1, false, false}));
  const auto results = sent<RequestVoteResult>(two.updates, 1);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results[0].granted);
  EXPECT_EQ(two.consensus.vote(), 1u);
  EXPECT_EQ(two.consensus.membership(), with_standby);
}

// Entries.

TEST(DutiesTest, AWriteThatEndsAfterItsEntriesWereReplacedCountsOnlyUpToThem) {
  Node node(disk_of({}));
  ASSERT_TRUE(node.hear(2, AppendEntries{2, 1, 1, 1, 3, {at(2), at(2), at(2)}}));
  const std::uint64_t old_write = node.updates.at(0).write;
  ASSERT_TRUE(node.hear(3, AppendEntries{3, 2, 2, 1, 1, {at(3)}}));
  const std::uint64_t new_write = node.updates.at(0).write;
  EXPECT_EQ(node.consensus.last_index(), 3u);
  node.updates = node.consensus.persisted(node.now, old_write);
  EXPECT_EQ(node.consensus.stored_index(), 2u);
  for (const auto& result : sent<AppendEntriesResult>(node.updates, 3)) {
    EXPECT_LE(result.last_index, 2u);
  }
  node.updates = node.consensus.persisted(node.now, new_write);
  EXPECT_EQ(node.consensus.stored_index(), 3u);
  EXPECT_EQ(sent<AppendEntriesResult>(node.updates, 3).at(0).last_index, 3u);
}

TEST(DutiesTest, AReplacedEntryThatHasTheTermOfAnEarlierOneIsNotTakenForIt) {
  Node node(disk_of({}));
  ASSERT_TRUE(node.hear(2, AppendEntries{2, 1, 1, 1, 2, {at(2), at(2)}}));
  const std::uint64_t old_write = node.updates.at(0).write;
  ASSERT_TRUE(node.hear(3, AppendEntries{3, 1, 1, 1, 2, {at(1), at(3)}}));
  (void)node.consensus.persisted(node.now, old_write);
  EXPECT_EQ(node.consensus.stored_index(), 1u);
}

TEST(DutiesTest, NoWriteCountsWhileASnapshotIsBeingInstalled) {
  Node node(disk_of({}));
  ASSERT_TRUE(node.hear(2, AppendEntries{2, 1, 1, 1, 1, {at(2)}}));
  const std::uint64_t write = node.updates.at(0).write;
  ASSERT_TRUE(node.hear(2, InstallSnapshot{2, 9, 2, 1, encode(voters(3))}));
  ASSERT_TRUE(node.updates.at(0).install);
  const SnapshotMark mark = *node.updates[0].install;
  EXPECT_TRUE(node.consensus.installing());
  EXPECT_TRUE(node.consensus.persisted(node.now, write).empty());
  ASSERT_TRUE(node.hear(2, AppendEntries{2, 9, 2, 9, 0, {}}));
  EXPECT_EQ(node.consensus.commit_index(), 1u) << "what is not there yet is not to be applied";
  node.updates = node.consensus.snapshot_installed(node.now, mark);
  EXPECT_EQ(sent<AppendEntriesResult>(node.updates, 2).at(0).last_index, 9u);
  EXPECT_EQ(node.consensus.stored_index(), 9u);
  EXPECT_EQ(node.consensus.commit_index(), 9u);
}

TEST(DutiesTest, AWriteFromBeforeASnapshotNeverCountsAfterIt) {
  Node node(disk_of({}));
  const std::vector<Entry> replaced(12, at(2));
  ASSERT_TRUE(node.hear(2, AppendEntries{2, 1, 1, 1, 12, replaced}));
  const std::uint64_t write = node.updates.at(0).write;
  ASSERT_TRUE(node.hear(3, InstallSnapshot{3, 9, 3, 1, encode(voters(3))}));
  (void)node.consensus.snapshot_installed(node.now, node.updates.at(0).install.value());
  EXPECT_TRUE(node.consensus.persisted(node.now, write).empty());
  EXPECT_EQ(node.consensus.stored_index(), 9u);
}

TEST(DutiesTest, AChangeInTheMiddleOfAMessageIsBookedUnderItsOwnIndex) {
  Node node(disk_of({}));
  const Entry added = at(2, change(voters(4)));
  ASSERT_TRUE(node.hear(2, AppendEntries{2, 1, 1, 1, 3, {at(2), added, at(2)}}));
  EXPECT_EQ(node.consensus.membership(), voters(4));
  EXPECT_EQ(node.consensus.last_index(), 4u);
  // The change goes, the entry before it stays: back to the membership before.
  ASSERT_TRUE(node.hear(3, AppendEntries{3, 2, 2, 1, 1, {at(3)}}));
  EXPECT_EQ(node.consensus.membership(), voters(3));
}

TEST(DutiesTest, ASecondChangeIsRolledBackToTheFirst) {
  Node node(disk_of({}));
  const std::vector<Entry> changes{at(2, change(voters(4))), at(2, change(voters(5)))};
  ASSERT_TRUE(node.hear(2, AppendEntries{2, 1, 1, 1, 2, changes}));
  EXPECT_EQ(node.consensus.membership(), voters(5));
  ASSERT_TRUE(node.hear(3, AppendEntries{3, 2, 2, 1, 1, {at(3)}}));
  EXPECT_EQ(node.consensus.membership(), voters(4));
}

TEST(DutiesDeathTest, AChangeIsSubmittedAloneOrItIsABug) {
  Node node(disk_of({}));
  node.lead_and_commit();
  Updates updates;
  EXPECT_DEATH((void)node.consensus.submit(node.now, {command("a"), change(voters(4))}, updates),
               "entries.size");
}

TEST(DutiesTest, AChangeGoesOutOnlyOnceItIsOnTheLeadersDisk) {
  Node node(disk_of({}));
  node.lead_and_commit();
  ASSERT_TRUE(node.submit(change(voters(4))));
  const Index index = node.consensus.last_index();
  const Updates submitted = node.updates;
  for (const auto& append : sent<AppendEntries>(submitted, 2)) EXPECT_EQ(append.count, 0u);
  node.wait();
  for (const auto& append : sent<AppendEntries>(node.updates, 2)) EXPECT_EQ(append.count, 0u);
  (void)node.consensus.persisted(node.now, submitted.at(0).write);
  ASSERT_TRUE(node.hear(2, AppendEntriesResult{node.consensus.term(), index, index - 1}));
  const auto sent_now = sent<AppendEntries>(node.updates, 2);
  ASSERT_EQ(sent_now.size(), 1u);
  EXPECT_EQ(sent_now[0].previous_index + sent_now[0].count, index);
}

TEST(DutiesTest, ALateMessageNeverMovesTheCommitIndexBack) {
  Node node(disk_of({}));
  ASSERT_TRUE(node.hear(2, AppendEntries{2, 1, 1, 9, 3, {at(2), at(2), at(2)}}));
  EXPECT_EQ(node.consensus.commit_index(), 4u);
  ASSERT_TRUE(node.hear(2, AppendEntries{2, 1, 1, 9, 0, {}}));
  EXPECT_EQ(node.consensus.commit_index(), 4u);
}

TEST(DutiesTest, TheFirstEntryDoubledAfterASnapshotChangesNothing) {
  const Entry first = disk_of({}).log.entries[0];
  Node node(disk_of({1, 1, 1}));
  ASSERT_TRUE(node.hear(2, AppendEntries{1, 4, 1, 4, 0, {}}));
  node.consensus.snapshot_taken(node.now, {3, 1, 1, encode(voters(3))}, 0);
  ASSERT_TRUE(node.hear(2, AppendEntries{1, 0, 0, 4, 2, {first, at(1)}}));
  EXPECT_EQ(node.consensus.last_index(), 4u);
  const auto results = sent<AppendEntriesResult>(node.updates, 2);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].rejected, 0u);
  EXPECT_EQ(results[0].last_index, 3u);
  ASSERT_TRUE(node.hear(2, AppendEntries{1, 0, 0, 4, 5, {first, at(1), at(1), at(1), at(1)}}));
  ASSERT_EQ(node.updates.at(0).entries.size(), 1u);
  EXPECT_EQ(node.updates[0].first, 5u);
}

TEST(DutiesTest, ALateRefusalNeverMakesALeaderStopSendingEntries) {
  Node node(disk_of({1, 1, 1}));
  node.lead_and_commit();
  const Index last = node.consensus.last_index();
  // Node 2 falls silent, and 3 keeps the leader in office.
  for (int i = 0; i < 30; ++i) {
    node.wait();
    ASSERT_TRUE(node.hear(3, AppendEntriesResult{node.consensus.term(), 0, last}));
  }
  ASSERT_TRUE(node.hear(2, AppendEntriesResult{node.consensus.term(), last, 1}));
  ASSERT_TRUE(node.submit(command("next")));
  std::vector<AppendEntries> to_two = sent<AppendEntries>(node.updates, 2);
  node.wait();
  for (const auto& append : sent<AppendEntries>(node.updates, 2)) to_two.push_back(append);
  ASSERT_FALSE(to_two.empty());
  EXPECT_EQ(to_two.back().previous_index, last);
  EXPECT_EQ(to_two.back().count, 1u);
}

TEST(DutiesTest, ALeaderOfAnOlderTermIsRefusedNeverToldThatItsEntriesWereTaken) {
  TestDisk disk = disk_of({});
  disk.term = 5;
  Node node(disk);
  ASSERT_TRUE(node.hear(2, AppendEntries{3, 0, 0, 0, 0, {}}));
  auto results = sent<AppendEntriesResult>(node.updates, 2);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].rejected, 1u);
  EXPECT_EQ(results[0].term, 5u);
  ASSERT_TRUE(node.hear(2, InstallSnapshot{3, 9, 2, 1, encode(voters(3))}));
  results = sent<AppendEntriesResult>(node.updates, 2);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].rejected, 9u);
  EXPECT_LE(results[0].last_index, 1u);
}

TEST(DutiesTest, WhatContradictsACommittedEntryStopsTheNode) {
  Node node(disk_of({1, 1}));
  ASSERT_TRUE(node.hear(2, AppendEntries{2, 3, 1, 3, 0, {}}));
  ASSERT_EQ(node.consensus.commit_index(), 3u);
  EXPECT_FALSE(node.hear(2, AppendEntries{2, 1, 1, 3, 1, {at(2)}}));
  EXPECT_FALSE(node.hear(2, AppendEntries{2, 3, 2, 3, 0, {}}));
  EXPECT_FALSE(node.hear(2, InstallSnapshot{2, 3, 2, 1, encode(voters(3))}));
  EXPECT_FALSE(node.hear(2, AppendEntries{2, 0, 0, 0, 1, {at(2, change(voters(3)))}}));
}

TEST(DutiesTest, AnotherLeaderInOurOwnTermStopsTheNode) {
  Node node(disk_of({}));
  node.lead();
  const Term term = node.consensus.term();
  EXPECT_FALSE(node.hear(2, AppendEntries{term, 1, 1, 1, 0, {}}));
  EXPECT_FALSE(node.hear(2, InstallSnapshot{term, 9, term, 1, encode(voters(3))}));
}

TEST(DutiesTest, WhatNoCorrectNodeSaysIsDropped) {
  Node node(disk_of({1}));
  const Bytes nothing;
  const auto garbage = std::make_shared<const std::string>(40, '\1');
  const std::string three = encode(voters(3));
  const std::vector<Message> unsound{
      {0, RequestVote{5, 0, 9, 4, false, false}},
      {1, AppendEntriesResult{1, 0, 9}},
      {2, RequestVote{5, 3, 9, 4, false, false}},
      {2, RequestVote{5, 2, 9, 6, false, false}},
      {2, RequestVote{0, 2, 9, 0, false, false}},
      {2, RequestVote{~Term{0}, 2, 9, 4, false, false}},
      {2, AppendEntries{5, 2, 0, 0, 0, {}}},
      {2, AppendEntries{5, 0, 1, 0, 0, {}}},
      {2, AppendEntries{5, 2, 6, 0, 0, {}}},
      {2, AppendEntries{5, ~Index{0}, 1, 0, 1, {at(5)}}},
      {2, AppendEntries{5, 2, 1, 0, 1, {at(0)}}},
      {2, AppendEntries{5, 2, 1, 0, 1, {at(6)}}},
      {2, AppendEntries{5, 2, 1, 0, 2, {at(5), at(4)}}},
      {2, AppendEntries{5, 2, 3, 0, 1, {at(2)}}},
      {2, AppendEntries{5, 0, 0, 0, 1, {at(5)}}},
      {2, AppendEntries{5, 2, 1, 0, 1, {{5, EntryKind::command, nothing}}}},
      {2, AppendEntries{5, 2, 1, 0, 1, {{5, EntryKind::change, garbage}}}},
      {2, AppendEntries{5, 2, 1, 0, 1, {{5, EntryKind{9}, garbage}}}},
      {2, AppendEntriesResult{0, 0, 1}},
      {2, AppendEntriesResult{5, ~Index{0}, 1}},
      {2, InstallSnapshot{5, 0, 0, 0, three}},
      {2, InstallSnapshot{5, 9, 0, 1, three}},
      {2, InstallSnapshot{5, 9, 4, 0, three}},
      {2, InstallSnapshot{5, 9, 4, 10, three}},
      {2, InstallSnapshot{5, 9, 4, 1, *garbage}},
      {2, TimeoutNow{0, 2, 1}},
  };
  for (std::size_t i = 0; i < unsound.size(); ++i) {
    Updates updates;
    EXPECT_TRUE(node.consensus.receive(node.now, unsound[i], updates)) << i;
    EXPECT_TRUE(updates.empty()) << i;
    EXPECT_EQ(node.consensus.term(), 1u) << i;
  }
}

// Snapshots.

TEST(DutiesDeathTest, ALogThatDoesNotContainTheSnapshotsLastEntryIsNotStartedFrom) {
  const SnapshotMark mark{5, 2, 1, encode(voters(3))};
  const std::vector<Entry> behind{at(1), at(1)};
  EXPECT_DEATH((void)Consensus(options_of(1)).start(0, {2, 0, mark, 2, behind}), "entries.size");
  const std::vector<Entry> other{at(1), at(1), at(1), at(1)};
  EXPECT_DEATH((void)Consensus(options_of(1)).start(0, {2, 0, mark, 2, other}), "term");
}

TEST(DutiesTest, ALogThatContainsTheSnapshotsLastEntryIsStartedFrom) {
  const SnapshotMark mark{3, 2, 1, encode(voters(3))};
  Consensus consensus(options_of(1));
  (void)consensus.start(0, {2, 0, mark, 2, {at(1), at(2), at(2)}});
  EXPECT_EQ(consensus.commit_index(), 3u);
  EXPECT_EQ(consensus.stored_index(), 4u);
  EXPECT_EQ(consensus.term_of(2), 1u);
  EXPECT_EQ(consensus.term_of(4), 2u);
  EXPECT_EQ(consensus.term_of(1), 0u);
}

TEST(DutiesTest, ASecondSnapshotDuringAnInstallationIsIgnored) {
  Node node(disk_of({}));
  ASSERT_TRUE(node.hear(2, InstallSnapshot{2, 9, 2, 1, encode(voters(3))}));
  const SnapshotMark mark = *node.updates.at(0).install;
  ASSERT_TRUE(node.hear(2, InstallSnapshot{2, 12, 2, 1, encode(voters(3))}));
  EXPECT_TRUE(node.updates.empty());
  node.consensus.snapshot_taken(node.now, {1, 1, 1, encode(voters(3))}, 0);
  (void)node.consensus.snapshot_installed(node.now, mark);
  EXPECT_EQ(node.consensus.last_index(), 9u);
}

TEST(DutiesTest, ASnapshotThatIsOfNoUseIsAnsweredAtOnce) {
  Node node(disk_of({1, 1}));
  ASSERT_TRUE(node.hear(2, InstallSnapshot{1, 3, 1, 1, encode(voters(3))}));
  EXPECT_FALSE(node.consensus.installing());
  EXPECT_EQ(sent<AppendEntriesResult>(node.updates, 2).at(0).last_index, 3u);
}

// Membership.

TEST(DutiesTest, ALeaderThatWasRemovedStepsDownWhenThatIsCommitted) {
  Node node(disk_of({}));
  node.lead_and_commit();
  Membership without{{voters(3).members[1], voters(3).members[2]}};
  ASSERT_TRUE(node.submit(change(without)));
  node.persist();
  const Index index = node.consensus.last_index();
  ASSERT_TRUE(node.hear(2, AppendEntriesResult{node.consensus.term(), 0, index}));
  ASSERT_TRUE(node.hear(3, AppendEntriesResult{node.consensus.term(), 0, index}));
  ASSERT_EQ(node.consensus.commit_index(), index);
  ASSERT_EQ(node.consensus.role(), RaftRole::leader);
  node.updates = node.consensus.membership_committed(node.now, index, without);
  EXPECT_EQ(node.consensus.role(), RaftRole::follower);
  EXPECT_TRUE(node.updates.at(0).role_changed);
}

TEST(DutiesTest, AChangeWaitsUntilTheOneBeforeIsReportedAsCommittedAlsoAfterAStart) {
  TestDisk disk = disk_of({}, 1);
  Membership two = voters(2);
  two.members[1].role = Role::standby;
  disk.log.entries.push_back(at(1, change(two)));
  Node node(disk);
  ASSERT_TRUE(node.submit(command("takeover")));
  node.persist();
  EXPECT_FALSE(node.submit(change(voters(2))));
  (void)node.consensus.membership_committed(node.now, 2, two);
  EXPECT_TRUE(node.submit(change(voters(2))));
}

TEST(DutiesTest, AChangeNeedsACommitInTheLeadersOwnTerm) {
  Node node(disk_of({}));
  node.lead();
  EXPECT_FALSE(node.submit(change(voters(4))));
  ASSERT_TRUE(node.submit(command("takeover")));
  node.persist();
  ASSERT_TRUE(node.hear(2, AppendEntriesResult{node.consensus.term(), 0, 2}));
  EXPECT_TRUE(node.submit(change(voters(4))));
  EXPECT_FALSE(node.submit(change(voters(5)))) << "one at a time";
}

TEST(DutiesTest, AChangeMovesOneMemberAndNeverLeavesAnotherNodeTheOnlyVoter) {
  Node node(disk_of({}, 2));
  node.lead_and_commit();
  Membership replaced = voters(2);
  replaced.members[1] = {3, "node3", Role::voter};
  EXPECT_FALSE(node.submit(change(replaced)));
  EXPECT_FALSE(node.submit(change({{voters(2).members[1]}})));
  Membership none = voters(2);
  none.members[0].role = Role::standby;
  EXPECT_FALSE(node.submit(change(none)));
  EXPECT_TRUE(node.submit(change({{voters(2).members[0]}})));
}

TEST(DutiesTest, AMemberThatBecameASpareDoesNotMakeTheLoopSpin) {
  Node node(disk_of({}));
  node.lead_and_commit();
  Membership spared = voters(3);
  spared.members[2].role = Role::spare;
  ASSERT_TRUE(node.submit(change(spared)));
  node.persist();
  const Index index = node.consensus.last_index();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(node.hear(2, AppendEntriesResult{node.consensus.term(), 0, index}));
    const Ms before = node.now;
    node.wait();
    ASSERT_GT(node.consensus.next_timeout(), before);
  }
  EXPECT_EQ(node.consensus.role(), RaftRole::leader);
}

}  // namespace
}  // namespace pawl::engine
