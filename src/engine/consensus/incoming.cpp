// SPDX-License-Identifier: Apache-2.0
#include "engine/consensus/incoming.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/consensus/membership.h"

namespace pawl::engine {
namespace {

bool is_term(Term term) { return term > 0 && term <= kMostTerm; }

// An entry, or nothing at all.
bool is_position(Index index, Term term, Term at_most) {
  if (index == 0) return term == 0;
  return index <= kMostIndex && is_term(term) && term <= at_most;
}

bool is_entry(const Entry& entry) {
  switch (entry.kind) {
    case EntryKind::command:
    case EntryKind::barrier:
      return entry.bytes != nullptr;
    case EntryKind::change:
      return entry.bytes != nullptr && decode_membership(*entry.bytes).has_value();
  }
  return false;
}

struct Sound {
  NodeId peer = 0;

  bool operator()(const RequestVote& m) const {
    return is_term(m.term) && m.candidate == peer && is_position(m.last_index, m.last_term, m.term);
  }

  bool operator()(const RequestVoteResult& m) const { return is_term(m.term); }

  bool operator()(const AppendEntries& m) const {
    if (!is_term(m.term) || !is_position(m.previous_index, m.previous_term, m.term)) return false;
    if (m.commit > kMostIndex || m.entries.size() > kMostIndex - m.previous_index) return false;
    // The first entry of all is the first membership.
    if (m.previous_index == 0 && !m.entries.empty() &&
        m.entries.front().kind != EntryKind::change) {
      return false;
    }
    Term before = std::max<Term>(m.previous_term, 1);
    for (const Entry& entry : m.entries) {
      if (entry.term < before || entry.term > m.term || !is_entry(entry)) return false;
      before = entry.term;
    }
    return true;
  }

  bool operator()(const AppendEntriesResult& m) const {
    return is_term(m.term) && m.rejected <= kMostIndex && m.last_index <= kMostIndex;
  }

  bool operator()(const InstallSnapshot& m) const {
    return is_term(m.term) && m.last_index > 0 && is_position(m.last_index, m.last_term, m.term) &&
           m.membership_index > 0 && m.membership_index <= m.last_index &&
           decode_membership(m.membership).has_value();
  }

  bool operator()(const TimeoutNow& m) const {
    return is_term(m.term) && is_position(m.last_index, m.last_term, m.term);
  }
};

}  // namespace

bool is_sound(const Message& message, NodeId self) {
  if (message.peer == 0 || message.peer == self) return false;
  return std::visit(Sound{message.peer}, message.body);
}

std::vector<AppendEntries> pieces_of(AppendEntries whole) {
  std::vector<AppendEntries> pieces;
  AppendEntries piece{whole.term, whole.previous_index, whole.previous_term, whole.commit, 0, {}};
  Index index = whole.previous_index;
  Term term = whole.previous_term;
  for (Entry& entry : whole.entries) {
    if (entry.kind == EntryKind::change && !piece.entries.empty()) {
      pieces.push_back(std::move(piece));
      piece = {whole.term, index, term, whole.commit, 0, {}};
    }
    ++index;
    term = entry.term;
    piece.entries.push_back(std::move(entry));
  }
  pieces.push_back(std::move(piece));
  for (AppendEntries& done : pieces) done.count = static_cast<std::uint32_t>(done.entries.size());
  return pieces;
}

bool skip_to(Index index, Term term, AppendEntries& message) {
  if (message.previous_index >= index) return true;
  const Index behind = index - message.previous_index;
  if (message.entries.size() >= behind && message.entries[behind - 1].term != term) return false;
  const Index skipped = std::min<Index>(behind, message.entries.size());
  message.entries.erase(message.entries.begin(),
                        std::next(message.entries.begin(), static_cast<std::ptrdiff_t>(skipped)));
  message.previous_index = index;
  message.previous_term = term;
  return true;
}

}  // namespace pawl::engine
