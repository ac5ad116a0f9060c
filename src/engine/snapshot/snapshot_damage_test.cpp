// SPDX-License-Identifier: Apache-2.0
// A snapshot file that is not what was written is never loaded, and the fault says where it shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/bytes.h"
#include "codec/crc32c.h"
#include "engine/snapshot/snapshot_file.h"
#include "fuzz/support/forge.h"
#include "fuzz/support/samples.h"
#include "support/sim_disk.h"

namespace pawl::engine {
namespace {

using codec::testing::small_state;
using pawl::testing::Random;
using pawl::testing::SimDisk;
using ::testing::HasSubstr;

const SnapshotMark kMark{100, 2, 1, "membership"};
const std::string kPath = "snapshots/0000000000000064-0000000000000002";

std::string file_of(const SnapshotMark& mark, std::string_view pieces, std::uint64_t hash,
                    std::uint32_t rule_version = core::kRuleVersion) {
  std::string file = snapshot_header(mark, rule_version);
  file += pieces;
  return file + snapshot_end(file.size(), codec::crc32c(file), hash);
}

std::string file_of(const SnapshotMark& mark, const core::State& state) {
  return file_of(mark, codec::testing::snapshot_of(state), core::state_hash(state));
}

// With right checksums again, of the header and of the whole.
std::string resealed(std::string file) {
  const std::string_view all = file;
  const std::size_t at = codec::get_le<std::uint32_t>(file.data() + 12) - 4;
  codec::put_le(file.data() + at, codec::crc32c(all.substr(0, at)));
  codec::put_le(file.data() + file.size() - 4, codec::crc32c(all.substr(0, all.size() - 4)));
  return file;
}

ports::Result<LoadedSnapshot, Fault> load(const std::string& bytes) {
  Random random(1);
  SimDisk disk(random);
  disk.overwrite(kPath, bytes);
  return load_snapshot(disk, kPath, 1);
}

Fault refused(const std::string& bytes) {
  const auto loaded = load(bytes);
  EXPECT_FALSE(loaded);
  if (loaded) return {};
  EXPECT_EQ(loaded.fault().file, kPath);
  EXPECT_LE(loaded.fault().offset, bytes.size());
  EXPECT_FALSE(loaded.fault().what.empty() || loaded.fault().advice.empty());
  return loaded.fault();
}

TEST(SnapshotDamage, TheForgedFileIsTheOneThatIsWritten) {
  Random random(1);
  SimDisk disk(random);
  ASSERT_FALSE(disk.make_folder(kSnapshotFolder));
  const auto state = small_state();
  ASSERT_TRUE(write_snapshot(disk, kMark, *state));
  EXPECT_EQ(disk.contents(kPath), file_of(kMark, *state));
  EXPECT_EQ(resealed(file_of(kMark, *state)), file_of(kMark, *state));
}

TEST(SnapshotDamage, EveryFlippedBitIsFound) {
  std::string bytes = file_of(kMark, *small_state());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    const auto mask = static_cast<char>(1U << (bit % 8));
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
    SCOPED_TRACE("bit " + std::to_string(bit));
    ASSERT_EQ(refused(bytes).kind, FaultKind::damaged);
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
  }
  EXPECT_TRUE(load(bytes));
}

TEST(SnapshotDamage, EveryCutIsFound) {
  const std::string bytes = file_of(kMark, *small_state());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    SCOPED_TRACE(size);
    const Fault fault = refused(bytes.substr(0, size));
    ASSERT_EQ(fault.kind, FaultKind::damaged);
    EXPECT_THAT(fault.what, HasSubstr("cut off"));
    EXPECT_EQ(fault.offset, size);
  }
  EXPECT_THAT(refused(bytes + std::string(1, '\0')).what, HasSubstr("something follows"));
  EXPECT_THAT(refused(bytes + bytes).what, HasSubstr("something follows"));
  EXPECT_THAT(refused(bytes.substr(0, 512) + std::string(bytes.size() - 512, '\0')).what,
              HasSubstr("checksum"));
}

TEST(SnapshotDamage, ANewerVersionIsNotDamage) {
  std::string bytes = file_of(kMark, *small_state());
  codec::put_le(bytes.data() + 8, kSnapshotFileVersion + 1);
  const Fault fault = refused(resealed(bytes));
  EXPECT_EQ(fault.kind, FaultKind::newer);
  EXPECT_THAT(fault.what, HasSubstr("version 2, this build reads 1"));

  const auto state = small_state();
  const Fault rules = refused(file_of(kMark, codec::testing::snapshot_of(*state),
                                      core::state_hash(*state), core::kRuleVersion + 1));
  EXPECT_EQ(rules.kind, FaultKind::newer);
  EXPECT_THAT(rules.what, HasSubstr("rule version"));
}

