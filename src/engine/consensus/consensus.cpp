// SPDX-License-Identifier: Apache-2.0
#include "engine/consensus/consensus.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/assert.h"
#include "engine/consensus/consensus_impl.h"
#include "engine/consensus/incoming.h"
#include "engine/consensus/translate.h"

namespace pawl::engine {
namespace {

// How many entries may be on their way to one member.
constexpr std::uint32_t kMostInflightEntries = 256;
constexpr std::uint64_t kMostMs = std::uint64_t{1} << 60;

const Bytes& no_bytes() {
  static const Bytes none = std::make_shared<const std::string>();
  return none;
}

PawlRaft* make_core(const ConsensusOptions& options) {
  PAWL_ASSERT(options.id > 0);
  PAWL_ASSERT(options.election_timeout_ms > 0 && options.election_timeout_ms < 1u << 30);
  PAWL_ASSERT(options.heartbeat_ms > 0 && options.heartbeat_ms < options.election_timeout_ms);
  const PawlRaftOptions core{options.id,
                             options.seed,
                             options.election_timeout_ms,
                             options.heartbeat_ms,
                             options.install_snapshot_timeout_ms,
                             options.install_snapshot_timeout_ms,  // a catch-up may need one
                             kMostInflightEntries};
  return pawl_raft_new(&core);
}

// The constraints of RAFT_START, which it only asserts.
void check_found(const ConsensusStart& found) {
  Term before = 1;
  Index next = 1;
  if (found.snapshot) {
    const SnapshotMark& mark = *found.snapshot;
    PAWL_ASSERT(mark.index > 0 && mark.term > 0 && mark.term <= found.term);
    PAWL_ASSERT(mark.membership_index > 0 && mark.membership_index <= mark.index);
    PAWL_ASSERT(decode_membership(mark.membership));
    next = mark.index + 1;
  }
  // A log that does not contain the snapshot's last entry is discarded whole, by the caller.
  PAWL_ASSERT(found.first > 0 && found.first <= next);
  if (found.first < next) {
    PAWL_ASSERT(found.entries.size() >= next - found.first);
    PAWL_ASSERT(found.entries[next - found.first - 1].term == found.snapshot->term);
  } else if (found.snapshot) {
    before = found.snapshot->term;
  }
  if (!found.snapshot && !found.entries.empty()) {
    PAWL_ASSERT(found.entries.front().kind == EntryKind::change);
  }
  for (const Entry& entry : found.entries) {
    PAWL_ASSERT(entry.term >= before && entry.term <= found.term && entry.bytes != nullptr);
    PAWL_ASSERT(entry.kind != EntryKind::change || decode_membership(*entry.bytes));
    before = entry.term;
  }
  PAWL_ASSERT(found.term <= kMostTerm);
  if (found.term == 0) PAWL_ASSERT(found.vote == 0 && !found.snapshot && found.entries.empty());
}

}  // namespace

Consensus::Impl::Impl(const ConsensusOptions& options)
    : options_(options), core_(make_core(options)) {
  PAWL_ASSERT(core_ != nullptr);
}

void Consensus::Impl::advance(Ms now) {
  PAWL_ASSERT(started_ && now >= now_ && now <= kMostMs);
  now_ = now;
}

void Consensus::Impl::start(Ms now, const ConsensusStart& found, Updates& updates) {
  PAWL_ASSERT(!started_);
  started_ = true;
  advance(now);
  check_found(found);
  PawlRaftUpdate asked{};
  const std::vector<PawlRaftEntry> entries = to_core(found.entries);
  const PawlRaftMark mark = found.snapshot ? to_core(*found.snapshot) : PawlRaftMark{};
  PAWL_ASSERT(pawl_raft_start(core(), now, found.term, found.vote, found.snapshot ? &mark : nullptr,
                              found.first, entries.data(),
                              static_cast<std::uint32_t>(entries.size()), &asked) == PAWL_RAFT_OK);
  collect(asked, updates);
  // libraft makes the only voter a leader at once, and in the term that it finds.
  if (sole_voter()) {
    PAWL_ASSERT(found.vote == options_.id && found.term > term_of(last_index()));
  }
}

// One member at a time, so that the majorities before and after have a node in common; and only
// from a leader that has committed in its own term, because an earlier leader's change may still
// win. libraft checks neither, and with as many members as before it would take the progress of one
// for that of another.
bool Consensus::Impl::can_change_to(const Membership& next) const {
  if (pawl_raft_uncommitted_membership_index(core()) != 0) return false;
  if (term_of(commit_index()) != term() || !one_step_apart(membership_, next)) return false;
  return next.voters() > 1 || next.sole_voter(options_.id);
}

bool Consensus::Impl::submit(Ms now, std::vector<Entry> entries, Updates& updates) {
  advance(now);
  PAWL_ASSERT(!entries.empty() && last_index() + entries.size() <= kMostIndex);
  if (role() != RaftRole::leader) return false;
  for (Entry& entry : entries) {
    PAWL_ASSERT(entry.bytes != nullptr);
    entry.term = term();
    if (entry.kind != EntryKind::change) continue;
    PAWL_ASSERT(entries.size() == 1);
    const std::optional<Membership> next = decode_membership(*entry.bytes);
    PAWL_ASSERT(next);
    if (!can_change_to(*next)) return false;
    held_change_ = last_index() + 1;
  }
  PawlRaftUpdate asked{};
  const std::vector<PawlRaftEntry> given = to_core(entries);
  const PawlRaftResult result =
      pawl_raft_submit(core(), now, given.data(), static_cast<std::uint32_t>(given.size()), &asked);
  if (result == PAWL_RAFT_REFUSED) {
    held_change_ = 0;
    return false;
  }
  PAWL_ASSERT(result == PAWL_RAFT_OK);
  collect(asked, asked.first, entries, updates);
  return true;
}

void Consensus::Impl::timeout(Ms now, Updates& updates) {
  advance(now);
  timed_out_at_ = now;
  if (needs_restart()) return;
  PawlRaftUpdate asked{};
  PAWL_ASSERT(pawl_raft_timeout(core(), now, &asked) == PAWL_RAFT_OK);
  collect(asked, updates);
}

void Consensus::Impl::persisted(Ms now, std::uint64_t write, Updates& updates) {
  advance(now);
  const Index index = writes_.done(write);
  if (installing() || index <= pawl_raft_stored_index(core())) return;
  PAWL_ASSERT(index <= last_index() && role() != RaftRole::candidate);
  PawlRaftUpdate asked{};
  PAWL_ASSERT(pawl_raft_persisted(core(), now, index, &asked) == PAWL_RAFT_OK);
  collect(asked, updates);
}

void Consensus::Impl::snapshot_installed(Ms now, const SnapshotMark& mark, Updates& updates) {
  advance(now);
  PAWL_ASSERT(installing() && install_ == mark && role() == RaftRole::follower);
  install_.reset();
  const PawlRaftMark given = to_core(mark);
  PawlRaftUpdate asked{};
  PAWL_ASSERT(pawl_raft_snapshot_installed(core(), now, &given, &asked) == PAWL_RAFT_OK);
  collect(asked, updates);
}

void Consensus::Impl::snapshot_taken(Ms now, const SnapshotMark& mark, std::uint32_t trailing) {
  advance(now);
  if (installing() || mark.index <= pawl_raft_snapshot_index(core()) || mark.index == 1) return;
  PAWL_ASSERT(mark.index <= commit_index() && term_of(mark.index) == mark.term);
  PAWL_ASSERT(mark.membership_index > 0);
  PAWL_ASSERT(mark.membership_index <= pawl_raft_committed_membership_index(core()));
  PAWL_ASSERT(decode_membership(mark.membership));
  const PawlRaftMark given = to_core(mark);
  PawlRaftUpdate asked{};
  PAWL_ASSERT(pawl_raft_snapshot_taken(core(), now, &given, trailing, &asked) == PAWL_RAFT_OK);
}

void Consensus::Impl::membership_committed(Ms now, Index index, const Membership& committed,
                                           Updates& updates) {
  advance(now);
  PAWL_ASSERT(index > 0 && index <= commit_index());
  if (index != pawl_raft_uncommitted_membership_index(core())) return;  // libraft knows
  PAWL_ASSERT(committed == membership_);
  const std::string bytes = encode(committed);
  PawlRaftUpdate asked{};
  PAWL_ASSERT(pawl_raft_membership_committed(core(), now, index, {bytes.data(), bytes.size()},
                                             &asked) == PAWL_RAFT_OK);
  collect(asked, updates);
}

// libraft counts a spare that once was more than that, and never sends to it: then its time is
// always past. Nor is anything done in time for a node that needs a restart.
Consensus::Ms Consensus::Impl::next_timeout() const {
  const Ms next = pawl_raft_next_timeout(core());
  return timed_out_at_ && next <= *timed_out_at_ ? *timed_out_at_ + options_.heartbeat_ms : next;
}

// Copies what a step asks for: libraft uses that memory again in the next one.
void Consensus::Impl::collect(const PawlRaftUpdate& asked, Index source_first,
                              const std::vector<Entry>& source, Updates& updates) {
  refresh_membership();
  Update update;
  update.term_or_vote = asked.term_or_vote;
  update.role_changed = asked.role_changed;
  if (asked.first != 0) {
    update.first = asked.first;
    if (asked.barrier) {
      update.entries.push_back({term(), EntryKind::barrier, no_bytes()});
    } else {
      PAWL_ASSERT(asked.first >= source_first);
      const std::size_t skipped = asked.first - source_first;
      PAWL_ASSERT(skipped + asked.count == source.size());
      update.entries.assign(source.begin() + static_cast<std::ptrdiff_t>(skipped), source.end());
    }
    PAWL_ASSERT(asked.first + update.entries.size() - 1 == last_index());
    update.write = writes_.issue(asked.first, last_index());
  }
  if (asked.install) update.install = install_;
  update.messages = sent(asked.messages);
  if (update.term_or_vote || update.role_changed || update.first != 0 || update.install ||
      !update.messages.empty()) {
    updates.push_back(std::move(update));
  }
}

std::vector<Message> Consensus::Impl::sent(std::uint32_t count) {
  std::vector<Message> messages;
  messages.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    Message message = from_core(pawl_raft_sent(core(), i));
    // A refused pre-vote echoes the asker's term: one with a fuller log but an older term would
    // never learn the newer one, and a healthy majority could be without a leader for ever.
    auto* vote = std::get_if<RequestVoteResult>(&message.body);
    if (vote != nullptr && vote->pre_vote && !vote->granted) {
      vote->term = std::max(vote->term, term());
    }
    if (!hold_back(message)) messages.push_back(std::move(message));
  }
  return messages;
}

