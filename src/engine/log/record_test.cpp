// SPDX-License-Identifier: Apache-2.0
#include "engine/log/record.h"

#include <gtest/gtest.h>

#include "codec/bytes.h"
#include "codec/crc32c.h"
#include "engine/log/log_lab.h"
#include "engine/log/segment.h"

namespace pawl::engine {
namespace {

using testing::entry_of;

Append sample() {
  Append append;
  append.term = 7;
  append.vote = 3;
  append.reset.emplace(40, 6);
  append.first = 41;
  append.entries = {entry_of(6, "hello"), entry_of(7, "", EntryKind::barrier),
                    entry_of(7, std::string(8, '\0'), EntryKind::change)};
  return append;
}

SegmentHeader sample_header() {
  SegmentHeader header;
  header.bytes = 4096;
  header.salt = 0x0123'4567'89ab'cdef;
  header.number = 5;
  header.first_sequence = 900;
  header.next = 41;
  header.term = 7;
  header.vote = 3;
  return header;
}

TEST(Record, IsReadAsItWasWritten) {
  std::string bytes = "left over";
  encode_record(sample(), 99, 12, bytes);
  EXPECT_EQ(bytes.size(), record_size(sample()));
  EXPECT_EQ(bytes.size() % kRecordAlignment, 0U);
  const std::string longer = bytes + "more";
  const auto record = whole_record(longer, 99);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->sequence, 12U);
  EXPECT_EQ(record->size, bytes.size());
  auto append = decode_payload(record->payload);
  ASSERT_TRUE(append.ok());
  EXPECT_EQ(append.value().term, 7U);
  EXPECT_EQ(append.value().vote, 3U);
  EXPECT_EQ(append.value().reset, sample().reset);
  EXPECT_EQ(append.value().first, 41U);
  ASSERT_EQ(append.value().entries.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(testing::same(append.value().entries[i], sample().entries[i]));
  }
}

TEST(Record, IsNotWholeIfAnyBitIsWrong) {
  std::string bytes;
  encode_record(sample(), 99, 12, bytes);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(whole_record(flipped, 99)) << "bit " << bit;
  }
}

TEST(Record, IsNotWholeIfItIsCutOffOrOfAnotherSegment) {
  std::string bytes;
  encode_record(sample(), 99, 12, bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(whole_record(std::string_view(bytes).substr(0, size), 99)) << size;
  }
  EXPECT_FALSE(whole_record(bytes, 98));
}

TEST(Record, TakesAnotherSalt) {
  std::string bytes;
  encode_record(sample(), 99, 12, bytes);
  change_salt(bytes.data(), bytes.size(), 5);
  EXPECT_FALSE(whole_record(bytes, 99));
  std::string same;
  encode_record(sample(), 5, 12, same);
  EXPECT_EQ(bytes, same);
}

TEST(Record, ShowsThatItWasBegunEvenIfItIsTorn) {
  std::string bytes;
  encode_record(sample(), 99, 12, bytes);
  bytes.resize(kRecordHeaderBytes);
  EXPECT_TRUE(begins_later_record(bytes, 99, 11));
  EXPECT_FALSE(begins_later_record(bytes, 99, 12));
  EXPECT_FALSE(begins_later_record(bytes, 98, 11));
  EXPECT_FALSE(begins_later_record(bytes.substr(1), 99, 11));
}

TEST(Header, IsReadAsItWasWritten) {
  const std::string bytes = encode_header(sample_header());
  EXPECT_EQ(bytes.size(), kSegmentHeaderBytes);
  EXPECT_EQ(decode_header(bytes), sample_header());
  EXPECT_FALSE(is_newer_header(bytes));
}

TEST(Header, IsRefusedIfAnyBitIsWrong) {
  const std::string bytes = encode_header(sample_header());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(decode_header(flipped)) << "bit " << bit;
  }
}

TEST(Header, OfANewerVersionIsKnownAsSuch) {
  std::string bytes = encode_header(sample_header());
  bytes[8] = 2;
  EXPECT_FALSE(is_newer_header(bytes));  // a flipped bit
  codec::put_le(bytes.data() + 4, codec::crc32c(std::string_view(bytes).substr(8, 56)));
  EXPECT_TRUE(is_newer_header(bytes));
}

// The bytes of docs/formats/log.md: a change of them is a new version.
TEST(Format, IsTheDocumentedOne) {
  const std::string header = encode_header(sample_header());
  EXPECT_EQ(header.substr(0, 4), "PLSG");
  EXPECT_EQ(header.substr(8, 8), std::string("\1\0\0\0\0\x10\0\0", 8));
  EXPECT_EQ(header.substr(16, 8), "\xef\xcd\xab\x89\x67\x45\x23\x01");
  std::string record;
  encode_record(sample(), 99, 12, record);
  EXPECT_EQ(record.substr(0, 4), "PLRC");
  EXPECT_EQ(record.size(), 32U + 48 + (16 + 8) + 16 + (16 + 8));
  EXPECT_EQ(record.substr(32 + 48 + 16, 8), std::string("hello\0\0\0", 8));
  EXPECT_EQ(encode_seal(sample_header(), 950).substr(0, 4), "PLSL");
}

TEST(SegmentNames, AreSixteenHexDigits) {
  EXPECT_EQ(segment_name(0x1f), "000000000000001f");
  EXPECT_EQ(segment_number("000000000000001f"), 0x1fU);
  for (const char* name : {"", "1f", "000000000000001F", "000000000000001g", "0000000000000001f"}) {
    EXPECT_FALSE(segment_number(name)) << name;
  }
  EXPECT_TRUE(is_spare_name("000000000000001f.tmp"));
  EXPECT_FALSE(is_spare_name("notes.tmp"));
}

}  // namespace
}  // namespace pawl::engine
