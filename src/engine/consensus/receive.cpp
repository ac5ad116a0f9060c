// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "core/assert.h"
#include "engine/consensus/consensus_impl.h"
#include "engine/consensus/incoming.h"
#include "engine/consensus/translate.h"

namespace pawl::engine {

bool Consensus::Impl::receive(Ms now, Message message, Updates& updates) {
  advance(now);
  if (!is_sound(message, options_.id)) return true;
  return std::visit([&](const auto& body) { return receive_body(message, body, updates); },
                    message.body);
}

PawlRaftResult Consensus::Impl::give(const Message& message, PawlRaftUpdate& asked) const {
  std::vector<PawlRaftEntry> entries;
  const PawlRaftMessage given = to_core(message, entries);
  const PawlRaftResult result = pawl_raft_receive(core(), now_, &given, &asked);
  PAWL_ASSERT(result == PAWL_RAFT_OK || result == PAWL_RAFT_CONTRADICTION);
  return result;
}

bool Consensus::Impl::receive_body(const Message& message, const RequestVote&, Updates& updates) {
  PawlRaftUpdate asked{};
  PAWL_ASSERT(give(message, asked) == PAWL_RAFT_OK);
  collect(asked, updates);
  return true;
}

// libraft reads the state of a candidacy without asking whether there is one. A newer term that is
// lost here comes again with every answer to a heartbeat.
bool Consensus::Impl::receive_body(const Message& message, const RequestVoteResult& body,
                                   Updates& updates) {
  if (role() != RaftRole::candidate) return true;
  if (body.granted && body.term > term() + (body.pre_vote ? 1 : 0)) return true;
  PawlRaftUpdate asked{};
  PAWL_ASSERT(give(message, asked) == PAWL_RAFT_OK);
  collect(asked, updates);
  return true;
}

bool Consensus::Impl::receive_body(const Message& message, const AppendEntries& body,
                                   Updates& updates) {
  if (body.term < term()) {
    refuse_stale(message.peer, std::max<Index>(body.previous_index, 1), updates);
    return true;
  }
  if (body.term == term() && role() == RaftRole::leader) return false;
  AppendEntries whole = body;
  const Index snapshot = pawl_raft_snapshot_index(core());
  if (!skip_to(snapshot, term_of(snapshot), whole)) return false;
  for (AppendEntries& piece : pieces_of(std::move(whole))) {
    const Index last = piece.previous_index + piece.entries.size();
    const Term last_term = piece.entries.empty() ? piece.previous_term : piece.entries.back().term;
    if (!receive_piece(message.peer, std::move(piece), updates)) return false;
    if (term_of(last) != last_term) break;  // refused, or a snapshot is being installed
  }
  return true;
}

bool Consensus::Impl::receive_piece(NodeId peer, AppendEntries piece, Updates& updates) {
  const std::vector<Entry> entries = piece.entries;
  const Index first = piece.previous_index + 1;
  const Index last = piece.previous_index + entries.size();
  // The first membership is the same on every node of a cluster; libraft could not roll it back.
  if (first == 1 && !entries.empty() && term_of(1) != 0 && term_of(1) != entries[0].term) {
    return false;
  }
  // From a late message libraft would take a commit index lower than it had.
  piece.commit = std::max(std::min(piece.commit, last), pawl_raft_commit_index(core()));
  commit_earlier_change(piece, updates);
  PawlRaftUpdate asked{};
  if (give({peer, std::move(piece)}, asked) == PAWL_RAFT_CONTRADICTION) return false;
  collect(asked, first, entries, updates);
  return true;
}

// A leader begins a change only when the one before is committed. libraft forgets the one before
// when it takes in the next, and would roll back to what was before both.
void Consensus::Impl::commit_earlier_change(const AppendEntries& piece, Updates& updates) {
  if (piece.entries.empty() || piece.entries.front().kind != EntryKind::change) return;
  const Index first = piece.previous_index + 1;
  const Index earlier = pawl_raft_uncommitted_membership_index(core());
  if (earlier == 0 || earlier >= first || installing()) return;
  if (term_of(piece.previous_index) != piece.previous_term) return;
  if (term_of(first) == piece.entries.front().term) return;
  const std::string bytes = encode(membership_);
  PawlRaftUpdate asked{};
  PAWL_ASSERT(pawl_raft_membership_committed(core(), now_, earlier, {bytes.data(), bytes.size()},
                                             &asked) == PAWL_RAFT_OK);
  collect(asked, updates);
}

// In place of libraft's own answer to a leader of an older term, which for some messages says
// "taken", with an index that was never set.
void Consensus::Impl::refuse_stale(NodeId peer, Index index, Updates& updates) const {
  Update update;
  update.messages.push_back(
      {peer, AppendEntriesResult{term(), index, std::min(last_index(), index - 1)}});
  updates.push_back(std::move(update));
}

bool Consensus::Impl::receive_body(const Message& message, const AppendEntriesResult& body,
                                   Updates& updates) {
  // A late refusal would have libraft send less than the peer is known to have, and then nothing.
  if (body.rejected > 0 && body.term == term() &&
      body.rejected <= pawl_raft_match_index(core(), message.peer)) {
    return true;
  }
  PawlRaftUpdate asked{};
  PAWL_ASSERT(give(message, asked) == PAWL_RAFT_OK);
  collect(asked, updates);
  return true;
}

bool Consensus::Impl::receive_body(const Message& message, const InstallSnapshot& body,
                                   Updates& updates) {
  if (body.term < term()) {
    refuse_stale(message.peer, body.last_index, updates);
    return true;
  }
  if (body.term == term() && role() == RaftRole::leader) return false;
  if (installing()) return true;
  const Term ours = term_of(body.last_index);
  if (body.last_index <= commit_index() && ours != 0 && ours != body.last_term) return false;
  const Index commit_before = commit_index();
  PawlRaftUpdate asked{};
  PAWL_ASSERT(give(message, asked) == PAWL_RAFT_OK);
  if (asked.install) {
    install_ = {body.last_index, body.last_term, body.membership_index, body.membership};
    commit_before_install_ = commit_before;
    writes_.forget();
  }
  collect(asked, updates);
  return true;
}

bool Consensus::Impl::receive_body(const Message& message, const TimeoutNow&, Updates& updates) {
  if (sole_voter()) return true;
  PawlRaftUpdate asked{};
  PAWL_ASSERT(give(message, asked) == PAWL_RAFT_OK);
  collect(asked, updates);
  return true;
}

}  // namespace pawl::engine
