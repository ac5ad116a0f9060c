// SPDX-License-Identifier: Apache-2.0
#include "codec/piece.h"

#include "codec/bytes.h"
#include "codec/crc32c.h"
#include "codec/snapshot.h"
#include "core/assert.h"

namespace pawl::codec {
namespace {

constexpr std::string_view kMagic = "PWLS";
constexpr std::size_t kVersionAt = 4;
constexpr std::size_t kReservedAt = 6;
constexpr std::size_t kStateHashAt = 8;
constexpr std::size_t kSequenceAt = 16;
constexpr std::size_t kPiecesAt = 20;
constexpr std::size_t kLengthAt = 24;
constexpr std::size_t kRecordsAt = 28;
constexpr std::size_t kChainAt = 32;
constexpr std::size_t kChecksumAt = 36;
static_assert(kChecksumAt + 4 == kPieceHeaderBytes);

// All but the checksum itself.
std::uint32_t checksum(std::string_view piece) {
  return crc32c(piece.substr(kPieceHeaderBytes), crc32c(piece.substr(0, kChecksumAt)));
}

}  // namespace

std::uint32_t seal_piece(std::string& piece, const PieceHeader& header) {
  PAWL_ASSERT(piece.size() >= kPieceHeaderBytes && piece.size() <= kMaxPieceBytes);
  char* to = piece.data();
  kMagic.copy(to, kMagic.size());
  put_le(to + kVersionAt, kSnapshotVersion);
  put_le(to + kReservedAt, std::uint16_t{0});
  put_le(to + kStateHashAt, header.state_hash);
  put_le(to + kSequenceAt, header.sequence);
  put_le(to + kPiecesAt, header.pieces);
  put_le(to + kLengthAt, static_cast<std::uint32_t>(piece.size() - kPieceHeaderBytes));
  put_le(to + kRecordsAt, header.records);
  put_le(to + kChainAt, header.chain);
  const std::uint32_t sum = checksum(piece);
  put_le(to + kChecksumAt, sum);
  return sum;
}

PieceHeader read_header(std::string_view bytes) {
  PAWL_ASSERT(bytes.size() >= kPieceHeaderBytes);
  const char* from = bytes.data();
  PieceHeader header;
  header.state_hash = get_le<std::uint64_t>(from + kStateHashAt);
  header.sequence = get_le<std::uint32_t>(from + kSequenceAt);
  header.pieces = get_le<std::uint32_t>(from + kPiecesAt);
  header.payload_bytes = get_le<std::uint32_t>(from + kLengthAt);
  header.records = get_le<std::uint32_t>(from + kRecordsAt);
  header.chain = get_le<std::uint32_t>(from + kChainAt);
  header.checksum = get_le<std::uint32_t>(from + kChecksumAt);
  return header;
}

std::optional<Unreadable> check_header(std::string_view bytes) {
  if (bytes.size() < kPieceHeaderBytes) {
    return Unreadable{"cut off: its header is " + std::to_string(kPieceHeaderBytes) +
                          " bytes, here are " + std::to_string(bytes.size()),
                      bytes.size()};
  }
  if (!bytes.starts_with(kMagic)) return Unreadable{"not a piece of a snapshot of Pawl", 0};
  const auto version = get_le<std::uint16_t>(bytes.data() + kVersionAt);
  if (version == 0) return Unreadable{"version 0 was never written", kVersionAt};
  if (version > kSnapshotVersion) {
    return Unreadable{"written by a newer Pawl: version " + std::to_string(version) +
                          ", this build reads " + std::to_string(kSnapshotVersion),
                      kVersionAt};
  }
  if (get_le<std::uint16_t>(bytes.data() + kReservedAt) != 0) {
    return Unreadable{"reserved bytes are not zero", kReservedAt};
  }
  if (get_le<std::uint32_t>(bytes.data() + kLengthAt) > kMaxPieceBytes - kPieceHeaderBytes) {
    return Unreadable{"longer than " + std::to_string(kMaxPieceBytes) + " bytes", kLengthAt};
  }
  return {};
}

std::optional<Unreadable> check_piece(std::string_view bytes) {
  if (auto bad = check_header(bytes)) return bad;
  const PieceHeader header = read_header(bytes);
  const std::size_t size = kPieceHeaderBytes + header.payload_bytes;
  if (bytes.size() < size) {
    return Unreadable{
        "cut off: " + std::to_string(bytes.size()) + " of " + std::to_string(size) + " bytes",
        bytes.size()};
  }
  if (bytes.size() > size) return Unreadable{"something follows it", size};
  if (checksum(bytes) != header.checksum) return Unreadable{"the checksum is wrong", kChecksumAt};
  return {};
}

std::uint32_t chain_on(std::uint32_t chain, std::uint32_t checksum) {
  char bytes[4];
  put_le(bytes, checksum);
  return crc32c({bytes, sizeof bytes}, chain);
}

}  // namespace pawl::codec
