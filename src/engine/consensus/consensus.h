// SPDX-License-Identifier: Apache-2.0
// Raft, as a value that turns events into updates: no I/O, no clock, no threads. A face on
// libraft's raft_step() (raft_core.h is the C side) that keeps libraft's preconditions and makes
// good what it leaves to its users; docs/consensus.md lists each of those duties and the test that
// checks it.
//
// Entries' bytes never go through libraft: it sees terms, kinds and memberships only, and this
// class puts the bytes back into the updates. Time is in milliseconds and never goes back. Not
// thread-safe: owned by the engine's loop. Out of memory, or a broken promise of libraft, stops the
// process (PAWL_ASSERT).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/consensus/membership.h"
#include "engine/consensus/message.h"
#include "engine/entry.h"

namespace pawl::engine {

enum class RaftRole : std::uint8_t { follower, candidate, leader };

// What must be carried out after an event, in this order: term and vote on disk before any message
// of this or a later update leaves; entries on disk before they are reported by persisted().
struct Update {
  bool term_or_vote = false;  // either has changed; the values are the consensus' own
  Index first = 0;            // zero: no entries. Entries from here on replace what the log had.
  std::vector<Entry> entries;
  std::uint64_t write = 0;              // the number of this write of entries, for persisted()
  std::optional<SnapshotMark> install;  // of a received snapshot, which the log gives way to
  std::vector<Message> messages;
  bool role_changed = false;
};
using Updates = std::vector<Update>;

struct ConsensusOptions {
  NodeId id = 1;
  std::uint32_t seed = 1;
  std::uint32_t election_timeout_ms = 1'000;
  std::uint32_t heartbeat_ms = 100;
  std::uint32_t install_snapshot_timeout_ms = 600'000;
};

// What was found on disk.
struct ConsensusStart {
  Term term = 0;
  NodeId vote = 0;
  std::optional<SnapshotMark> snapshot;
  Index first = 1;  // of the entries
  std::vector<Entry> entries;
};

class Consensus {
 public:
  explicit Consensus(const ConsensusOptions& options);
  ~Consensus();
  Consensus(const Consensus&) = delete;
  Consensus& operator=(const Consensus&) = delete;

  using Ms = std::uint64_t;

  // Once, first. A node that is the only voter must have put a term that it never used before, and
  // its own vote, on disk: it leads at once in that term, and takes all it has as committed.
  [[nodiscard]] Updates start(Ms now, const ConsensusStart& found);

  // In the current term, at the end of the log; the entries' own terms are not looked at. False:
  // not the leader, or a change that can't be made; nothing was done. A change must be alone. It
  // can't be made before this leader has committed an entry of its term, while another is under
  // way, if it does more than one_step_apart() allows, or if it leaves no voter, or one that is not
  // this node.
  [[nodiscard]] bool submit(Ms now, std::vector<Entry> entries, Updates& updates);

  // AppendEntries with their entries (`count` is not looked at). What no correct node says is
  // dropped, and so are results that come too late to mean anything. False: this contradicts what
  // is committed, or another node leads in our own term; the node must stop.
  [[nodiscard]] bool receive(Ms now, Message message, Updates& updates);

  // When next_timeout() has come. Does nothing for a node that needs_restart().
  [[nodiscard]] Updates timeout(Ms now);

  // The entries of the update with this `write`, and of all updates before it, are on disk. What a
  // later update has replaced meanwhile is left out, and everything while a snapshot is installed.
  [[nodiscard]] Updates persisted(Ms now, std::uint64_t write);

  // The snapshot of an update's `install` is on disk and the log begins behind it.
  [[nodiscard]] Updates snapshot_installed(Ms now, const SnapshotMark& mark);

  // A snapshot of our own is on disk; the last `trailing` entries up to it are kept. All of it is
  // committed, and membership_committed() was called for its changes. Without effect if a newer
  // one came in meanwhile, or for index 1 (libraft could not bring that to others).
  void snapshot_taken(Ms now, const SnapshotMark& mark, std::uint32_t trailing);

  // A change at this index was committed. Also in the replay at start.
  [[nodiscard]] Updates membership_committed(Ms now, Index index, const Membership& membership);

  RaftRole role() const;  // never evidence of leadership: only a commit is
  Term term() const;
  NodeId vote() const;
  NodeId leader() const;       // zero: not known
  Index commit_index() const;  // apply up to here, and only what is on disk: see stored_index()
  Index stored_index() const;  // zero while a snapshot is being installed
  Index last_index() const;
  // Zero: not in the log, and not the last entry of the snapshot.
  Term term_of(Index index) const;
  Ms next_timeout() const;
  bool installing() const;
  const Membership& membership() const;  // the latest, committed or not
  bool sole_voter() const;
  // The only voter, but not leading: libraft would make it a leader in a term that another may have
  // led. It must be made anew, and started with a new term (see start()).
  bool needs_restart() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::engine
