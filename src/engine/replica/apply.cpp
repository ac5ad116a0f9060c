// SPDX-License-Identifier: Apache-2.0
// Committed entries go through step(), in the order of the log, and whoever asked is answered.
#include <algorithm>
#include <string>
#include <utility>

#include "core/step.h"
#include "engine/apply_entry.h"
#include "engine/replica/impl.h"

namespace pawl::engine {

// Committed, and on this node's disk: a leader of several may learn of the commit first.
void Replica::Impl::apply_ready() {
  while (!failed_ && !installing_ &&
         applied_ < std::min(consensus_->commit_index(), consensus_->stored_index()))
    apply(applied_ + 1);
}

void Replica::Impl::apply(Index index) {
  const Entry entry = tail_.at(index);
  if (entry.kind == EntryKind::change) apply_change(entry, index);
  if (entry.kind == EntryKind::command) {
    if (is_own(index, entry)) {
      Batch batch = std::move(in_flight_.front().batch);
      in_flight_.pop_front();
      apply_own(std::move(batch), index);
    } else {
      apply_commands(entry, index);
    }
  }
  if (failed_) return;
  applied_ = index;
  applied_term_ = entry.term;
  if (takeover_ == index) take_office();
  if (time_.in_office()) answer_reads();
  if (ears_.on_applied) ears_.on_applied(index, entry.term, *state_);
}

bool Replica::Impl::is_own(Index index, const Entry& entry) const {
  return !in_flight_.empty() && in_flight_.front().index == index &&
         entry.term == consensus_->term() && leads();
}

void Replica::Impl::apply_own(Batch batch, Index index) {
  pending_commands_ -= batch.commands.size();
  pending_bytes_ -= batch.bytes;
  ports::LogPosition where{index, 0};
  for (std::size_t i = 0; i < batch.commands.size(); ++i, ++where.number) {
    const core::Effects effects = core::step(*state_, batch.commands[i]);
    if (batch.answers[i]) batch.answers[i](ports::Applied{effects});
    if (ears_.listener != nullptr) ears_.listener->applied(where, batch.commands[i], effects);
  }
}

void Replica::Impl::apply_commands(const Entry& entry, Index index) {
  ports::LogPosition where{index, 0};
  const auto wrong = apply_entry(
      *state_, entry, [this, &where](const core::Command& command, const core::Effects& effects) {
        if (ears_.listener != nullptr) ears_.listener->applied(where, command, effects);
        ++where.number;
      });
  if (wrong) {
    fail(damaged(options_.log.folder, 0,
                 "entry " + std::to_string(index) + " can't be read: " + wrong->reason));
  }
}

void Replica::Impl::apply_change(const Entry& entry, Index index) {
  const auto membership = decode_membership(*entry.bytes);
  if (!membership) {
    return fail(damaged(options_.log.folder, 0,
                        "the membership in entry " + std::to_string(index) + " can't be read"));
  }
  committed_ = *membership;
  committed_index_ = index;
  carry_out(consensus_->membership_committed(ms(), index, committed_));
}

}  // namespace pawl::engine
