// SPDX-License-Identifier: Apache-2.0
// What SnapshotParser refuses, and what it says then: damaged, missing and foreign pieces.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/bytes.h"
#include "codec/pawl.pb.h"
#include "codec/piece.h"
#include "codec/snapshot.h"
#include "core/step.h"
#include "fuzz/support/forge.h"
#include "fuzz/support/samples.h"

namespace pawl::codec {
namespace {

using namespace pawl::core;
using namespace std::chrono_literals;
using Pieces = std::vector<std::string>;

std::string refusal(const Pieces& pieces) {
  SnapshotParser parser;
  for (const std::string& piece : pieces) {
    if (auto bad = parser.add_piece(piece)) return bad->reason;
  }
  const auto state = parser.finish();
  return state.ok() ? "(none)" : state.error().reason;
}

// Four pieces: long texts, so that few leases are enough.
Pieces several(char filler = 'x') {
  State state;
  SetLimits limits;
  limits.limits.max_metadata_bytes = 65'536;
  step(state, {Time{}, limits});
  for (int i = 0; i < 8; ++i) {
    Acquire request = testing::full_acquire();
    request.id = LeaseId("lease-000" + std::to_string(i));
    request.terms.permits.count = 1;
    request.metadata = {{"text", std::string(60'000, filler)}};
    step(state, {Time{}, request});
  }
  Pieces pieces;
  SnapshotWriter writer(state);
  while (auto piece = writer.next_piece()) pieces.push_back(*std::move(piece));
  return pieces;
}

TEST(SnapshotRefusal, EveryFlippedBitIsSeen) {
  const std::string sound = testing::snapshot_of(*testing::small_state());
  ASSERT_TRUE(read_snapshot(sound).ok());
  for (std::size_t bit = 0; bit < sound.size() * 8; ++bit) {
    std::string damaged = sound;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    ASSERT_FALSE(read_snapshot(damaged).ok()) << "bit " << bit;
    SnapshotParser parser;
    const auto bad = parser.add_piece(damaged);
    ASSERT_TRUE(bad) << "bit " << bit;
    ASSERT_TRUE(bad->reason.starts_with("piece 0: ")) << bad->reason;
  }
}

TEST(SnapshotRefusal, EveryCutIsSeen) {
  const std::string sound = testing::snapshot_of(*testing::small_state());
  for (std::size_t size = 0; size < sound.size(); ++size) {
    const std::string_view cut = std::string_view(sound).substr(0, size);
    ASSERT_FALSE(read_snapshot(cut).ok()) << size;
    SnapshotParser parser;
    const auto bad = parser.add_piece(cut);
    ASSERT_TRUE(bad) << size;
    EXPECT_EQ(bad->offset, size);
    EXPECT_TRUE(bad->reason.starts_with("piece 0: cut off: ")) << bad->reason;
  }
}

TEST(SnapshotRefusal, SaysWhatIsWrongWithAFrame) {
  const std::string sound = testing::snapshot_of(*testing::small_state());
  const auto with = [&](std::size_t at, auto number) {
    std::string piece = sound;
    put_le(piece.data() + at, number);
    return refusal({piece});
  };
  EXPECT_EQ(refusal({}), "piece 0: missing, the last one has not come");
  EXPECT_EQ(refusal({std::string(99, '\0')}), "piece 0: not a piece of a snapshot of Pawl");
  EXPECT_EQ(with(4, std::uint16_t{0}), "piece 0: version 0 was never written");
  EXPECT_EQ(with(4, std::uint16_t{2}),
            "piece 0: written by a newer Pawl: version 2, this build reads 1");
  EXPECT_EQ(with(6, std::uint16_t{1}), "piece 0: reserved bytes are not zero");
  EXPECT_EQ(with(24, ~std::uint32_t{0}), "piece 0: longer than 4194304 bytes");
  EXPECT_EQ(with(24, std::uint32_t{1}), "piece 0: something follows it");
  EXPECT_EQ(with(8, std::uint64_t{1}), "piece 0: the checksum is wrong");
  EXPECT_EQ(refusal({sound + 'x'}), "piece 0: something follows it");
}

TEST(SnapshotRefusal, PiecesComeInOrderAndOnce) {
  const Pieces all = several();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(refusal(all), "(none)");
  EXPECT_EQ(refusal({all[0], all[1]}), "piece 2: missing, the last one has not come");
  EXPECT_EQ(refusal({all[1], all[2]}), "piece 0: piece 1 came in its place");
  EXPECT_EQ(refusal({all[0], all[2]}), "piece 1: piece 2 came in its place");
  EXPECT_EQ(refusal({all[0], all[0]}), "piece 1: piece 0 came in its place");
  EXPECT_EQ(refusal({all[0], all[2], all[1]}), "piece 1: piece 2 came in its place");
  EXPECT_EQ(refusal({all[0], all[1], all[2], all[2]}), "piece 3: comes after the last");
}

TEST(SnapshotRefusal, PiecesOfAnotherSnapshotAreForeign) {
  const Pieces all = several('x');
  const Pieces other = several('y');
  EXPECT_EQ(refusal({all[0], other[1], all[2]}), "piece 1: belongs to another snapshot");
  EXPECT_EQ(refusal({all[0], all[1], other[2]}), "piece 2: belongs to another snapshot");
  // Even if it says that it is of this one.
  std::string disguised = other[1];
  PieceHeader header = read_header(disguised);
  header.state_hash = read_header(all[1]).state_hash;
  seal_piece(disguised, header);
  EXPECT_EQ(refusal({all[0], disguised, all[2]}), "piece 1: does not follow the pieces before it");
}

TEST(SnapshotRefusal, TheLastPieceKnowsHowManyThereAre) {
  Pieces all = several();
  PieceHeader header = read_header(all[2]);
  header.pieces = 5;
  seal_piece(all[2], header);
  EXPECT_EQ(refusal(all), "piece 2: is the last of 5");
  all = several();
  header = read_header(all[1]);
  header.pieces = 2;
  seal_piece(all[1], header);
  EXPECT_EQ(refusal({all[0], all[1]}), "records are missing");
}

TEST(SnapshotRefusal, NothingIsTakenAfterARefusal) {
  const Pieces all = several();
  SnapshotParser parser;
  ASSERT_EQ(parser.add_piece(all[0]), std::nullopt);
  const auto first = parser.add_piece(all[2]);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->offset, all[0].size());
  EXPECT_EQ(parser.add_piece(all[1]), first);
  const auto state = parser.finish();
  ASSERT_FALSE(state.ok());
  EXPECT_EQ(state.error(), *first);
}

TEST(SnapshotRefusal, IsReadOnce) {
  SnapshotParser parser;
  ASSERT_EQ(parser.add_piece(testing::snapshot_of(*testing::small_state())), std::nullopt);
  EXPECT_TRUE(parser.finish().ok());
  EXPECT_FALSE(parser.finish().ok());
}

TEST(SnapshotRefusal, AWholeSnapshotIsSplitOnlyWhereItHasPieces) {
  const Pieces all = several();
  const std::string whole = all[0] + all[1] + all[2];
  EXPECT_EQ(split_pieces("").value().size(), 0U);
  EXPECT_EQ(split_pieces(whole).value().size(), 3U);
  const auto cut = split_pieces(std::string_view(whole).substr(0, whole.size() - 1));
  ASSERT_FALSE(cut.ok());
  EXPECT_TRUE(cut.error().reason.starts_with("piece 2: cut off: ")) << cut.error().reason;
  EXPECT_EQ(cut.error().offset, whole.size() - 1);
  const auto more = split_pieces(whole + "more than a header is long, and more, and more");
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.error().reason, "piece 3: not a piece of a snapshot of Pawl");
  EXPECT_FALSE(piece_size("PWLS").ok());
}

TEST(SnapshotRefusal, RecordsAreCounted) {
  std::string piece = testing::snapshot_of(*testing::small_state());
  PieceHeader header = read_header(piece);
  ++header.records;
  seal_piece(piece, header);
  const std::string count = std::to_string(header.records - 1);
  EXPECT_EQ(refusal({piece}),
            "piece 0: has " + count + " records and should have " + std::to_string(header.records));
}

TEST(SnapshotRefusal, ThePayloadIsARowOfRecords) {
  const auto framed = [](std::string_view payload) {
    return refusal({testing::frame_snapshot(payload, 0)});
  };
  EXPECT_EQ(framed("x"), "piece 0: the payload is not a row of records");
  EXPECT_EQ(framed(std::string("\x32\x00", 2)),
            "piece 0: record 1: is of a kind that this build does not know");
  EXPECT_EQ(framed("\x0a\x02\x08\x80"),
            "piece 0: record 1: is not in the form in which it is written");
  EXPECT_EQ(framed(""), "the head is missing");
}

}  // namespace
}  // namespace pawl::codec
