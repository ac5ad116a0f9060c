// SPDX-License-Identifier: Apache-2.0
// Snapshots as files: written aside, synced, renamed, the folder synced, checksummed whole. The
// newest one is what a start begins with (docs/formats/snapshot-file.md).
//
// Functions that block; which thread calls them is the caller's affair, one at a time for a folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/state.h"
#include "engine/entry.h"
#include "engine/fault.h"
#include "ports/disk.h"

namespace pawl::engine {

inline constexpr const char* kSnapshotFolder = "snapshots";

// "snapshots/0000000000000064-0000000000000002": index and term in hex, so that names sort by age.
std::string snapshot_path(Index index, Term term);

struct WrittenSnapshot {
  std::string path;
  std::uint64_t bytes = 0;
};
// When this returns, all of it is on disk under its name. The state must not change meanwhile.
[[nodiscard]] ports::Result<WrittenSnapshot, Fault> write_snapshot(ports::Disk& disk,
                                                                   const SnapshotMark& mark,
                                                                   const core::State& state);

struct LoadedSnapshot {
  SnapshotMark mark;
  std::unique_ptr<core::State> state;
  std::string path;
  std::uint64_t bytes = 0;
};
// The membership in the mark is bytes that nobody has looked into. `index_seed`: see core::State.
[[nodiscard]] ports::Result<LoadedSnapshot, Fault> load_snapshot(ports::Disk& disk,
                                                                 const std::string& path,
                                                                 std::uint64_t index_seed);

// Takes over one that came as bytes: they are checked whole and loaded, then written as above. If
// they are no snapshot file, nothing is written, and the fault names no file: its offset is in the
// bytes.
[[nodiscard]] ports::Result<LoadedSnapshot, Fault> store_snapshot(ports::Disk& disk,
                                                                  std::string_view bytes,
                                                                  std::uint64_t index_seed);

// The whole file, for a peer.
[[nodiscard]] ports::Result<std::string, Fault> read_snapshot_bytes(ports::Disk& disk,
                                                                    const std::string& path);

// The paths of all snapshots, oldest first. Files that were never renamed are not among them;
// `tidy` removes those. What is neither is `foreign`.
[[nodiscard]] ports::Result<std::vector<std::string>, Fault> list_snapshots(ports::Disk& disk);
[[nodiscard]] std::optional<Fault> tidy_snapshots(ports::Disk& disk);
// All but `keep`, which is at least one; if one of those is not there, nothing is removed.
[[nodiscard]] std::optional<Fault> remove_snapshots_but(ports::Disk& disk,
                                                        const std::vector<std::string>& keep);

}  // namespace pawl::engine