// A change goes out only once it is on the leader's own disk. Otherwise those whom it relieves of
// their vote could have it, and the one that it makes the only voter could lose it in a crash: then
// none of them would vote. To libraft this is a lost message. True: nothing is left to send.
bool Consensus::Impl::hold_back(Message& message) {
  if (role() != RaftRole::leader || pawl_raft_stored_index(core()) >= held_change_)
    held_change_ = 0;
  auto* append = std::get_if<AppendEntries>(&message.body);
  if (held_change_ == 0 || append == nullptr) return false;
  if (append->previous_index >= held_change_) return true;
  const Index before = held_change_ - 1 - append->previous_index;
  append->count = static_cast<std::uint32_t>(std::min<Index>(append->count, before));
  return false;
}

void Consensus::Impl::refresh_membership() {
  const std::uint32_t count = pawl_raft_members(core());
  bool same = count == membership_.members.size();
  for (std::uint32_t i = 0; same && i < count; ++i) {
    const PawlRaftMember member = pawl_raft_member(core(), i);
    const Member& known = membership_.members[i];
    same = known.id == member.id && static_cast<int>(known.role) == member.role &&
           known.address == member.address;
  }
  if (same) return;
  membership_.members.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    const PawlRaftMember member = pawl_raft_member(core(), i);
    membership_.members.push_back({member.id, member.address, static_cast<Role>(member.role)});
  }
}

