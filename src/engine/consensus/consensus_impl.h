// SPDX-License-Identifier: Apache-2.0
// The inside of Consensus, for consensus.cpp (what its owner asks for) and receive.cpp (what peers
// say). Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/consensus/consensus.h"
#include "engine/consensus/raft_core.h"
#include "engine/consensus/writes.h"

namespace pawl::engine {

class Consensus::Impl {
 public:
  explicit Impl(const ConsensusOptions& options);

  void start(Ms now, const ConsensusStart& found, Updates& updates);
  bool submit(Ms now, std::vector<Entry> entries, Updates& updates);
  bool receive(Ms now, Message message, Updates& updates);
  void timeout(Ms now, Updates& updates);
  void persisted(Ms now, std::uint64_t write, Updates& updates);
  void snapshot_installed(Ms now, const SnapshotMark& mark, Updates& updates);
  void snapshot_taken(Ms now, const SnapshotMark& mark, std::uint32_t trailing);
  void membership_committed(Ms now, Index index, const Membership& membership, Updates& updates);
  Ms next_timeout() const;

  PawlRaft* core() const { return core_.get(); }
  RaftRole role() const { return static_cast<RaftRole>(pawl_raft_role(core())); }
  Term term() const { return pawl_raft_term(core()); }
  Term term_of(Index index) const { return pawl_raft_term_of(core(), index); }
  Index last_index() const { return pawl_raft_last_index(core()); }
  bool installing() const { return pawl_raft_installing(core()); }
  Index commit_index() const {
    return installing() ? commit_before_install_ : pawl_raft_commit_index(core());
  }
  const Membership& membership() const { return membership_; }
  bool sole_voter() const { return membership_.sole_voter(options_.id); }
  bool needs_restart() const { return role() == RaftRole::follower && sole_voter(); }

 private:
  struct Free {
    void operator()(PawlRaft* core) const { pawl_raft_free(core); }
  };

  void advance(Ms now);
  bool can_change_to(const Membership& next) const;
  bool receive_body(const Message& message, const RequestVote& body, Updates& updates);
  bool receive_body(const Message& message, const RequestVoteResult& body, Updates& updates);
  bool receive_body(const Message& message, const AppendEntries& body, Updates& updates);
  bool receive_body(const Message& message, const AppendEntriesResult& body, Updates& updates);
  bool receive_body(const Message& message, const InstallSnapshot& body, Updates& updates);
  bool receive_body(const Message& message, const TimeoutNow& body, Updates& updates);
  bool receive_piece(NodeId peer, AppendEntries piece, Updates& updates);
  void commit_earlier_change(const AppendEntries& piece, Updates& updates);
  void refuse_stale(NodeId peer, Index index, Updates& updates) const;
  PawlRaftResult give(const Message& message, PawlRaftUpdate& asked) const;
  void collect(const PawlRaftUpdate& asked, Index source_first, const std::vector<Entry>& source,
               Updates& updates);
  void collect(const PawlRaftUpdate& asked, Updates& updates) { collect(asked, 0, {}, updates); }
  std::vector<Message> sent(std::uint32_t count);
  bool hold_back(Message& message);
  void refresh_membership();

  const ConsensusOptions options_;
  std::unique_ptr<PawlRaft, Free> core_;
  bool started_ = false;
  Ms now_ = 0;
  std::optional<Ms> timed_out_at_;
  Writes writes_;
  Membership membership_;
  std::optional<SnapshotMark> install_;
  Index commit_before_install_ = 0;
  Index held_change_ = 0;  // submitted and not yet on disk; zero: none
};

}  // namespace pawl::engine
