// SPDX-License-Identifier: Apache-2.0
// The data folder, as far as the engine sees it: files that are written, synced, renamed and read.
// What is not synced may be lost, or half there, after a crash; a name is safe once its folder is
// synced. Paths are relative to the data folder, with '/' between the parts
// ("log/0000000000000001"). All calls block. A File belongs to one thread at a time; different
// files may be used by different threads at once, and so may Disk itself. The real one is
// engine/host/posix_disk.h, the one that crashes on purpose tests/support/sim_disk.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ports/result.h"

namespace pawl::ports {

struct DiskError {
  std::string operation;   // "write", "sync", "rename", ...
  std::string path;        // as it was given
  std::string reason;      // the system's words: "No space left on device"
  bool not_found = false;  // there is no such file or folder
  bool full = false;       // no space, or the quota is used up
  friend bool operator==(const DiskError&, const DiskError&) = default;
};

using DiskStatus = std::optional<DiskError>;  // nothing: it worked
template <class T>
using DiskResult = Result<T, DiskError>;

class File {
 public:
  virtual ~File() = default;

  // All of the bytes, at this place; past the end, the file grows.
  [[nodiscard]] virtual DiskStatus write(std::uint64_t offset, std::string_view bytes) = 0;
  // As many as there are: fewer than asked for only at the end of the file.
  [[nodiscard]] virtual DiskResult<std::size_t> read(std::uint64_t offset,
                                                     std::span<char> into) const = 0;
  // What was written, and the size that it made, is on disk.
  [[nodiscard]] virtual DiskStatus sync() = 0;
  [[nodiscard]] virtual DiskResult<std::uint64_t> size() const = 0;
};

class Disk {
 public:
  virtual ~Disk() = default;

  // For reading and writing. create() fails if there is one.
  [[nodiscard]] virtual DiskResult<std::unique_ptr<File>> create(const std::string& path) = 0;
  [[nodiscard]] virtual DiskResult<std::unique_ptr<File>> open(const std::string& path) = 0;
  // The folder above must be there; it is fine if this one is.
  [[nodiscard]] virtual DiskStatus make_folder(const std::string& path) = 0;
  // The names in a folder, sorted. "" is the data folder itself.
  [[nodiscard]] virtual DiskResult<std::vector<std::string>> list(const std::string& folder) = 0;
  // Replaces `to` if there is one.
  [[nodiscard]] virtual DiskStatus rename(const std::string& from, const std::string& to) = 0;
  [[nodiscard]] virtual DiskStatus remove(const std::string& path) = 0;
  // Files made, renamed and removed in this folder are so on disk.
  [[nodiscard]] virtual DiskStatus sync_folder(const std::string& folder) = 0;
};

}  // namespace pawl::ports
