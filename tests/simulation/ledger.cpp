// SPDX-License-Identifier: Apache-2.0
#include "simulation/ledger.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/check.h"
#include "core/read.h"

namespace pawl::testing {
namespace {

constexpr std::uint64_t kCheckEvery = 16;  // commands

}  // namespace

void Ledger::break_with(std::string what) {
  if (!broken_) broken_ = std::move(what);
}

void Ledger::answered(std::uint64_t index) { answered_ = std::max(answered_, index); }

void Ledger::took_office(NodeNumber node, std::uint64_t term) {
  const auto [at, first] = leaders_.try_emplace(term, node);
  if (first || at->second == node) return;
  break_with("nodes " + std::to_string(at->second) + " and " + std::to_string(node) +
             " both lead in term " + std::to_string(term));
}

void Ledger::entry_applied(NodeNumber node, std::uint64_t index, std::uint64_t term,
                           const core::State& state, Notes notes) {
  const StateRow row{node, index, term, core::state_hash(state)};
  if (index > rows_.size() + 1) {
    return break_with("node " + std::to_string(node) + " applied entry " + std::to_string(index) +
                      ", but nobody had applied entry " + std::to_string(rows_.size() + 1));
  }
  if (index <= rows_.size()) {
    sim_.stats.add(Count::states_compared);
    const StateRow& first = rows_[index - 1];
    if (first.term == row.term && first.hash == row.hash) return;
    for (Violation& violation : check_same_states({first, row}))
      violations_.push_back(std::move(violation));
    return;
  }
  rows_.push_back(row);
  unchecked_ += notes.stats.of(Count::commands);
  sim_.stats += notes.stats;
  std::move(notes.events.begin(), notes.events.end(),
            std::back_inserter(sim_.history.state_events));
  for (const Sending& sending : notes.sendings) {
    if (never_.contains(sending)) {
      break_with("an attempt for lease " + sending.first +
                 " was applied, though the store had said that it was not submitted");
    }
  }
  for (std::string& id : notes.waiting) sim_.queued_at.try_emplace(std::move(id), sim_.now());
  if (unchecked_ >= kCheckEvery) check(state);
}

void Ledger::check(const core::State& state) {
  unchecked_ = 0;
  sim_.stats.add(Count::state_checks);
  auto wrong = core::check(state);
  if (!wrong) wrong = stuck_waiter(state);
  if (wrong) break_with(*std::move(wrong));
}

// P7: whoever is first in the queue of a resource that nobody holds has been granted it.
std::optional<std::string> Ledger::stuck_waiter(const core::State& state) const {
  for (const ResourceKind& resource : resources_) {
    const auto view = core::show_resource(state, kSpace, resource.name, 1);
    if (!view || view->holder_count != 0 || view->waiters.empty()) continue;
    const core::WaiterView& first = view->waiters.front();
    const auto whole = core::show_lease(state, kSpace, first.lease.id);
    const bool elsewhere = whole->lease.terms.resources.size() > 1;
    if (first.detached || elsewhere || view->closed_until > state.now) continue;
    return "nobody holds " + resource.name.str() + ", but " + first.lease.id.str() + " still waits";
  }
  return std::nullopt;
}

}  // namespace pawl::testing
