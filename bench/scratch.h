// SPDX-License-Identifier: Apache-2.0
// A folder for one run, removed when it goes out of scope, and also when the process is told to end
// by INT, TERM or HUP.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace pawl::bench {

struct CannotMeasure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Scratch {
 public:
  // In `parent`; if that is empty, in $TMPDIR or the current folder, but not on a tmpfs. Before any
  // other thread is started. Throws CannotMeasure.
  explicit Scratch(std::filesystem::path parent);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // "ext4 (/dev/sda1)"
  const std::string& file_system() const { return file_system_; }
  // A new, empty folder in it.
  std::filesystem::path fresh(const std::string& name);

 private:
  std::filesystem::path path_;
  std::string file_system_;
  int made_ = 0;
};

// All files below, in bytes.
std::uint64_t bytes_below(const std::filesystem::path& folder);

}  // namespace pawl::bench
