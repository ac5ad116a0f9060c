// SPDX-License-Identifier: Apache-2.0
// The frame around each piece of a snapshot (docs/formats/snapshot.md). Internal to codec, and for
// tests that forge snapshots. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "codec/result.h"

namespace pawl::codec {

struct PieceHeader {
  std::uint64_t state_hash = 0;  // the same in all pieces of a snapshot
  std::uint32_t sequence = 0;    // from 0
  std::uint32_t pieces = 0;      // how many there are, in the last one; zero: more follow
  std::uint32_t payload_bytes = 0;
  std::uint32_t records = 0;
  std::uint32_t chain = 0;     // CRC-32C over the checksums of all pieces before this one
  std::uint32_t checksum = 0;  // CRC-32C over all of the piece but this
};

// `piece` is room for the header, then the payload. Writes the header; the length of the payload
// and the checksum are worked out, whatever `header` says of them. Returns the checksum.
std::uint32_t seal_piece(std::string& piece, const PieceHeader& header);

// `at_least_header` has kPieceHeaderBytes.
PieceHeader read_header(std::string_view at_least_header);

// Nothing, or why this can't be the beginning of a piece: magic, version, length. Offsets are in
// the piece.
std::optional<Unreadable> check_header(std::string_view bytes);

// Nothing, or why this is not one whole piece.
std::optional<Unreadable> check_piece(std::string_view bytes);

// The chain after a piece with this checksum.
std::uint32_t chain_on(std::uint32_t chain, std::uint32_t checksum);

}  // namespace pawl::codec
