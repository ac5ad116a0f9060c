// SPDX-License-Identifier: Apache-2.0
// Consensus: events in, updates carried out in their order. Term and vote are on disk before any
// message leaves that was said under them; entries are on disk before they are reported so, and
// only those that are still in the log.
#include <algorithm>
#include <utility>

#include "engine/replica/impl.h"

namespace pawl::engine {

Consensus::Ms Replica::Impl::ms() const {
  return static_cast<Consensus::Ms>(world_.clock.now().count() / 1'000);
}

void Replica::Impl::receive(Message message) {
  if (failed_ || restarting_alone_) return;  // a message may always be lost
  if (std::holds_alternative<InstallSnapshot>(message.body)) return;  // not without its file
  Updates updates;
  if (!consensus_->receive(ms(), std::move(message), updates)) {
    return fail(
        damaged(options_.log.folder, 0, "another member's log contradicts what is committed here"));
  }
  carry_out(std::move(updates));
  settle();
}

void Replica::Impl::raft_timeout() {
  if (failed_) return;
  if (consensus_->needs_restart()) {
    lead_alone();
    carry_out(consensus_->timeout(ms()));  // does nothing but count
  } else if (ms() >= consensus_->next_timeout()) {
    carry_out(consensus_->timeout(ms()));
  }
  settle();
}

void Replica::Impl::carry_out(Updates updates) {
  for (Update& update : updates) carry_out(update);
}

void Replica::Impl::carry_out(Update& update) {
  if (update.term_or_vote) writer_->want_state(consensus_->term(), consensus_->vote());
  if (was_leader_ && (!leads() || update.role_changed)) leave_leadership();
  if (leads() && !was_leader_) was_leader_ = must_take_over_ = true;
  if (update.install) begin_install(*update.install);
  if (update.first != 0) replace_entries(update);
  for (Message& message : update.messages) hold(std::move(message));
}

void Replica::Impl::replace_entries(const Update& update) {
  tail_.append(update.first, update.entries);
  writer_->want_entries(update.first, update.entries, update.write);
}

// What this node put into the log may still be committed by the next leader, or be overwritten:
// nobody can tell now (P11). What it had not put there never will be.
void Replica::Impl::leave_leadership() {
  was_leader_ = must_take_over_ = false;
  takeover_ = 0;
  time_.leave_office();
  time_timer_->cancel();
  for (InFlight& lost : std::exchange(in_flight_, {}))
    give_up(std::move(lost.batch), ports::Unknown{});
  while (!arrivals_.empty()) give_up(arrivals_.take(), refusal());
  refuse_reads();
}

// Entries go with the message as they are now: what it says of them was true when it was said.
void Replica::Impl::hold(Message message) {
  if (auto* append = std::get_if<AppendEntries>(&message.body); append && append->count != 0) {
    append->entries =
        tail_.copy(append->previous_index + 1, append->previous_index + append->count);
  }
  held_.emplace_back(writer_->state_wanted(), std::move(message));
}

void Replica::Impl::send_what_may_leave() {
  while (!held_.empty() && held_.front().first <= writer_->state_on_disk()) {
    const Message message = std::move(held_.front().second);
    held_.pop_front();
    if (const auto* snapshot = std::get_if<InstallSnapshot>(&message.body)) {
      send_snapshot(message.peer, *snapshot);
    } else {
      world_.peers.send(message);
    }
  }
}

void Replica::Impl::written(const Append& append, std::optional<std::uint64_t> number) {
  if (failed_) return;
  if (restarting_alone_) {
    restarting_alone_ = false;
    held_.clear();
    start_consensus(append.term, append.vote);
    carry_out(consensus_->membership_committed(ms(), committed_index_, committed_));
  }
  if (append.reset) finish_install();
  if (number) carry_out(consensus_->persisted(ms(), *number));
  settle();
}

// After every event, until nothing more follows from it. A callback that comes back in finds
// `settling_` set, and leaves what it brought for this loop.
void Replica::Impl::settle() {
  if (failed_ || settling_) return;
  settling_ = true;
  flush();  // what has arrived is written while what is committed is applied
  writer_->go_on();
  do {
    apply_ready();
    if (failed_) break;
    if (must_take_over_) take_over();
    flush();
    for (const ports::Action& answer : std::exchange(answers_later_, {})) answer();
  } while (!answers_later_.empty() || can_flush());
  writer_->go_on();
  send_what_may_leave();
  settling_ = false;
  if (failed_) return;
  if (!stopping_) make_snapshot_if_due();
  tell_office();
  arm_raft_timer();
  arm_time();
  stop_when_quiet();
}

void Replica::Impl::arm_raft_timer() {
  const bool alone = consensus_->membership().members.size() == 1 && leads();
  if (alone) return raft_timer_->cancel();
  raft_timer_->set(std::chrono::milliseconds(consensus_->next_timeout()));
}

std::string Replica::Impl::leader_address() const {
  const Member* leader = consensus_->membership().find(consensus_->leader());
  return leader == nullptr || leader->id == options_.id ? std::string() : leader->address;
}

ports::Office Replica::Impl::office() const {
  if (time_.in_office()) return {true, {}};
  return {false, leader_address()};
}

void Replica::Impl::tell_office() {
  ports::Office now = office();
  if (now == told_) return;
  if (now.in_office != told_.in_office) {
    world_.observer.event(ports::Severity::info, now.in_office ? "took_office" : "left_office",
                          {{"term", static_cast<std::int64_t>(consensus_->term())}});
  }
  told_ = std::move(now);
  if (ears_.listener != nullptr) ears_.listener->office_changed(told_);
}

Replica::Progress Replica::Impl::progress() const {
  return {
      applied_,           applied_term_,      consensus_->commit_index(), consensus_->last_index(),
      consensus_->term(), consensus_->role(), consensus_->leader(),       snapshot_.mark.index};
}

// Nothing is answered from here on: what was promised is on disk, and what was not is not.
void Replica::Impl::fail(const Fault& fault) {
  if (failed_) return;
  failed_ = true;
  fault_ = fault;
  raft_timer_->cancel();
  time_timer_->cancel();
  world_.observer.event(ports::Severity::error,
                        fault.kind == FaultKind::disk ? "disk_failed" : "engine_failed",
                        {{"kind", name_of(fault.kind)},
                         {"file", fault.file},
                         {"offset", static_cast<std::int64_t>(fault.offset)},
                         {"what", fault.what},
                         {"advice", fault.advice}});
  if (started_ && failed_callback_) failed_callback_(fault);
}

}  // namespace pawl::engine
