// SPDX-License-Identifier: Apache-2.0
// The leader's clock in the log: Takeover fixes the base, and time moves on when something is due.
#include <utility>

#include "codec/entry.h"
#include "core/read.h"
#include "engine/replica/impl.h"

namespace pawl::engine {

// The first entry of a term of office. Stamped zero: whatever the time is, it is in the log.
void Replica::Impl::take_over() {
  must_take_over_ = false;
  Batch batch;
  batch.commands.push_back({core::Time{}, core::Takeover{}});
  batch.answers.emplace_back();
  auto bytes = std::make_shared<const std::string>(codec::encode_entry(batch.commands));
  Updates updates;
  const Index index = consensus_->last_index() + 1;
  if (!consensus_->submit(ms(), {{0, EntryKind::command, std::move(bytes)}}, updates)) return;
  ++pending_commands_;
  takeover_ = index;
  in_flight_.push_back({index, std::move(batch)});
  carry_out(std::move(updates));
}

// Takeover is applied: the state's time as of now, and this clock from now on.
void Replica::Impl::take_office() {
  takeover_ = 0;
  time_.take_office(state_->now, world_.clock.now());
  arrivals_.stamp(time_.stamp(world_.clock.now()));
}

// While something is under way, its apply moves time on, and arms again; the timer may fire in
// vain.
void Replica::Impl::arm_time() {
  if (!nothing_under_way()) return;
  const auto when = time_.next_advance(core::next_due(*state_), core::is_live(*state_));
  if (when) {
    time_timer_->set(*when);
  } else {
    time_timer_->cancel();
  }
}

// Behind everything that was received before it.
void Replica::Impl::advance() {
  if (failed_ || stopping_ || !time_.in_office() || !nothing_under_way()) return;
  accept(core::Advance{}, nullptr, 0);
  settle();
}

}  // namespace pawl::engine
