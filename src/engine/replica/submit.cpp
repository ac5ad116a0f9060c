// SPDX-License-Identifier: Apache-2.0
// Commands and reads come in, become entries, and end.
#include <algorithm>
#include <iterator>
#include <utility>

#include "codec/entry.h"
#include "core/read.h"
#include "engine/replica/impl.h"

namespace pawl::engine {

using ports::NotSubmitted;

namespace {

// What one write takes from those who wait, so that a flood does not make the first wait for the
// last.
constexpr std::size_t kMostFlushBytes = std::size_t{2} << 20;

// An entry with this one command must fit into a record. The limits see to it long before; this is
// for segments that are too small for them.
std::size_t most_command_bytes(const ReplicaOptions& options) {
  constexpr std::size_t kFrames = 64;
  return std::min<std::size_t>(codec::kMaxEntryBytes, most_record_bytes(options.log)) - kFrames;
}

const Bytes& no_bytes() {
  static const Bytes empty = std::make_shared<const std::string>();
  return empty;
}

}  // namespace

void Replica::Impl::submit(core::CommandBody body, ports::OnAnswer done) {
  if (failed_) return;
  if (stopping_ || !leads()) return done(refusal());
  core::Command command{{}, std::move(body)};
  const std::size_t bytes = codec::most_entry_bytes(command);
  if (!has_room(bytes) || bytes > most_command_bytes(options_))
    return done(NotSubmitted{NotSubmitted::Why::overloaded, {}});
  accept(std::move(command.body), std::move(done), bytes);
  flush_later();
}

// A queue that only grows is an outage that has not been noticed yet; so is a log whose snapshots
// do not keep up.
bool Replica::Impl::has_room(std::size_t bytes) const {
  return pending_commands_ < options_.max_pending_commands &&
         pending_bytes_ + bytes <= options_.max_pending_bytes &&
         tail_.bytes_after(snapshot_.mark.index) / options_.most_log_backlog < snapshot_threshold();
}

NotSubmitted Replica::Impl::refusal() const {
  if (stopping_) return {NotSubmitted::Why::stopping, {}};
  return {NotSubmitted::Why::not_leader, leader_address()};
}

void Replica::Impl::accept(core::CommandBody body, ports::OnAnswer done, std::size_t bytes) {
  const core::Time at =
      time_.in_office() ? time_.stamp(world_.clock.now()) : core::Time{};  // stamped in office
  ++pending_commands_;
  pending_bytes_ += bytes;
  arrivals_.add({at, std::move(body)}, std::move(done), bytes);
}

void Replica::Impl::read(ports::OnRead done) {
  if (failed_) return;
  if (stopping_ || !leads()) return done(refusal());
  // The only voter of the committed membership needs no proof that it leads.
  if (time_.in_office() && committed_.sole_voter(options_.id))
    return done(ports::Readable{*state_});
  if (new_reads_.size() + reads_.size() >= options_.max_pending_commands)
    return done(NotSubmitted{NotSubmitted::Why::overloaded, {}});
  new_reads_.push_back(std::move(done));
  flush_later();
}

// At the end of this turn of the loop, so that what comes in the same turn shares the write. While
// a write is under way, its end flushes.
void Replica::Impl::flush_later() {
  if (flush_posted_ || settling_ || writer_->busy()) return;
  flush_posted_ = true;
  world_.loop.post([this, alive = alive_] {
    if (!*alive || failed_) return;
    flush_posted_ = false;
    settle();
  });
}

bool Replica::Impl::can_flush() const {
  return time_.in_office() && !writer_->busy() && !(arrivals_.empty() && new_reads_.empty());
}

void Replica::Impl::flush() {
  if (!can_flush()) return;
  if (committed_.sole_voter(options_.id)) answer_reads();
  std::vector<Batch> batches;
  std::vector<Entry> entries = next_entries(batches);
  if (entries.empty()) {
    if (new_reads_.empty()) return;
    entries.push_back({0, EntryKind::barrier, no_bytes()});
  }
  Index index = consensus_->last_index() + 1;
  prove_reads(index);
  Updates updates;
  if (!consensus_->submit(ms(), std::move(entries), updates)) {
    for (Batch& batch : batches) give_up(std::move(batch), refusal());
    return refuse_reads();
  }
  for (Batch& batch : batches) in_flight_.push_back({index++, std::move(batch)});
  carry_out(std::move(updates));
}

std::vector<Entry> Replica::Impl::next_entries(std::vector<Batch>& batches) {
  std::vector<Entry> entries;
  std::size_t bytes = 0;
  while (!arrivals_.empty() && bytes < kMostFlushBytes) {
    batches.push_back(arrivals_.take());
    auto encoded =
        std::make_shared<const std::string>(codec::encode_entry(batches.back().commands));
    bytes += encoded->size();
    entries.push_back({0, EntryKind::command, std::move(encoded)});
  }
  return entries;
}

void Replica::Impl::prove_reads(Index after) {
  for (ports::OnRead& done : new_reads_) reads_.push_back({after, std::move(done)});
  new_reads_.clear();
}

// Those whose proof is applied; without need of proof, all.
void Replica::Impl::answer_reads() {
  if (committed_.sole_voter(options_.id)) prove_reads(0);
  while (!reads_.empty() && reads_.front().after <= applied_) {
    const ports::OnRead done = std::move(reads_.front().done);
    reads_.pop_front();
    done(ports::Readable{*state_});
  }
}

void Replica::Impl::refuse_reads() {
  prove_reads(0);
  for (Read& read : std::exchange(reads_, {})) {
    answers_later_.push_back([done = std::move(read.done), refused = refusal()] { done(refused); });
  }
}

void Replica::Impl::give_up(Batch batch, const ports::Answer& answer) {
  pending_commands_ -= batch.commands.size();
  pending_bytes_ -= batch.bytes;
  answers_later_.push_back([batch = std::move(batch), answer] {
    for (const ports::OnAnswer& done : batch.answers) {
      if (done) done(answer);
    }
  });
}

void Replica::Impl::stop(ports::Action done) {
  if (failed_) return;
  on_stopped_.push_back(std::move(done));
  if (stopping_) return stop_when_quiet();
  // So that a restart begins with the time as it is now (P3).
  if (time_.in_office() && core::is_live(*state_)) {
    accept(core::Advance{}, nullptr, 0);
  } else if (!time_.in_office()) {
    while (!arrivals_.empty())
      give_up(arrivals_.take(), NotSubmitted{NotSubmitted::Why::stopping, {}});
  }
  stopping_ = true;
  settle();
}

void Replica::Impl::stop_when_quiet() {
  if (failed_ || !stopping_ || !nothing_under_way() || !reads_.empty() || !new_reads_.empty())
    return;
  if (writer_->busy() || writer_->tidying()) return;
  if (making_ || storing_ || removing_ != 0) return;
  for (ports::Action& done : std::exchange(on_stopped_, {})) world_.loop.post(std::move(done));
}

}  // namespace pawl::engine
