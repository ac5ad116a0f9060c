// SPDX-License-Identifier: Apache-2.0
// What the log knows of itself apart from the entries: where it ends, and which segment is needed
// for what. Plain values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "engine/log/log.h"

namespace pawl::engine {

struct SegmentInfo {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  Index last = 0;  // the last entry in it that later records left in the log; zero: none
};

struct LogState {
  Term term = 0;
  NodeId vote = 0;
  Index next = 1;                    // of the next entry
  Index floor = 1;                   // the first entry behind the last reset that is in the log
  std::uint64_t sequence = 0;        // of the last record
  std::deque<SegmentInfo> segments;  // oldest first; records go into the last

  // What a record does, once it is in the last segment.
  void apply(const Append& append) {
    ++sequence;
    term = append.term;
    vote = append.vote;
    if (append.reset) {
      cut_suffix(0);
      next = floor = append.reset->first + 1;
    }
    if (append.first == 0) return;
    cut_suffix(append.first);
    next = append.first + append.entries.size();
    if (!append.entries.empty()) segments.back().last = next - 1;
  }

 private:
  // Entries from here on are gone; zero: all.
  void cut_suffix(Index from) {
    const Index last = from == 0 ? 0 : from - 1;
    for (SegmentInfo& segment : segments) segment.last = std::min(segment.last, last);
  }
};

}  // namespace pawl::engine
