// SPDX-License-Identifier: Apache-2.0
// Snapshots: made off the loop from the one before and the log since, sent to members that lag too
// far behind the log, and taken in from a leader.
#include <algorithm>
#include <memory>
#include <utility>

#include "engine/replica/impl.h"
#include "engine/snapshot/snapshot_maker.h"

namespace pawl::engine {

std::uint64_t Replica::Impl::snapshot_threshold() const {
  return std::max(options_.snapshot_log_bytes, snapshot_.bytes / options_.snapshot_share);
}

// The background makes it from files and shared bytes; the live state goes on meanwhile, and only
// its hash at this index is compared.
void Replica::Impl::make_snapshot_if_due() {
  if (making_ || installing_ || storing_) return;
  if (applied_ <= std::max<Index>(snapshot_.mark.index, 1)) return;
  if (tail_.bytes_after(snapshot_.mark.index) < snapshot_threshold()) return;
  making_ = true;
  auto order = std::make_shared<SnapshotOrder>();
  if (snapshot_.mark.index != 0) order->previous = snapshot_.path;
  order->first = snapshot_.mark.index + 1;
  order->entries = tail_.copy(order->first, applied_);
  order->mark = {applied_, applied_term_, committed_index_, encode(committed_)};
  order->state_hash = core::state_hash(*state_);
  order->index_seed = index_seed_;
  auto made = std::make_shared<std::optional<ports::Result<MadeSnapshot, Fault>>>();
  world_.background.run(
      [this, order, made] {
        *made = make_snapshot(world_.disk, *order);
        order->entries.clear();
      },
      [this, order, made] {
        making_ = false;
        if (failed_) return;
        if (!**made) return fail((*made)->fault());
        snapshot_made(order->mark, (*made)->value().file);
        settle();
      });
}

void Replica::Impl::snapshot_made(const SnapshotMark& mark, const WrittenSnapshot& written) {
  if (mark.index <= snapshot_.mark.index || installing_) return remove_old_snapshots();
  const Index cut = cut_point(mark);
  snapshot_ = {mark, written.path, written.bytes};
  consensus_->snapshot_taken(ms(), mark, static_cast<std::uint32_t>(mark.index - cut));
  tail_.cut(cut);
  writer_->cut_prefix(cut);
  remove_old_snapshots();
  world_.observer.event(ports::Severity::info, "snapshot_taken",
                        {{"index", static_cast<std::int64_t>(mark.index)},
                         {"bytes", static_cast<std::int64_t>(written.bytes)}});
}

// Entries up to this one are no longer needed: some are kept for members that lag, and all behind a
// snapshot that is on its way to one.
Index Replica::Impl::cut_point(const SnapshotMark& mark) const {
  Index cut = mark.index > options_.trailing_entries ? mark.index - options_.trailing_entries : 0;
  for (const auto& [peer, sent] : transfers_) cut = std::min(cut, sent.mark.index);
  return std::max(cut, tail_.first() - 1);
}

// Never beside one that is being made or stored, which would not be among those kept.
void Replica::Impl::remove_old_snapshots() {
  PAWL_ASSERT(!making_ && !storing_);
  std::vector<std::string> keep;
  if (snapshot_.mark.index != 0) keep.push_back(snapshot_.path);
  for (const auto& [peer, sent] : transfers_) keep.push_back(sent.path);
  if (incoming_) keep.push_back(incoming_->path);
  if (keep.empty()) return;
  auto fault = std::make_shared<std::optional<Fault>>();
  ++removing_;
  world_.background.run(
      [this, keep = std::move(keep), fault] { *fault = remove_snapshots_but(world_.disk, keep); },
      [this, fault] {
        --removing_;
        if (*fault) return fail(**fault);
        stop_when_quiet();
      });
}

// libraft asks again at every rejected heartbeat; one transfer a peer is enough.
void Replica::Impl::send_snapshot(NodeId peer, InstallSnapshot announcement) {
  if (snapshot_.mark.index == 0 || transfers_.contains(peer)) return;
  transfers_.emplace(peer, snapshot_);
  announcement.last_index = snapshot_.mark.index;
  announcement.last_term = snapshot_.mark.term;
  announcement.membership_index = snapshot_.mark.membership_index;
  announcement.membership = snapshot_.mark.membership;
  world_.peers.send_snapshot(peer, announcement, snapshot_.path, [this, peer, alive = alive_] {
    if (*alive) transfers_.erase(peer);
  });
}

// Consensus hears of it only once the whole file is checked and on disk.
void Replica::Impl::receive_snapshot(NodeId from, InstallSnapshot announcement, std::string file,
                                     ports::Action done) {
  if (failed_ || making_ || storing_ || installing_ || restarting_alone_)
    return done();  // the sender tries again
  storing_ = true;
  auto bytes = std::make_shared<std::string>(std::move(file));
  auto stored = std::make_shared<std::optional<ports::Result<LoadedSnapshot, Fault>>>();
  world_.background.run(
      [this, bytes, stored] {
        *stored = store_snapshot(world_.disk, *bytes, index_seed_);
        bytes->clear();
      },
      [this, from, announcement = std::move(announcement), stored, done = std::move(done)] {
        storing_ = false;
        if (failed_) return;
        if (**stored) {
          snapshot_stored(from, announcement, std::move((*stored)->value()));
        } else if ((*stored)->fault().kind == FaultKind::disk) {
          return fail((*stored)->fault());
        }
        done();
        settle();
      });
}

void Replica::Impl::snapshot_stored(NodeId from, const InstallSnapshot& announcement,
                                    LoadedSnapshot loaded) {
  const bool as_announced = loaded.mark.index == announcement.last_index &&
                            loaded.mark.term == announcement.last_term &&
                            loaded.mark.membership_index == announcement.membership_index &&
                            loaded.mark.membership == announcement.membership;
  if (!as_announced || restarting_alone_) return remove_old_snapshots();
  incoming_ = std::move(loaded);
  Updates updates;
  if (!consensus_->receive(ms(), {from, announcement}, updates)) {
    return fail(damaged(options_.log.folder, 0,
                        "another member's snapshot contradicts what is committed here"));
  }
  carry_out(std::move(updates));
  if (installing_) return;
  incoming_.reset();
  remove_old_snapshots();
}

void Replica::Impl::begin_install(const SnapshotMark& mark) {
  PAWL_ASSERT(incoming_ && incoming_->mark.index == mark.index &&
              incoming_->mark.term == mark.term);
  installing_ = true;
  writer_->want_reset(mark.index, mark.term);
}

// The log on disk begins behind the snapshot now.
void Replica::Impl::finish_install() {
  PAWL_ASSERT(installing_ && incoming_);
  LoadedSnapshot loaded = *std::exchange(incoming_, std::nullopt);
  installing_ = false;
  const auto membership = decode_membership(loaded.mark.membership);
  if (!membership) return fail(damaged(loaded.path, 0, "its membership can't be read"));
  committed_ = *membership;
  committed_index_ = loaded.mark.membership_index;
  state_ = std::move(loaded.state);
  snapshot_ = {std::move(loaded.mark), std::move(loaded.path), loaded.bytes};
  applied_ = snapshot_.mark.index;
  applied_term_ = snapshot_.mark.term;
  tail_ = Tail(snapshot_.mark.index + 1);
  world_.observer.event(ports::Severity::info, "snapshot_installed",
                        {{"index", static_cast<std::int64_t>(snapshot_.mark.index)}});
  carry_out(consensus_->snapshot_installed(ms(), snapshot_.mark));
  writer_->cut_prefix(snapshot_.mark.index);
  remove_old_snapshots();
}

}  // namespace pawl::engine
