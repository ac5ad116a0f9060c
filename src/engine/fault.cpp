// SPDX-License-Identifier: Apache-2.0
#include "engine/fault.h"

#include <utility>

#include "core/assert.h"

namespace pawl::engine {
namespace {

std::string sentence(std::string text) {
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
  if (text.empty()) return text;
  if (text.front() >= 'a' && text.front() <= 'z') {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text + '.';
}

}  // namespace

Fault disk_fault(const ports::DiskError& error) {
  Fault fault;
  fault.kind = FaultKind::disk;
  fault.file = error.path;
  fault.what = error.operation + (error.path.empty() ? " of the data folder" : "") +
               " failed: " + error.reason;
  fault.advice = error.full ? "make room on the disk, then start again; nothing that was answered "
                              "is lost"
                            : "look at the disk and at the system's log, then start again; nothing "
                              "that was answered is lost if the disk kept what it had synced";
  return fault;
}

Fault damaged(std::string file, std::uint64_t offset, std::string what) {
  Fault fault;
  fault.kind = FaultKind::damaged;
  fault.file = std::move(file);
  fault.offset = offset;
  fault.what = std::move(what);
  fault.advice =
      "change nothing in the data folder: copy it aside, check the disk, and put a backup in its "
      "place";
  return fault;
}

// Not those of shells (1, 2, 126 and up) and none of sysexits.h (64 to 78).
int exit_code(FaultKind kind) {
  switch (kind) {
    case FaultKind::disk:
      return 20;
    case FaultKind::damaged:
      return 21;
    case FaultKind::in_use:
      return 22;
    case FaultKind::newer:
      return 23;
    case FaultKind::foreign:
      return 24;
  }
  PAWL_ASSERT(false && "a kind of fault");
}

const char* name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::disk:
      return "disk";
    case FaultKind::damaged:
      return "damaged";
    case FaultKind::in_use:
      return "in_use";
    case FaultKind::newer:
      return "newer";
    case FaultKind::foreign:
      return "foreign";
  }
  PAWL_ASSERT(false && "a kind of fault");
}

std::string to_text(const Fault& fault) {
  std::string first;
  if (fault.file.empty()) {
    first = sentence(fault.what);
  } else {
    first = fault.file;
    if (fault.kind == FaultKind::damaged) first += " at byte " + std::to_string(fault.offset);
    first += ": " + fault.what;
    if (first.back() != '.') first += '.';
  }
  const std::string advice = sentence(fault.advice);
  return advice.empty() ? first : first + ' ' + advice;
}

}  // namespace pawl::engine
