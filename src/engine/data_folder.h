// SPDX-License-Identifier: Apache-2.0
// What is in a data folder, and whether it is one: FORMAT says which version wrote it, and is there
// only once everything else is. docs/formats/data-folder.md. Functions that block.
//
//   FORMAT       text: the format's version and this folder's own number, checksummed
//   LOCK         held by the process that uses the folder (host/folder_lock.h)
//   log/         segments (log/log.h)
//   snapshots/   snapshots (snapshot/snapshot_store.h)
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/consensus/membership.h"
#include "engine/fault.h"
#include "engine/log/log.h"
#include "ports/disk.h"
#include "ports/random.h"

namespace pawl::engine {

inline constexpr std::uint32_t kFolderFormat = 1;

struct FolderInfo {
  std::uint32_t format = kFolderFormat;
  std::uint64_t incarnation = 0;  // drawn when the folder was made; never the same twice
  bool made_now = false;
};

// Checks the folder, and makes what is missing if it is empty or was left half made. Refuses a
// newer format, a folder that holds something else, and one that has lost its FORMAT or its log.
[[nodiscard]] ports::Result<FolderInfo, Fault> prepare_folder(ports::Disk& disk,
                                                              ports::Random& random,
                                                              const LogOptions& log,
                                                              const Membership& first_membership);

}  // namespace pawl::engine
