// SPDX-License-Identifier: Apache-2.0
// A snapshot of the whole state: a row of pieces, each a checked frame of many records, so that
// nobody needs the whole in memory beside the state. Equal states give equal bytes; a restored
// state has the same hash and the same future. The format, byte by byte: docs/formats/snapshot.md.
// Not thread-safe; no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/result.h"
#include "core/state.h"

namespace pawl::codec {

inline constexpr std::uint16_t kSnapshotVersion = 1;
inline constexpr std::size_t kPieceHeaderBytes = 40;
// A piece ends with the record that goes past this.
inline constexpr std::size_t kPieceTargetBytes = std::size_t{128} << 10;
inline constexpr std::size_t kMaxPieceBytes = std::size_t{4} << 20;  // the frame and all in it

class SnapshotWriter {
 public:
  // The state must outlive the writer, and not change while it writes.
  explicit SnapshotWriter(const core::State& state);
  ~SnapshotWriter();

  // Nothing: the one before was the last.
  [[nodiscard]] std::optional<std::string> next_piece();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

class SnapshotParser {
 public:
  // `index_seed`: see core::State.
  explicit SnapshotParser(std::uint64_t index_seed = 0);
  ~SnapshotParser();

  // Pieces in order, each whole. Nothing, or why it is refused; then the snapshot is, and so is all
  // that follows.
  [[nodiscard]] std::optional<Unreadable> add_piece(std::string_view piece);

  // Once, after the last piece.
  [[nodiscard]] Decoded<std::unique_ptr<core::State>> finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// How long the piece is that begins with these bytes, of which kPieceHeaderBytes are enough. Not
// more than kMaxPieceBytes; whether the piece is sound is for the parser to say.
[[nodiscard]] Decoded<std::size_t> piece_size(std::string_view header);

// The pieces of a snapshot that lies in memory as a whole.
[[nodiscard]] Decoded<std::vector<std::string_view>> split_pieces(std::string_view snapshot);

// All of the above at once.
[[nodiscard]] Decoded<std::unique_ptr<core::State>> read_snapshot(std::string_view snapshot,
                                                                  std::uint64_t index_seed = 0);

}  // namespace pawl::codec