Consensus::Consensus(const ConsensusOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Consensus::~Consensus() = default;

Updates Consensus::start(Ms now, const ConsensusStart& found) {
  Updates updates;
  impl_->start(now, found, updates);
  return updates;
}

bool Consensus::submit(Ms now, std::vector<Entry> entries, Updates& updates) {
  return impl_->submit(now, std::move(entries), updates);
}

bool Consensus::receive(Ms now, Message message, Updates& updates) {
  return impl_->receive(now, std::move(message), updates);
}

Updates Consensus::timeout(Ms now) {
  Updates updates;
  impl_->timeout(now, updates);
  return updates;
}

Updates Consensus::persisted(Ms now, std::uint64_t write) {
  Updates updates;
  impl_->persisted(now, write, updates);
  return updates;
}

Updates Consensus::snapshot_installed(Ms now, const SnapshotMark& mark) {
  Updates updates;
  impl_->snapshot_installed(now, mark, updates);
  return updates;
}

void Consensus::snapshot_taken(Ms now, const SnapshotMark& mark, std::uint32_t trailing) {
  impl_->snapshot_taken(now, mark, trailing);
}

Updates Consensus::membership_committed(Ms now, Index index, const Membership& membership) {
  Updates updates;
  impl_->membership_committed(now, index, membership, updates);
  return updates;
}

RaftRole Consensus::role() const { return impl_->role(); }
Term Consensus::term() const { return impl_->term(); }
NodeId Consensus::vote() const { return pawl_raft_vote(impl_->core()); }
NodeId Consensus::leader() const { return pawl_raft_leader(impl_->core()); }
Index Consensus::commit_index() const { return impl_->commit_index(); }
Index Consensus::stored_index() const { return pawl_raft_stored_index(impl_->core()); }
Index Consensus::last_index() const { return impl_->last_index(); }
Term Consensus::term_of(Index index) const { return impl_->term_of(index); }
Consensus::Ms Consensus::next_timeout() const { return impl_->next_timeout(); }
bool Consensus::installing() const { return impl_->installing(); }
const Membership& Consensus::membership() const { return impl_->membership(); }
bool Consensus::sole_voter() const { return impl_->sole_voter(); }
bool Consensus::needs_restart() const { return impl_->needs_restart(); }

}  // namespace pawl::engine
