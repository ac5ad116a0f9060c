// SPDX-License-Identifier: Apache-2.0
// The frame that makes a snapshot (codec/snapshot.h) a file: a header that says what it stands for,
// the pieces, and an end that checks the whole. docs/formats/snapshot-file.md has it byte by byte.
// Internal to this folder, and for tests that forge files. No I/O; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "codec/snapshot.h"
#include "engine/snapshot/snapshot_store.h"

namespace pawl::engine {

inline constexpr std::uint32_t kSnapshotFileVersion = 1;
inline constexpr std::size_t kSnapshotHeaderBytes = 48;  // and the membership, padding, checksum
inline constexpr std::size_t kMaxSnapshotHeaderBytes = std::size_t{1} << 20;
inline constexpr std::size_t kSnapshotEndBytes = 32;

// Ends on a multiple of 8. The mark is not empty, and its membership fits.
[[nodiscard]] std::string snapshot_header(const SnapshotMark& mark, std::uint32_t rule_version);
// `bytes`: of all that stands before it, with the checksum `checksum`.
[[nodiscard]] std::string snapshot_end(std::uint64_t bytes, std::uint32_t checksum,
                                       std::uint64_t state_hash);

class SnapshotFileParser {
 public:
  // Faults name `file`.
  SnapshotFileParser(std::string file, std::uint64_t index_seed);

  // Bytes that follow those taken so far. Takes the parts (header, pieces, end) that are whole, and
  // says how many bytes that was; the rest must be given again with more behind it. What it waits
  // for is never longer than kMaxPieceBytes.
  [[nodiscard]] ports::Result<std::size_t, Fault> take(std::string_view bytes);

  // Once, when there are no more: `left` were given and not taken.
  [[nodiscard]] ports::Result<LoadedSnapshot, Fault> finish(std::size_t left);

 private:
  enum class Stage : std::uint8_t { header, pieces, over };

  // How long the part is that begins with these bytes. Zero: more of them are needed to tell.
  ports::Result<std::size_t, Fault> part_size(std::string_view bytes);
  ports::Result<std::size_t, Fault> header_size(std::string_view bytes) const;
  std::optional<Fault> add_part(std::string_view part);
  std::optional<Fault> add_header(std::string_view header);
  std::optional<Fault> add_end(std::string_view end);
  Fault bad(std::uint64_t at, std::string what) const;
  Fault bad(const codec::Unreadable& pieces) const;
  Fault newer(std::string what) const;

  std::string file_;
  codec::SnapshotParser pieces_;
  Stage stage_ = Stage::header;
  std::uint64_t offset_ = 0;  // of the next part
  std::uint64_t header_bytes_ = 0;
  std::uint32_t checksum_ = 0;
  std::uint32_t rule_version_ = 0;
  LoadedSnapshot loaded_;
};

}  // namespace pawl::engine
