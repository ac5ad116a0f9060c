// SPDX-License-Identifier: Apache-2.0
#include "engine/log/segment.h"

#include <algorithm>
#include <utility>

#include "core/assert.h"

namespace pawl::engine {
namespace {

constexpr std::size_t kNameDigits = 16;
constexpr std::string_view kSpareEnding = ".tmp";
constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 20;

ports::DiskStatus write_in_chunks(ports::File& file, std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view chunk = bytes.substr(0, kChunkBytes);
    if (auto error = file.write(offset, chunk)) return error;
    offset += chunk.size();
    bytes.remove_prefix(chunk.size());
  }
  return {};
}

// Real zeros: the blocks are there before the first record needs them, and its sync need not change
// the file's metadata.
ports::DiskStatus write_zeros(ports::File& file, std::uint64_t bytes) {
  const std::string zeros(std::min(bytes, kChunkBytes), '\0');
  for (std::uint64_t at = 0; at < bytes; at += zeros.size()) {
    const std::uint64_t count = std::min<std::uint64_t>(zeros.size(), bytes - at);
    if (auto error = file.write(at, std::string_view(zeros).substr(0, count))) return error;
  }
  return {};
}

}  // namespace

std::string segment_name(std::uint64_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name(kNameDigits, '0');
  for (std::size_t i = kNameDigits; i > 0; --i, number >>= 4U) name[i - 1] = kDigits[number & 15U];
  return name;
}

std::optional<std::uint64_t> segment_number(std::string_view name) {
  if (name.size() != kNameDigits) return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit && (c < 'a' || c > 'f')) return std::nullopt;
    number = number << 4U | static_cast<std::uint64_t>(digit ? c - '0' : c - 'a' + 10);
  }
  return number;
}

std::string spare_name(std::uint64_t number) {
  return segment_name(number) + std::string(kSpareEnding);
}

bool is_spare_name(std::string_view name) {
  return name.size() == kNameDigits + kSpareEnding.size() && name.ends_with(kSpareEnding) &&
         segment_number(name.substr(0, kNameDigits)).has_value();
}

std::string in_folder(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

ports::Result<SpareSegment, Fault> make_spare(ports::Disk& disk, const std::string& path,
                                              std::uint64_t bytes) {
  auto created = disk.create(path);
  if (!created) return disk_fault(created.fault());
  SpareSegment spare{std::move(created).value(), path, bytes};
  if (auto error = write_zeros(*spare.file, bytes)) return disk_fault(*error);
  if (auto error = spare.file->sync()) return disk_fault(*error);
  return spare;
}

ports::Result<Segment, Fault> start_segment(ports::Disk& disk, const std::string& folder,
                                            SpareSegment spare, const SegmentHeader& header,
                                            std::string_view records) {
  Segment segment{std::move(spare.file), header, kSegmentHeaderBytes + records.size()};
  PAWL_ASSERT(header.bytes == spare.bytes && segment.used + kSealBytes <= spare.bytes);
  const std::string start = encode_header(header) + std::string(records);
  if (auto error = write_in_chunks(*segment.file, 0, start)) return disk_fault(*error);
  if (auto error = segment.file->sync()) return disk_fault(*error);
  const std::string path = in_folder(folder, segment_name(header.number));
  if (auto error = disk.rename(spare.path, path)) return disk_fault(*error);
  if (auto error = disk.sync_folder(folder)) return disk_fault(*error);
  return segment;
}

std::optional<Fault> seal_segment(ports::File& file, const SegmentHeader& header,
                                  std::uint64_t last_sequence) {
  const std::string seal = encode_seal(header, last_sequence);
  if (auto error = file.write(header.bytes - kSealBytes, seal)) return disk_fault(*error);
  if (auto error = file.sync()) return disk_fault(*error);
  return std::nullopt;
}

}  // namespace pawl::engine
