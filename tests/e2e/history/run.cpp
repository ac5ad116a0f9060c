// SPDX-License-Identifier: Apache-2.0
#include "e2e/history/run.h"

#include <algorithm>
#include <sstream>
#include <tuple>

#include "faults/workload.h"

namespace pawl::testing {
namespace {

using Kind = StateEvent::Kind;

// State times are told in whole milliseconds, rounded down; so must be what is added to them.
core::Duration whole_ms(Micros time) { return std::chrono::floor<std::chrono::milliseconds>(time); }

// Within one millisecond what lives comes before what ends.
int rank(Kind kind) {
  if (kind == Kind::granted) return 0;
  return kind == Kind::renewed ? 1 : 2;
}

}  // namespace

Micros FencedRegisters::now() { return clock_now(); }

std::optional<std::uint64_t> FencedRegisters::read(const core::ResourceName& name,
                                                   core::FencingToken token) {
  const std::lock_guard lock(mutex_);
  const auto values = all_[name].read(token);
  if (values) return values->fenced;
  ++refused_;
  return std::nullopt;
}

std::uint64_t FencedRegisters::write(const core::ResourceName& name, core::FencingToken token,
                                     std::uint64_t value) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t order = all_[name].write_fenced(token, value);
  if (order == 0) ++refused_;
  return order;
}

void StateNotes::granted(const Wish& wish, const LockAnswer& answer) {
  const std::lock_guard lock(mutex_);
  // When a repeated grant was made is not told, only how long it lasts.
  const core::Duration max_hold = answer.repeated ? core::Duration::zero() : wish.max_hold;
  if (max_hold > core::Duration::zero()) max_hold_known_.insert(wish.lease.str());
  all_.push_back(
      {Kind::granted, wish.lease, answer.state_time, whole_ms(answer.valid_for), max_hold});
}

void StateNotes::renewed(const core::LeaseId& lease, const LockAnswer& answer) {
  const std::lock_guard lock(mutex_);
  all_.push_back({Kind::renewed, lease, answer.state_time, whole_ms(answer.valid_for),
                  core::Duration::zero()});
}

void StateNotes::take_log(const std::string& log) {
  const std::lock_guard lock(mutex_);
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    std::optional<StateEvent> end = parse_end(line);
    if (!end) continue;
    ++ends_;
    if (end->kind == Kind::max_hold_over && !max_hold_known_.contains(end->lease.view()))
      end->kind = Kind::other_end;
    all_.push_back(*end);
  }
}

std::vector<StateEvent> StateNotes::take() {
  const std::lock_guard lock(mutex_);
  std::ranges::sort(all_, [](const StateEvent& a, const StateEvent& b) {
    return std::tuple(a.at, rank(a.kind)) < std::tuple(b.at, rank(b.kind));
  });
  std::vector<StateEvent> told;
  for (const StateEvent& event : all_) {
    // When a grant was left alone is not told: long enough before. That a renewed one is never
    // abandoned is what remains to be judged.
    if (event.kind == Kind::abandoned)
      told.push_back({Kind::detached, event.lease, core::Time{}, {}, {}});
    told.push_back(event);
  }
  all_.clear();
  return told;
}

}  // namespace pawl::testing
