// SPDX-License-Identifier: Apache-2.0
#include "engine/log/record.h"

#include <utility>

#include "codec/bytes.h"
#include "codec/crc32c.h"
#include "core/assert.h"

namespace pawl::engine {
namespace {

using codec::put_le;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

constexpr uint32_t kHeaderMagic = 0x4753'4C50;  // "PLSG"
constexpr uint32_t kRecordMagic = 0x4352'4C50;  // "PLRC"
constexpr uint32_t kSealMagic = 0x4C53'4C50;    // "PLSL"
constexpr uint32_t kHasReset = 1;
constexpr std::size_t kCrcAt = 4;  // in all three; what stands before it is fixed or covered
constexpr std::size_t kCoveredFrom = 8;

constexpr uint64_t padded(uint64_t bytes) {
  return (bytes + kRecordAlignment - 1) / kRecordAlignment * kRecordAlignment;
}

// The caller has checked that it is there.
template <class T>
T number_at(std::string_view bytes, std::size_t offset) {
  return codec::get_le<T>(bytes.data() + offset);
}

uint32_t checksum(std::string_view bytes) { return codec::crc32c(bytes.substr(kCoveredFrom)); }

bool has_magic_and_checksum(std::string_view bytes, uint32_t magic) {
  return number_at<uint32_t>(bytes, 0) == magic &&
         number_at<uint32_t>(bytes, kCrcAt) == checksum(bytes);
}

void put_checksum(char* bytes, uint64_t size) {
  put_le(bytes + kCrcAt, checksum({bytes, static_cast<std::size_t>(size)}));
}

bool is_kind(uint8_t kind) {
  return kind >= static_cast<uint8_t>(EntryKind::command) &&
         kind <= static_cast<uint8_t>(EntryKind::change);
}

// Takes one entry off the front; a reason if there is none.
std::optional<std::string> take_entry(std::string_view& bytes, Entry& entry) {
  if (bytes.size() < kRecordEntryBytes) return "an entry is cut off";
  const uint32_t length = number_at<uint32_t>(bytes, 8);
  const uint8_t kind = number_at<uint8_t>(bytes, 12);
  if (length > bytes.size() - kRecordEntryBytes ||
      padded(length) > bytes.size() - kRecordEntryBytes) {
    return "an entry is longer than its record";
  }
  if (!is_kind(kind)) return "an entry is of an unknown kind";
  entry.term = number_at<uint64_t>(bytes, 0);
  entry.kind = static_cast<EntryKind>(kind);
  entry.bytes = std::make_shared<const std::string>(bytes.substr(kRecordEntryBytes, length));
  bytes.remove_prefix(kRecordEntryBytes + padded(length));
  return std::nullopt;
}

char* put_entry(char* to, const Entry& entry) {
  const std::string& bytes = *entry.bytes;
  put_le(to, uint64_t{entry.term});
  put_le(to + 8, static_cast<uint32_t>(bytes.size()));
  put_le(to + 12, static_cast<uint8_t>(entry.kind));
  bytes.copy(to + kRecordEntryBytes, bytes.size());
  return to + kRecordEntryBytes + padded(bytes.size());
}

}  // namespace

std::uint64_t most_record_bytes(const LogOptions& options) {
  return (options.segment_bytes - kSegmentHeaderBytes - kSealBytes) / 2 - kRecordHeaderBytes -
         kRecordFixedBytes;
}

std::uint64_t record_bytes(const Entry& entry) {
  return kRecordEntryBytes + padded(entry.bytes->size());
}

std::string encode_header(const SegmentHeader& header) {
  std::string bytes(kSegmentHeaderBytes, '\0');
  put_le(bytes.data(), kHeaderMagic);
  put_le(bytes.data() + 8, kLogVersion);
  put_le(bytes.data() + 12, header.bytes);
  put_le(bytes.data() + 16, header.salt);
  put_le(bytes.data() + 24, header.number);
  put_le(bytes.data() + 32, header.first_sequence);
  put_le(bytes.data() + 40, header.next);
  put_le(bytes.data() + 48, header.term);
  put_le(bytes.data() + 56, header.vote);
  put_checksum(bytes.data(), bytes.size());
  return bytes;
}

bool is_newer_header(std::string_view bytes) {
  return bytes.size() >= kSegmentHeaderBytes &&
         has_magic_and_checksum(bytes.substr(0, kSegmentHeaderBytes), kHeaderMagic) &&
         number_at<uint16_t>(bytes, 8) > kLogVersion;
}

std::optional<SegmentHeader> decode_header(std::string_view bytes) {
  if (bytes.size() < kSegmentHeaderBytes) return std::nullopt;
  bytes = bytes.substr(0, kSegmentHeaderBytes);
  if (!has_magic_and_checksum(bytes, kHeaderMagic)) return std::nullopt;
  if (number_at<uint16_t>(bytes, 8) != kLogVersion) return std::nullopt;
  SegmentHeader header;
  header.bytes = number_at<uint32_t>(bytes, 12);
  header.salt = number_at<uint64_t>(bytes, 16);
  header.number = number_at<uint64_t>(bytes, 24);
  header.first_sequence = number_at<uint64_t>(bytes, 32);
  header.next = number_at<uint64_t>(bytes, 40);
  header.term = number_at<uint64_t>(bytes, 48);
  header.vote = number_at<uint64_t>(bytes, 56);
  const bool plausible = header.bytes >= kSegmentHeaderBytes + kSealBytes && header.number > 0 &&
                         header.first_sequence > 0 && header.first_sequence < kMostIndex &&
                         header.next > 0 && header.next < kMostIndex;
  if (!plausible) return std::nullopt;
  return header;
}

std::string encode_seal(const SegmentHeader& header, std::uint64_t last_sequence) {
  std::string bytes(kSealBytes, '\0');
  put_le(bytes.data(), kSealMagic);
  put_le(bytes.data() + 8, header.salt);
  put_le(bytes.data() + 16, header.number + 1);
  put_le(bytes.data() + 24, last_sequence);
  put_checksum(bytes.data(), bytes.size());
  return bytes;
}

std::uint64_t record_size(const Append& append) {
  uint64_t size = kRecordHeaderBytes + kRecordFixedBytes;
  for (const Entry& entry : append.entries) size += record_bytes(entry);
  return size;
}

void encode_record(const Append& append, std::uint64_t salt, std::uint64_t sequence,
                   std::string& into) {
  into.assign(record_size(append), '\0');
  char* const record = into.data();
  put_le(record, kRecordMagic);
  put_le(record + 8, static_cast<uint32_t>(into.size() - kRecordHeaderBytes));
  put_le(record + 16, salt);
  put_le(record + 24, sequence);
  char* const payload = record + kRecordHeaderBytes;
  put_le(payload, uint64_t{append.term});
  put_le(payload + 8, uint64_t{append.vote});
  if (append.reset) {
    put_le(payload + 16, uint64_t{append.reset->first});
    put_le(payload + 24, uint64_t{append.reset->second});
    put_le(payload + 44, kHasReset);
  }
  put_le(payload + 32, uint64_t{append.first});
  put_le(payload + 40, static_cast<uint32_t>(append.entries.size()));
  char* to = payload + kRecordFixedBytes;
  for (const Entry& entry : append.entries) to = put_entry(to, entry);
  PAWL_ASSERT(to == into.data() + into.size());
  put_checksum(record, into.size());
}

std::optional<Record> whole_record(std::string_view bytes, std::uint64_t salt) {
  if (bytes.size() < kRecordHeaderBytes + kRecordFixedBytes) return std::nullopt;
  const uint64_t length = number_at<uint32_t>(bytes, 8);
  if (length < kRecordFixedBytes || length % kRecordAlignment != 0 ||
      length > bytes.size() - kRecordHeaderBytes || number_at<uint64_t>(bytes, 16) != salt) {
    return std::nullopt;
  }
  bytes = bytes.substr(0, kRecordHeaderBytes + length);
  if (!has_magic_and_checksum(bytes, kRecordMagic)) return std::nullopt;
  return Record{number_at<uint64_t>(bytes, 24), bytes.size(), bytes.substr(kRecordHeaderBytes)};
}

bool begins_later_record(std::string_view bytes, std::uint64_t salt, std::uint64_t sequence) {
  return bytes.size() >= kRecordHeaderBytes && number_at<uint32_t>(bytes, 0) == kRecordMagic &&
         number_at<uint64_t>(bytes, 16) == salt && number_at<uint64_t>(bytes, 24) > sequence;
}

ports::Result<Append, std::string> decode_payload(std::string_view payload) {
  PAWL_ASSERT(payload.size() >= kRecordFixedBytes);
  Append append;
  append.term = number_at<uint64_t>(payload, 0);
  append.vote = number_at<uint64_t>(payload, 8);
  append.first = number_at<uint64_t>(payload, 32);
  const uint32_t count = number_at<uint32_t>(payload, 40);
  const uint32_t flags = number_at<uint32_t>(payload, 44);
  if ((flags & ~kHasReset) != 0) return std::string("it has an unknown flag");
  if (flags == kHasReset) {
    append.reset.emplace(number_at<uint64_t>(payload, 16), number_at<uint64_t>(payload, 24));
  }
  payload.remove_prefix(kRecordFixedBytes);
  // Counted before memory is taken for them.
  if (count > payload.size() / kRecordEntryBytes) return std::string("it has too many entries");
  append.entries.resize(count);
  for (Entry& entry : append.entries) {
    if (auto reason = take_entry(payload, entry)) return *std::move(reason);
  }
  if (!payload.empty()) return std::string("something follows its entries");
  return append;
}

void change_salt(char* record, std::uint64_t size, std::uint64_t salt) {
  put_le(record + 16, salt);
  put_checksum(record, size);
}

}  // namespace pawl::engine
