// SPDX-License-Identifier: Apache-2.0
// What the log did, told once: by whichever node applies an entry first. Whoever applies it later,
// or again after a restart, must come to the same state (I9). Keeps a few bytes an entry.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/command.h"
#include "core/effect.h"
#include "core/state.h"
#include "history/checker.h"
#include "simulation/names.h"
#include "simulation/sim.h"

namespace pawl::testing {

// One sending of an acquire or upgrade, as a door took it: the lease and the door's ticket.
using Sending = std::pair<std::string, core::Ticket>;

// What an entry's commands did, for the record: the counts, and the lives of leases in state time
// (I10).
struct Notes {
  Stats stats;
  std::vector<StateEvent> events;
  std::vector<std::string> waiting;  // leases that began to wait
  std::vector<Sending> sendings;

  // `state` is that after the command; null: not at hand, and less is noted.
  void note(const core::State* state, const core::Command& command, const core::Effects& effects);

 private:
  void note(const core::State* state, const core::CommandBody& body, core::Time now,
            const core::Effect& effect);
};

class Ledger {
 public:
  Ledger(Sim& sim, const std::vector<ResourceKind>& resources) : sim_(sim), resources_(resources) {}

  void entry_applied(NodeNumber node, std::uint64_t index, std::uint64_t term,
                     const core::State& state, Notes notes);
  // A client was told what came of this entry.
  void answered(std::uint64_t index);
  std::uint64_t answered() const { return answered_; }
  // The store said that this one never will be in the log (P11).
  void not_submitted(Sending sending) { never_.insert(std::move(sending)); }
  // At most one node leads in a term.
  void took_office(NodeNumber node, std::uint64_t term);

  // The first thing that was wrong, if any.
  const std::optional<std::string>& broken() const { return broken_; }
  void break_with(std::string what);
  const std::vector<Violation>& violations() const { return violations_; }

 private:
  void check(const core::State& state);
  std::optional<std::string> stuck_waiter(const core::State& state) const;

  Sim& sim_;
  const std::vector<ResourceKind>& resources_;
  std::vector<StateRow> rows_;  // of the entries from 1 on, by who was first
  std::uint64_t answered_ = 0;
  std::set<Sending> never_;
  std::map<std::uint64_t, NodeNumber> leaders_;  // by term
  std::uint64_t unchecked_ = 0;
  std::optional<std::string> broken_;
  std::vector<Violation> violations_;
};

}  // namespace pawl::testing
