// SPDX-License-Identifier: Apache-2.0
// Which entries of the log are on disk, when writes end later than the log moves on. libraft
// believes whatever index it is told, so a write that ends after a new leader has replaced its
// entries must count only as far as they are still in the log. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>

#include "engine/entry.h"

namespace pawl::engine {

class Writes {
 public:
  // Entries from `first` to `last` are to be written, and replace what the log had from `first` on.
  // Returns the write's number; numbers go up by one, from 1.
  std::uint64_t issue(Index first, Index last);

  // This write and all before it have ended. Returns the last entry of them that is still in the
  // log, or zero.
  Index done(std::uint64_t number);

  // The log gave way to a snapshot: nothing that is under way is in it.
  void forget();

 private:
  struct Write {
    Index first = 0;
    Index valid = 0;  // the last entry that is still in the log; below `first`: none is
  };

  std::deque<Write> under_way_;
  std::uint64_t ended_ = 0;
};

}  // namespace pawl::engine
