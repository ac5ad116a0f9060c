// SPDX-License-Identifier: Apache-2.0
// One process to a data folder: makes the folder if there is none, and holds it until destroyed or
// until the process ends, however it ends. The file LOCK in it says whose it is, for people; the
// folder itself is locked too, so that nothing is won by removing LOCK. Any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "engine/fault.h"
#include "engine/host/posix.h"
#include "ports/observer.h"
#include "ports/result.h"

namespace pawl::engine {

inline constexpr const char* kLockFile = "LOCK";

class FolderLock {
 public:
  // The folder above must be there. Refused with in_use if another has it, also within this
  // process. A folder that others may enter is used as it is, with the warning
  // `data_folder_permissions`.
  [[nodiscard]] static ports::Result<std::unique_ptr<FolderLock>, Fault> take(
      const std::filesystem::path& folder, ports::Observer& observer);

 private:
  FolderLock(UniqueFd folder, UniqueFd file) : folder_(std::move(folder)), file_(std::move(file)) {}
  UniqueFd folder_;
  UniqueFd file_;
};

}  // namespace pawl::engine