TEST(SnapshotDamage, AHeaderThatSaysTheImpossibleIsRefusedThoughItsChecksumIsRight) {
  const std::string sound = file_of(kMark, *small_state());
  const auto with = [&](std::size_t at, auto value) {
    std::string bytes = sound;
    codec::put_le(bytes.data() + at, value);
    return resealed(bytes);
  };
  EXPECT_THAT(refused(with(8, std::uint32_t{0})).what, HasSubstr("version 0"));
  EXPECT_THAT(refused(with(12, std::uint32_t{24})).what, HasSubstr("too short"));
  EXPECT_THAT(refused(with(12, std::uint32_t{72})).what, HasSubstr("length of its membership"));
  EXPECT_THAT(refused(with(16, std::uint64_t{0})).what, HasSubstr("index 0"));
  EXPECT_THAT(refused(with(24, std::uint64_t{0})).what, HasSubstr("term 0"));
  EXPECT_THAT(refused(with(24, std::uint64_t{3})).what,
              HasSubstr("another snapshot than its name"));
  EXPECT_THAT(refused(with(32, std::uint64_t{101})).what, HasSubstr("later entry"));
  EXPECT_THAT(refused(with(40, ~std::uint32_t{0})).what, HasSubstr("length of its membership"));
  EXPECT_THAT(refused(with(40, std::uint32_t{9})).what, HasSubstr("padding is not zero"));
  EXPECT_THAT(refused(with(44, std::uint32_t{0})).what, HasSubstr("rule version"));
  for (const std::uint32_t length : {0U, 8U, 16U, 63U, 1U << 21, ~0U}) {
    std::string bytes = sound;
    codec::put_le(bytes.data() + 12, length);
    EXPECT_THAT(refused(bytes).what, HasSubstr("its header can't have"));
  }
}

TEST(SnapshotDamage, AnEndThatDoesNotFitIsRefusedThoughItsChecksumIsRight) {
  const std::string sound = file_of(kMark, *small_state());
  const auto with = [&](std::size_t from_end, auto value) {
    std::string bytes = sound;
    codec::put_le(bytes.data() + bytes.size() - from_end, value);
    return resealed(bytes);
  };
  EXPECT_THAT(refused(with(24, std::uint64_t{1})).what, HasSubstr("not as long"));
  EXPECT_THAT(refused(with(16, std::uint64_t{1})).what, HasSubstr("hash"));
  EXPECT_THAT(refused(with(8, std::uint32_t{1})).what, HasSubstr("reserved"));
}

TEST(SnapshotDamage, AMissingOrStrangePieceIsRefusedThoughAllChecksumsAreRight) {
  const auto state = small_state();
  const std::string pieces = codec::testing::snapshot_of(*state);
  const std::uint64_t hash = core::state_hash(*state);
  EXPECT_THAT(refused(file_of(kMark, "", hash)).what, HasSubstr("piece 0: missing"));
  EXPECT_THAT(refused(file_of(kMark, pieces + pieces, hash)).what,
              HasSubstr("piece 1: comes after the last"));
  const Fault strange = refused(file_of(kMark, pieces + std::string(40, 'x'), hash));
  EXPECT_THAT(strange.what, HasSubstr("piece 1: not a piece"));
  EXPECT_EQ(strange.offset, snapshot_header(kMark, 1).size() + pieces.size());
}

TEST(SnapshotDamage, AnotherFilesSnapshotUnderThisNameIsRefused) {
  const auto state = small_state();
  const Fault fault = refused(file_of({100, 3, 1, "membership"}, *state));
  EXPECT_EQ(fault.kind, FaultKind::damaged);
  EXPECT_THAT(fault.what, HasSubstr("0000000000000064-0000000000000003"));
}

TEST(SnapshotDamage, MembershipsOfAnyLengthComeBack) {
  const auto state = small_state();
  for (std::size_t length = 0; length <= 20; ++length) {
    const SnapshotMark mark{100, 2, 0, std::string(length, 'm')};
    const auto loaded = load(file_of(mark, *state));
    ASSERT_TRUE(loaded) << to_text(loaded.fault());
    EXPECT_EQ(loaded.value().mark, mark);
  }
}

TEST(SnapshotDamage, HoweverTheBytesAreCutUpTheParserComesToTheSame) {
  const auto state = small_state();
  const std::string bytes = file_of(kMark, *state);
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{41}, bytes.size()}) {
    SnapshotFileParser parser(kPath, 1);
    std::size_t taken = 0;
    for (std::size_t end = chunk; taken < bytes.size(); end += chunk) {
      end = std::min(end, bytes.size());
      const auto more = parser.take(std::string_view(bytes).substr(taken, end - taken));
      ASSERT_TRUE(more) << to_text(more.fault());
      taken += more.value();
    }
    const auto loaded = parser.finish(0);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(core::state_hash(*loaded.value().state), core::state_hash(*state));
  }
}

}  // namespace
}  // namespace pawl::engine
