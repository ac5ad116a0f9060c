// SPDX-License-Identifier: Apache-2.0
// The bytes of the log: segment headers, records and seals (docs/formats/log.md). Pure functions,
// thread-safe. Whatever the bytes are, reading them returns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/log/log.h"

namespace pawl::engine {

inline constexpr std::uint16_t kLogVersion = 1;
inline constexpr std::uint64_t kSegmentHeaderBytes = 64;
inline constexpr std::uint64_t kSealBytes = 32;
inline constexpr std::uint64_t kRecordHeaderBytes = 32;
inline constexpr std::uint64_t kRecordFixedBytes = 48;  // of the payload, before the entries
inline constexpr std::uint64_t kRecordEntryBytes = 16;  // before an entry's bytes
inline constexpr std::uint64_t kRecordAlignment = 8;
// Far beyond any log, and far from where arithmetic wraps.
inline constexpr std::uint64_t kMostIndex = std::uint64_t{1} << 62;

// What a segment begins with: the state of the log before its first record.
struct SegmentHeader {
  std::uint32_t bytes = 0;   // of the whole file
  std::uint64_t salt = 0;    // in each of its records: bytes that a client chose can't know it
  std::uint64_t number = 0;  // the file's name
  std::uint64_t first_sequence = 0;  // of its first record, there or not yet
  Index next = 0;                    // of the next entry
  Term term = 0;
  NodeId vote = 0;
  friend bool operator==(const SegmentHeader&, const SegmentHeader&) = default;
};

std::string encode_header(const SegmentHeader& header);
// Nothing if that is no header. Of the bytes the first kSegmentHeaderBytes count.
std::optional<SegmentHeader> decode_header(std::string_view bytes);
bool is_newer_header(std::string_view bytes);

// The last bytes of a segment that another one follows. Written once that one is on disk under its
// name: so a seal without a next segment shows that the end of the log is missing.
std::string encode_seal(const SegmentHeader& header, std::uint64_t last_sequence);

// What an append takes in a segment.
std::uint64_t record_size(const Append& append);
// `into` is replaced; its memory is used again.
void encode_record(const Append& append, std::uint64_t salt, std::uint64_t sequence,
                   std::string& into);

struct Record {
  std::uint64_t sequence = 0;
  std::uint64_t size = 0;  // header and payload
  std::string_view payload;
};
// The record that `bytes` begin with: whole, of this salt, and its checksum is right.
std::optional<Record> whole_record(std::string_view bytes, std::uint64_t salt);
// Whether they begin with a record's header, of this salt, with a higher sequence number; the rest
// of it need not be there. The writer begins a record only once those before are on disk.
bool begins_later_record(std::string_view bytes, std::uint64_t salt, std::uint64_t sequence);

// What a whole record says; a reason if it can't be read.
ports::Result<Append, std::string> decode_payload(std::string_view payload);

// Gives a whole record, `size` bytes at `record`, another segment's salt.
void change_salt(char* record, std::uint64_t size, std::uint64_t salt);

}  // namespace pawl::engine
