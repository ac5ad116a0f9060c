// SPDX-License-Identifier: Apache-2.0
// Makes the next snapshot out of the one before and the entries since, by the same steps as the
// live state took: so the loop that serves need not stand still for it, and what a restart would
// come to is compared with what is live, before anyone relies on it.
// Blocks for as long as that takes; for a background thread. Shares nothing with the live state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/entry.h"
#include "engine/fault.h"
#include "engine/snapshot/snapshot_store.h"
#include "ports/disk.h"

namespace pawl::engine {

struct SnapshotOrder {
  std::optional<std::string> previous;  // its path; none: there is none, and the state was empty
  Index first = 1;                      // of the entries: the one behind the previous snapshot
  std::vector<Entry> entries;           // all up to the mark's index, which is the last of them
  SnapshotMark mark;
  std::uint64_t state_hash = 0;  // of the live state, when it was at the mark
  std::uint64_t index_seed = 0;
};

struct MadeSnapshot {
  WrittenSnapshot file;
  std::uint64_t state_hash = 0;
  std::uint64_t leases = 0;  // held or waiting
};

// No file is written if the entries lead to another state than the live one: one of the two is
// wrong, and the node must not go on.
[[nodiscard]] ports::Result<MadeSnapshot, Fault> make_snapshot(ports::Disk& disk,
                                                               const SnapshotOrder& order);

}  // namespace pawl::engine
