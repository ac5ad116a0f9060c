// SPDX-License-Identifier: Apache-2.0
// A bit of a stopped node's files that is not as it was written, and what may come of it: the start
// is refused, or nothing that counts is different. One exception is documented: in the very last
// record of the log it looks like a write that was torn.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/log/log.h"
#include "support/sim_disk.h"

namespace pawl::testing {

// What is on a disk; it may be put back.
class DiskCopy {
 public:
  explicit DiskCopy(const SimDisk& disk);
  void restore(SimDisk& disk) const;

 private:
  std::map<std::string, std::string> files_;
};

struct Flip {
  std::string path;
  std::uint64_t bit = 0;
};
// Where there is something written; nothing if there are no files.
std::optional<Flip> draw_flip(const SimDisk& disk, Random& random);

// What a start would find in the log; nothing if it would be refused. The disk stays as it is.
std::optional<engine::LogContents> peek_log(const DiskCopy& copy, const engine::LogOptions& options,
                                            Random& random);

enum class FlipVerdict : std::uint8_t { harmless, last_record, unnoticed };
// What it means that a start on `flipped` was not refused.
FlipVerdict judge_flip(const DiskCopy& good, const DiskCopy& flipped, const std::string& path,
                       const engine::LogOptions& options, Random& random);

}  // namespace pawl::testing
