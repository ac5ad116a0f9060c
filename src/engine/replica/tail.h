// SPDX-License-Identifier: Apache-2.0
// The log since the last snapshot (and a little before it), in memory: what is sent to peers,
// applied, and made into the next snapshot. Its length is bounded by how often snapshots are made
// (options.h). Not thread-safe; entries taken out may go anywhere.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "engine/entry.h"

namespace pawl::engine {

class Tail {
 public:
  // Empty, with this index to come next.
  explicit Tail(Index next = 1) : first_(next) {}

  Index first() const { return first_; }
  Index last() const { return first_ + entries_.size() - 1; }
  bool has(Index index) const { return index >= first_ && index <= last(); }
  const Entry& at(Index index) const;
  // Zero: no such entry.
  Term term_of(Index index) const { return has(index) ? at(index).term : 0; }

  // What was there from `first` on is gone.
  void append(Index first, const std::vector<Entry>& entries);
  // Entries up to this one are gone.
  void cut(Index up_to);
  std::vector<Entry> copy(Index from, Index to) const;

  // Of the entries behind this index.
  std::uint64_t bytes_after(Index index) const;

 private:
  struct Row {
    Entry entry;
    std::uint64_t end = 0;  // bytes of all entries ever appended, up to and with this one
  };
  std::uint64_t end_of(Index index) const;

  Index first_;
  std::deque<Row> entries_;
  std::uint64_t base_ = 0;  // `end` of the entry before the first
};

}  // namespace pawl::engine
