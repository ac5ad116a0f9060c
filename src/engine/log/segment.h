// SPDX-License-Identifier: Apache-2.0
// Segments as files: made of zeros under a temporary name, and given their own name only once they
// begin with a header that is on disk. So a file with a segment's name was whole once.
//
// Functions that block. A fault that is returned is one of the disk.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/fault.h"
#include "engine/log/record.h"
#include "ports/disk.h"

namespace pawl::engine {

// 16 hex digits.
std::string segment_name(std::uint64_t number);
std::optional<std::uint64_t> segment_number(std::string_view name);
// The same and ".tmp": a file that was never taken into use.
std::string spare_name(std::uint64_t number);
bool is_spare_name(std::string_view name);
std::string in_folder(const std::string& folder, const std::string& name);

// A file of the right size, synced, under a temporary name.
struct SpareSegment {
  std::unique_ptr<ports::File> file;
  std::string path;
  std::uint64_t bytes = 0;
};
ports::Result<SpareSegment, Fault> make_spare(ports::Disk& disk, const std::string& path,
                                              std::uint64_t bytes);

struct Segment {
  std::unique_ptr<ports::File> file;
  SegmentHeader header;
  std::uint64_t used = kSegmentHeaderBytes;  // where the next record goes

  std::uint64_t room() const { return header.bytes - kSealBytes - used; }
};

// Takes a spare into use: header, sync, name, folder sync. Replaces the segment of that number if
// there is one. `records`: what it begins with.
ports::Result<Segment, Fault> start_segment(ports::Disk& disk, const std::string& folder,
                                            SpareSegment spare, const SegmentHeader& header,
                                            std::string_view records);

// Marks it as one that another segment follows.
std::optional<Fault> seal_segment(ports::File& file, const SegmentHeader& header,
                                  std::uint64_t last_sequence);

}  // namespace pawl::engine
