// SPDX-License-Identifier: Apache-2.0
// From disk to a running node: the newest snapshot, the log behind it, and what of both counts.
#include <string>
#include <utility>

#include "core/read.h"
#include "engine/replica/impl.h"

namespace pawl::engine {

namespace {

// The log contains the snapshot's last entry, or begins right behind it.
bool goes_on_from(const LogContents& contents, const SnapshotMark& mark) {
  const Index last = contents.first + contents.entries.size() - 1;
  if (contents.first == mark.index + 1) return true;
  const bool contains = contents.first <= mark.index && mark.index <= last;
  return contains && contents.entries[mark.index - contents.first].term == mark.term;
}

}  // namespace

Replica::Impl::Impl(const World& world, const ReplicaOptions& options, OnFault failed, Ears ears)
    : world_(world),
      options_(options),
      failed_callback_(std::move(failed)),
      ears_(std::move(ears)),
      index_seed_(world.random.next()),
      arrivals_(options.max_entry_commands, options.max_entry_bytes),
      time_(options.log_time_every) {
  raft_timer_ = world_.loop.make_timer([this] { raft_timeout(); });
  time_timer_ = world_.loop.make_timer([this] { advance(); });
}

Replica::Impl::~Impl() {
  *alive_ = false;
  world_.writer.stop();
  world_.preparer.stop();
  world_.background.stop();
}

// Nothing on disk is changed before all of it has been read and found to fit.
std::optional<Fault> Replica::Impl::start() {
  if (auto fault = load_snapshot()) return fault;
  if (auto fault = open_log()) return fault;
  world_.observer.event(ports::Severity::info, "engine_started",
                        {{"snapshotIndex", static_cast<std::int64_t>(snapshot_.mark.index)},
                         {"lastIndex", static_cast<std::int64_t>(tail_.last())},
                         {"term", static_cast<std::int64_t>(consensus_->term())},
                         {"leases", static_cast<std::int64_t>(state_->held)}});
  return std::nullopt;
}

std::optional<Fault> Replica::Impl::load_snapshot() {
  const auto paths = list_snapshots(world_.disk);
  if (!paths) return paths.fault();
  if (paths.value().empty()) {
    state_ = std::make_unique<core::State>(index_seed_);
    return std::nullopt;
  }
  auto loaded = engine::load_snapshot(world_.disk, paths.value().back(), index_seed_);
  if (!loaded) return loaded.fault();
  LoadedSnapshot& found = loaded.value();
  const auto membership = decode_membership(found.mark.membership);
  if (!membership) return damaged(found.path, 0, "its membership can't be read");
  committed_ = *membership;
  committed_index_ = found.mark.membership_index;
  applied_ = found.mark.index;
  applied_term_ = found.mark.term;
  state_ = std::move(found.state);
  snapshot_ = {std::move(found.mark), std::move(found.path), found.bytes};
  return std::nullopt;
}

std::optional<Fault> Replica::Impl::open_log() {
  auto opened = Log::open(world_.disk, world_.random, options_.log, false,
                          [this](const LogContents& found) { return misfit(found); });
  if (!opened) return opened.fault();
  log_ = std::move(opened.value().log);
  LogContents contents = std::move(opened.value().contents);
  if (contents.torn_bytes != 0) {
    world_.observer.event(ports::Severity::warning, "torn_write_cut",
                          {{"bytes", static_cast<std::int64_t>(contents.torn_bytes)}});
  }
  if (auto fault = tidy_snapshots(world_.disk)) return fault;
  // After a kill the newest one's name may be in the page cache alone.
  if (auto error = world_.disk.sync_folder(kSnapshotFolder)) return disk_fault(*error);
  if (snapshot_.mark.index != 0) {
    if (auto fault = remove_snapshots_but(world_.disk, {snapshot_.path})) return fault;
  }
  if (auto fault = give_way_to_snapshot(contents)) return fault;
  tail_ = Tail(contents.first);
  tail_.append(contents.first, contents.entries);

  // libraft makes the only voter leader at once in the term it is given, and takes what it has as
  // committed. In a term that it used before, an entry lost with a torn write could come again
  // under the same (index, term) with other contents; so the term is always a new one.
  Membership latest = committed_;
  for (const Entry& entry : contents.entries) {
    if (entry.kind == EntryKind::change) latest = *decode_membership(*entry.bytes);
  }
  if (latest.sole_voter(options_.id)) {
    ++contents.term;
    contents.vote = options_.id;
    if (auto fault = log_->append({contents.term, contents.vote, std::nullopt, 0, {}}))
      return fault;
  }
  writer_ = std::make_unique<Writer>(
      *log_, options_.log, world_.clock, world_.observer, world_.writer, world_.preparer,
      [this](const Append& append, std::optional<std::uint64_t> number) {
        written(append, number);
      },
      [this](const Fault& fault) { fail(fault); }, [this] { stop_when_quiet(); });
  writer_->begin(contents.term, contents.vote);
  start_consensus(contents.term, contents.vote);
  settle();
  started_ = true;
  return fault_;
}

// Why this log can't be the one that goes with the snapshot.
std::optional<Fault> Replica::Impl::misfit(const LogContents& found) const {
  const SnapshotMark& mark = snapshot_.mark;
  if (found.first > mark.index + 1) {
    const std::string begins = "the log begins with entry " + std::to_string(found.first);
    return damaged(options_.log.folder, 0,
                   mark.index == 0 ? begins + ", and there is no snapshot of what was before"
                                   : begins + ", and the newest snapshot ends with " +
                                         std::to_string(mark.index));
  }
  const bool begins_well =
      !found.entries.empty() && found.entries.front().kind == EntryKind::change;
  if (mark.index == 0 && !begins_well)
    return damaged(options_.log.folder, 0, "the log does not begin with a membership");
  for (const Entry& entry : found.entries) {
    if (entry.kind == EntryKind::change && !decode_membership(*entry.bytes))
      return damaged(options_.log.folder, 0, "a membership can't be read");
  }
  // A node that votes alone makes its snapshots from its own log, and never installs another's.
  if (committed_.sole_voter(options_.id) && !goes_on_from(found, mark)) {
    return damaged(options_.log.folder, 0,
                   "the log does not reach to the newest snapshot, entry " +
                       std::to_string(mark.index) + ": entries are missing");
  }
  return std::nullopt;
}

// A log that does not contain the snapshot's entry, nor begins right behind it, is older than the
// snapshot or another leader's, and gives way to it.
std::optional<Fault> Replica::Impl::give_way_to_snapshot(LogContents& contents) {
  const SnapshotMark& mark = snapshot_.mark;
  if (goes_on_from(contents, mark)) return std::nullopt;
  if (contents.term < mark.term) {
    contents.term = mark.term;
    contents.vote = 0;
  }
  contents.first = mark.index + 1;
  contents.entries.clear();
  return log_->append({contents.term, contents.vote, std::pair(mark.index, mark.term), 0, {}});
}

void Replica::Impl::start_consensus(Term term, NodeId vote) {
  ConsensusOptions options;
  options.id = options_.id;
  options.seed = static_cast<std::uint32_t>(world_.random.next());
  options.election_timeout_ms = options_.election_timeout_ms;
  options.heartbeat_ms = options_.heartbeat_ms;
  consensus_ = std::make_unique<Consensus>(options);
  ConsensusStart found;
  found.term = term;
  found.vote = vote;
  if (snapshot_.mark.index != 0) found.snapshot = snapshot_.mark;
  found.first = tail_.first();
  found.entries = tail_.copy(tail_.first(), tail_.last());
  carry_out(consensus_->start(ms(), found));
}

// A follower that finds itself the only voter starts anew in a term of its own, as after a restart.
void Replica::Impl::lead_alone() {
  if (writer_->busy() || restarting_alone_ || storing_ || installing_) return;
  restarting_alone_ = true;
  writer_->want_state(consensus_->term() + 1, options_.id);
  writer_->go_on();
}

}  // namespace pawl::engine
