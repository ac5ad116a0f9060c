// SPDX-License-Identifier: Apache-2.0
#include "engine/snapshot/snapshot_file.h"

#include <utility>

#include "codec/bytes.h"
#include "codec/crc32c.h"
#include "core/assert.h"

namespace pawl::engine {
namespace {

using codec::get_le;
using codec::put_le;

constexpr std::string_view kMagic = "PAWLSNAP";
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kLengthAt = 12;
constexpr std::size_t kIndexAt = 16;
constexpr std::size_t kTermAt = 24;
constexpr std::size_t kMembershipIndexAt = 32;
constexpr std::size_t kMembershipLengthAt = 40;
constexpr std::size_t kRuleVersionAt = 44;
constexpr std::size_t kMembershipAt = 48;
static_assert(kMembershipAt == kSnapshotHeaderBytes);
constexpr std::size_t kPreludeBytes = 16;  // tells how long the header is

constexpr std::string_view kEndMagic = "PAWLDONE";
constexpr std::size_t kTotalAt = 8;
constexpr std::size_t kStateHashAt = 16;
constexpr std::size_t kReservedAt = 24;
constexpr std::size_t kChecksumAt = 28;

constexpr std::size_t kChecksumBytes = 4;

// All of the header: up to a multiple of 8, and the checksum is the last in it.
std::size_t header_bytes(std::size_t membership) {
  return (kMembershipAt + membership + kChecksumBytes + 7) / 8 * 8;
}

}  // namespace

std::string snapshot_header(const SnapshotMark& mark, std::uint32_t rule_version) {
  PAWL_ASSERT(mark.index > 0 && mark.term > 0 && mark.membership_index <= mark.index);
  const std::size_t size = header_bytes(mark.membership.size());
  PAWL_ASSERT(size <= kMaxSnapshotHeaderBytes);
  std::string header(size, '\0');
  char* to = header.data();
  kMagic.copy(to, kMagic.size());
  put_le(to + kVersionAt, kSnapshotFileVersion);
  put_le(to + kLengthAt, static_cast<std::uint32_t>(size));
  put_le(to + kIndexAt, mark.index);
  put_le(to + kTermAt, mark.term);
  put_le(to + kMembershipIndexAt, mark.membership_index);
  put_le(to + kMembershipLengthAt, static_cast<std::uint32_t>(mark.membership.size()));
  put_le(to + kRuleVersionAt, rule_version);
  mark.membership.copy(to + kMembershipAt, mark.membership.size());
  const std::string_view checked(to, size - kChecksumBytes);
  put_le(to + checked.size(), codec::crc32c(checked));
  return header;
}

std::string snapshot_end(std::uint64_t bytes, std::uint32_t checksum, std::uint64_t state_hash) {
  std::string end(kSnapshotEndBytes, '\0');
  char* to = end.data();
  kEndMagic.copy(to, kEndMagic.size());
  put_le(to + kTotalAt, bytes + kSnapshotEndBytes);
  put_le(to + kStateHashAt, state_hash);
  put_le(to + kReservedAt, std::uint32_t{0});
  put_le(to + kChecksumAt, codec::crc32c({to, kChecksumAt}, checksum));
  return end;
}

SnapshotFileParser::SnapshotFileParser(std::string file, std::uint64_t index_seed)
    : file_(std::move(file)), pieces_(index_seed) {}

ports::Result<std::size_t, Fault> SnapshotFileParser::take(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size()) {
    const std::string_view rest = bytes.substr(taken);
    const auto size = part_size(rest);
    if (!size) return size.fault();
    if (size.value() == 0 || size.value() > rest.size()) break;
    if (auto fault = add_part(rest.substr(0, size.value()))) return *std::move(fault);
    taken += size.value();
    offset_ += size.value();
  }
  return taken;
}

ports::Result<LoadedSnapshot, Fault> SnapshotFileParser::finish(std::size_t left) {
  if (stage_ != Stage::over) {
    return bad(offset_ + left, stage_ == Stage::header ? "cut off: it ends in its header"
                                                       : "cut off: its end is missing");
  }
  PAWL_ASSERT(left == 0);
  loaded_.bytes = offset_;
  return std::move(loaded_);
}

ports::Result<std::size_t, Fault> SnapshotFileParser::part_size(std::string_view bytes) {
  if (stage_ == Stage::header) return header_size(bytes);
  if (stage_ == Stage::over) return bad(offset_, "something follows its end");
  if (bytes.size() < kEndMagic.size()) return std::size_t{0};
  if (bytes.starts_with(kEndMagic)) return kSnapshotEndBytes;
  if (bytes.size() < codec::kPieceHeaderBytes) return std::size_t{0};
  const std::string_view header = bytes.substr(0, codec::kPieceHeaderBytes);
  if (const auto size = codec::piece_size(header)) return size.value();
  const auto why = pieces_.add_piece(header);  // refused for the same reason, which it words better
  PAWL_ASSERT(why);
  return bad(*why);
}

