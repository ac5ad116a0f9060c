// SPDX-License-Identifier: Apache-2.0
// ports::Disk on a real folder. It keeps the folder open, so that a later change of the working
// folder does not matter. Files are for their owner only (0600, folders 0700) and are not inherited
// by programs that this process starts. Thread-safe as ports/disk.h says.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/host/posix.h"
#include "ports/disk.h"

namespace pawl::engine {

class PosixDisk final : public ports::Disk {
 public:
  // The folder must be there.
  [[nodiscard]] static ports::DiskResult<std::unique_ptr<PosixDisk>> at(
      const std::filesystem::path& folder);

  ports::DiskResult<std::unique_ptr<ports::File>> create(const std::string& path) override;
  ports::DiskResult<std::unique_ptr<ports::File>> open(const std::string& path) override;
  ports::DiskStatus make_folder(const std::string& path) override;
  ports::DiskResult<std::vector<std::string>> list(const std::string& folder) override;
  ports::DiskStatus rename(const std::string& from, const std::string& to) override;
  ports::DiskStatus remove(const std::string& path) override;
  ports::DiskStatus sync_folder(const std::string& folder) override;

 private:
  explicit PosixDisk(UniqueFd root) : root_(std::move(root)) {}
  ports::DiskResult<std::unique_ptr<ports::File>> open_file(const char* operation,
                                                            const std::string& path, int flags);
  UniqueFd root_;
};

}  // namespace pawl::engine
