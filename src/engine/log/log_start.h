// SPDX-License-Identifier: Apache-2.0
// The start of a log after whatever happened: read and checked as it is on disk, then made certain.
// Functions that block; nothing on disk is changed before all of it has been read and found sound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/log/log.h"
#include "engine/log/log_state.h"
#include "engine/log/segment.h"

namespace pawl::engine {

struct ReadLog {
  LogContents contents;
  LogState state;                       // no segments: there is no log
  std::optional<SegmentHeader> before;  // of the last segment but one
  SegmentHeader last;
  std::string kept;                 // the records of the last segment
  std::vector<std::string> spares;  // names of files that were never taken into use
};
ports::Result<ReadLog, Fault> read_log(ports::Disk& disk, const std::string& folder);

// Reads, and makes what was read certain: what a start sees may be in the page cache alone. The
// last segment is written anew and takes the place of the one that was read, in one rename: a crash
// leaves either. Then the segment before it is sealed, because a crash may have come before that.
struct StartedLog {
  LogContents contents;
  LogState state;
  Segment segment;  // the one that records go into
};
ports::Result<StartedLog, Fault> start_log(ports::Disk& disk, const LogOptions& options, bool fresh,
                                           const Log::Check& check, std::uint64_t salt);

}  // namespace pawl::engine