ports::Result<std::size_t, Fault> SnapshotFileParser::header_size(std::string_view bytes) const {
  if (bytes.size() < kPreludeBytes) return std::size_t{0};
  if (!bytes.starts_with(kMagic)) return bad(0, "not a snapshot file of Pawl");
  const std::size_t size = get_le<std::uint32_t>(bytes.data() + kLengthAt);
  if (size < kPreludeBytes + 8 || size > kMaxSnapshotHeaderBytes || size % 8 != 0) {
    return bad(kLengthAt, "its header can't have " + std::to_string(size) + " bytes");
  }
  return size;
}

std::optional<Fault> SnapshotFileParser::add_part(std::string_view part) {
  if (stage_ == Stage::header) {
    if (auto fault = add_header(part)) return fault;
    header_bytes_ = part.size();
    stage_ = Stage::pieces;
  } else if (part.starts_with(kEndMagic)) {
    if (auto fault = add_end(part)) return fault;
    stage_ = Stage::over;
  } else if (const auto why = pieces_.add_piece(part)) {
    return bad(*why);
  }
  checksum_ = codec::crc32c(part, checksum_);
  return {};
}

std::optional<Fault> SnapshotFileParser::add_header(std::string_view header) {
  const char* from = header.data();
  const std::size_t checked = header.size() - kChecksumBytes;
  if (codec::crc32c(header.substr(0, checked)) != get_le<std::uint32_t>(from + checked)) {
    return bad(checked, "the checksum of its header is wrong");
  }
  const auto version = get_le<std::uint32_t>(from + kVersionAt);
  if (version == 0) return bad(kVersionAt, "version 0 was never written");
  if (version > kSnapshotFileVersion) {
    return newer("has version " + std::to_string(version) + ", this build reads " +
                 std::to_string(kSnapshotFileVersion));
  }
  if (header.size() < header_bytes(0)) return bad(kLengthAt, "its header is too short");
  const std::size_t membership = get_le<std::uint32_t>(from + kMembershipLengthAt);
  if (header_bytes(membership) != header.size()) {
    return bad(kMembershipLengthAt, "the length of its membership is wrong");
  }
  const std::string_view padding =
      header.substr(kMembershipAt + membership, checked - kMembershipAt - membership);
  if (padding.find_first_not_of('\0') != padding.npos) {
    return bad(kMembershipAt + membership, "its padding is not zero");
  }
  SnapshotMark& mark = loaded_.mark;
  mark.index = get_le<std::uint64_t>(from + kIndexAt);
  mark.term = get_le<std::uint64_t>(from + kTermAt);
  mark.membership_index = get_le<std::uint64_t>(from + kMembershipIndexAt);
  mark.membership = header.substr(kMembershipAt, membership);
  if (mark.index == 0) return bad(kIndexAt, "index 0 can't have a snapshot");
  if (mark.term == 0) return bad(kTermAt, "term 0 can't have a snapshot");
  if (mark.membership_index > mark.index) {
    return bad(kMembershipIndexAt, "its membership comes from a later entry");
  }
  loaded_.path = snapshot_path(mark.index, mark.term);
  if (!file_.empty() && file_ != loaded_.path) {
    return bad(kIndexAt, "holds another snapshot than its name says: " + loaded_.path);
  }
  rule_version_ = get_le<std::uint32_t>(from + kRuleVersionAt);
  if (rule_version_ > core::kRuleVersion) {
    return newer("needs rule version " + std::to_string(rule_version_) + ", this build knows " +
                 std::to_string(core::kRuleVersion));
  }
  return {};
}

std::optional<Fault> SnapshotFileParser::add_end(std::string_view end) {
  const char* from = end.data();
  if (codec::crc32c(end.substr(0, kChecksumAt), checksum_) !=
      get_le<std::uint32_t>(from + kChecksumAt)) {
    return bad(offset_ + kChecksumAt, "the checksum of the whole is wrong");
  }
  if (get_le<std::uint64_t>(from + kTotalAt) != offset_ + kSnapshotEndBytes) {
    return bad(offset_ + kTotalAt, "it is not as long as it was when it was written");
  }
  if (get_le<std::uint32_t>(from + kReservedAt) != 0) {
    return bad(offset_ + kReservedAt, "reserved bytes are not zero");
  }
  auto state = pieces_.finish();
  if (!state) return bad(state.error());
  loaded_.state = std::move(state).value();
  if (core::state_hash(*loaded_.state) != get_le<std::uint64_t>(from + kStateHashAt)) {
    return bad(offset_ + kStateHashAt, "the state's hash is not the one at its end");
  }
  if (loaded_.state->rule_version != rule_version_) {
    return bad(kRuleVersionAt, "the state's rule version is not the one in its header");
  }
  return {};
}

Fault SnapshotFileParser::bad(std::uint64_t at, std::string what) const {
  return damaged(file_, at, std::move(what));
}

Fault SnapshotFileParser::bad(const codec::Unreadable& pieces) const {
  return bad(header_bytes_ + pieces.offset, pieces.reason);
}

Fault SnapshotFileParser::newer(std::string what) const {
  return {FaultKind::newer, file_, 0, "this snapshot " + std::move(what),
          "start the version of Pawl that wrote it, or a newer one"};
}

}  // namespace pawl::engine
