// SPDX-License-Identifier: Apache-2.0
// Why the engine cannot start, or must stop: which file, where, and what a person can do about it.
// Each kind has an exit code of its own (docs/operations.md). Plain values.
#pragma once

#include <cstdint>
#include <string>

#include "ports/disk.h"

namespace pawl::engine {

enum class FaultKind : std::uint8_t {
  disk,  // a write, sync, read or rename failed, or the disk is full: start again once it is well
  damaged,  // what is on disk is not what was written there
  in_use,   // another process has the data folder
  newer,    // a newer version of Pawl has written it
  foreign,  // the folder holds something else
};

struct Fault {
  FaultKind kind = FaultKind::disk;
  std::string file;          // in the data folder; empty: the folder itself
  std::uint64_t offset = 0;  // damaged: where in the file
  std::string what;          // one sentence
  std::string advice;        // what to do
  friend bool operator==(const Fault&, const Fault&) = default;
};

Fault disk_fault(const ports::DiskError& error);
Fault damaged(std::string file, std::uint64_t offset, std::string what);

// The process' exit code.
int exit_code(FaultKind kind);
const char* name_of(FaultKind kind);
// All of it, in a line or two for a person.
std::string to_text(const Fault& fault);

}  // namespace pawl::engine
