// SPDX-License-Identifier: Apache-2.0
#include "engine/consensus/translate.h"

#include <string>

#include "core/assert.h"

namespace pawl::engine {
namespace {

static_assert(static_cast<int>(EntryKind::command) == PAWL_RAFT_COMMAND);
static_assert(static_cast<int>(EntryKind::barrier) == PAWL_RAFT_BARRIER);
static_assert(static_cast<int>(EntryKind::change) == PAWL_RAFT_CHANGE);

PawlRaftBytes bytes_of(const std::string& bytes) { return {bytes.data(), bytes.size()}; }

struct ToCore {
  PawlRaftMessage& to;
  std::vector<PawlRaftEntry>& entries;

  void operator()(const RequestVote& m) const {
    to.type = PAWL_RAFT_REQUEST_VOTE;
    to.term = m.term;
    to.candidate = m.candidate;
    to.index = m.last_index;
    to.index_term = m.last_term;
    to.disrupt_leader = m.disrupt_leader;
    to.pre_vote = m.pre_vote;
  }

  void operator()(const RequestVoteResult& m) const {
    to.type = PAWL_RAFT_REQUEST_VOTE_RESULT;
    to.term = m.term;
    to.granted = m.granted;
    to.pre_vote = m.pre_vote;
  }

  void operator()(const AppendEntries& m) const {
    to.type = PAWL_RAFT_APPEND_ENTRIES;
    to.term = m.term;
    to.index = m.previous_index;
    to.index_term = m.previous_term;
    to.commit = m.commit;
    entries = to_core(m.entries);
    to.entries = entries.data();
    to.count = static_cast<std::uint32_t>(entries.size());
  }

  void operator()(const AppendEntriesResult& m) const {
    to.type = PAWL_RAFT_APPEND_ENTRIES_RESULT;
    to.term = m.term;
    to.rejected = m.rejected;
    to.index = m.last_index;
  }

  void operator()(const InstallSnapshot& m) const {
    to.type = PAWL_RAFT_INSTALL_SNAPSHOT;
    to.term = m.term;
    to.index = m.last_index;
    to.index_term = m.last_term;
    to.membership_index = m.membership_index;
    to.membership = bytes_of(m.membership);
  }

  void operator()(const TimeoutNow& m) const {
    to.type = PAWL_RAFT_TIMEOUT_NOW;
    to.term = m.term;
    to.index = m.last_index;
    to.index_term = m.last_term;
  }
};

}  // namespace

PawlRaftMark to_core(const SnapshotMark& mark) {
  return {mark.index, mark.term, mark.membership_index, bytes_of(mark.membership)};
}

std::vector<PawlRaftEntry> to_core(const std::vector<Entry>& entries) {
  std::vector<PawlRaftEntry> to;
  to.reserve(entries.size());
  for (const Entry& entry : entries) {
    const bool change = entry.kind == EntryKind::change;
    to.push_back({entry.term, static_cast<int>(entry.kind),
                  change ? bytes_of(*entry.bytes) : PawlRaftBytes{nullptr, 0}});
  }
  return to;
}

PawlRaftMessage to_core(const Message& message, std::vector<PawlRaftEntry>& entries) {
  PawlRaftMessage to{};
  to.peer = message.peer;
  std::visit(ToCore{to, entries}, message.body);
  return to;
}

Message from_core(const PawlRaftMessage& m) {
  switch (m.type) {
    case PAWL_RAFT_REQUEST_VOTE:
      return {m.peer, RequestVote{m.term, m.candidate, m.index, m.index_term, m.disrupt_leader,
                                  m.pre_vote}};
    case PAWL_RAFT_REQUEST_VOTE_RESULT:
      return {m.peer, RequestVoteResult{m.term, m.granted, m.pre_vote}};
    case PAWL_RAFT_APPEND_ENTRIES:
      return {m.peer, AppendEntries{m.term, m.index, m.index_term, m.commit, m.count, {}}};
    case PAWL_RAFT_APPEND_ENTRIES_RESULT:
      return {m.peer, AppendEntriesResult{m.term, m.rejected, m.index}};
    case PAWL_RAFT_INSTALL_SNAPSHOT:
      return {m.peer, InstallSnapshot{m.term, m.index, m.index_term, m.membership_index, {}}};
    case PAWL_RAFT_TIMEOUT_NOW:
      return {m.peer, TimeoutNow{m.term, m.index, m.index_term}};
    case PAWL_RAFT_NO_MESSAGE:
      break;
  }
  constexpr bool kKnownMessage = false;  // libraft 0.22 has no other
  PAWL_ASSERT(kKnownMessage);
  return {};
}

}  // namespace pawl::engine
