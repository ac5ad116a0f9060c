// SPDX-License-Identifier: Apache-2.0
// Commands that have been accepted and are not yet in an entry, in the order in which they came,
// and how they become entries: what gathered while a write was under way goes into the next one.
// Bounded by the replica, which counts what is under way as a whole. Not thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <vector>

#include "core/command.h"
#include "engine/entry.h"
#include "ports/lock_store.h"

namespace pawl::engine {

// The commands of one entry, and who waits for each. An empty OnAnswer: nobody.
struct Batch {
  std::vector<core::Command> commands;
  std::vector<ports::OnAnswer> answers;
  std::size_t bytes = 0;  // counted against the bound, not the size of the entry
};

class Arrivals {
 public:
  Arrivals(std::size_t most_commands, std::size_t most_bytes)
      : most_commands_(most_commands), most_bytes_(most_bytes) {}

  void add(core::Command command, ports::OnAnswer done, std::size_t bytes);
  bool empty() const { return batches_.empty(); }

  // Gives those that came before there was a time to give them, this one.
  void stamp(core::Time at);

  // The first ones, as many as make an entry. Only if not empty().
  Batch take();

 private:
  std::size_t most_commands_;
  std::size_t most_bytes_;
  std::deque<Batch> batches_;  // none is empty
};

}  // namespace pawl::engine
