// SPDX-License-Identifier: Apache-2.0
#include "engine/log/log_start.h"

#include <algorithm>
#include <utility>

#include "core/assert.h"

namespace pawl::engine {
namespace {

std::string folder_above(const std::string& folder) {
  const std::size_t slash = folder.rfind('/');
  return slash == std::string::npos ? std::string() : folder.substr(0, slash);
}

Fault missing(const std::string& folder) {
  Fault fault = damaged(folder, 0, "the log is missing");
  fault.advice =
      "put the folder back as it was. If it can't be found, then other members can give this one "
      "its "
      "data if it joins them with an empty data folder; if it is alone, put a backup in its place";
  return fault;
}

std::optional<Fault> make_folder(ports::Disk& disk, const std::string& folder) {
  if (auto error = disk.make_folder(folder)) return disk_fault(*error);
  if (auto error = disk.sync_folder(folder_above(folder))) return disk_fault(*error);
  return std::nullopt;
}

std::optional<Fault> remove_spares(ports::Disk& disk, const std::string& folder,
                                   const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (auto error = disk.remove(in_folder(folder, name))) return disk_fault(*error);
  }
  return std::nullopt;
}

void change_salts(std::string& records, std::uint64_t from, std::uint64_t to) {
  for (std::size_t at = 0; at < records.size();) {
    const auto record = whole_record(std::string_view(records).substr(at), from);
    PAWL_ASSERT(record.has_value());
    change_salt(records.data() + at, record->size, to);
    at += record->size;
  }
}

// The last segment anew, in place of the old one; or the first one there is.
ports::Result<Segment, Fault> write_anew(ports::Disk& disk, const LogOptions& options,
                                         const SegmentHeader& old, std::uint64_t salt,
                                         std::string records) {
  const std::uint64_t needed = kSegmentHeaderBytes + records.size() + kSealBytes;
  SegmentHeader header = old;
  header.salt = salt;
  header.bytes = static_cast<std::uint32_t>(std::max(options.segment_bytes, needed));
  change_salts(records, old.salt, salt);
  auto spare = make_spare(disk, in_folder(options.folder, spare_name(0)), header.bytes);
  if (!spare) return spare.fault();
  return start_segment(disk, options.folder, std::move(spare).value(), header, records);
}

std::optional<Fault> seal_before(ports::Disk& disk, const std::string& folder,
                                 const SegmentHeader& before, const SegmentHeader& last) {
  auto file = disk.open(in_folder(folder, segment_name(before.number)));
  if (!file) return disk_fault(file.fault());
  return seal_segment(*file.value(), before, last.first_sequence - 1);
}

}  // namespace

ports::Result<StartedLog, Fault> start_log(ports::Disk& disk, const LogOptions& options, bool fresh,
                                           const Log::Check& check, std::uint64_t salt) {
  auto read = read_log(disk, options.folder);
  if (!read) return read.fault();
  ReadLog& log = read.value();
  if (check && !log.state.segments.empty()) {
    if (auto fault = check(log.contents)) return *std::move(fault);
  }
  if (log.state.segments.empty()) {
    if (!fresh) return missing(options.folder);
    log.last.number = log.last.first_sequence = log.last.next = 1;
    log.state.segments.push_back({1, 0, 0});
  }
  if (fresh) {
    if (auto fault = make_folder(disk, options.folder)) return *std::move(fault);
  }
  if (auto fault = remove_spares(disk, options.folder, log.spares)) return *std::move(fault);
  auto segment = write_anew(disk, options, log.last, salt, std::move(log.kept));
  if (!segment) return segment.fault();
  if (log.before) {
    if (auto fault = seal_before(disk, options.folder, *log.before, log.last)) {
      return *std::move(fault);
    }
  }
  log.state.segments.back().bytes = segment.value().header.bytes;
  return StartedLog{std::move(log.contents), std::move(log.state), std::move(segment).value()};
}

}  // namespace pawl::engine
