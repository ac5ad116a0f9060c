// SPDX-License-Identifier: Apache-2.0
#include "engine/data_folder.h"

#include <gtest/gtest.h>

#include <string>

#include "codec/crc32c.h"
#include "support/random.h"
#include "support/sim_disk.h"

namespace pawl::engine {
namespace {

using testing::CrashKind;

struct TestRandom final : ports::Random {
  std::uint64_t next() override { return random.next(); }
  testing::Random random{7};
};

class DataFolderTest : public ::testing::Test {
 protected:
  DataFolderTest() { log.segment_bytes = 256 << 10; }

  ports::Result<FolderInfo, Fault> prepare() {
    return prepare_folder(disk, random, log, Membership{{{1, "self", Role::voter}}});
  }
  FolderInfo made() {
    const auto info = prepare();
    EXPECT_TRUE(info.ok() && info.value().made_now);
    return info.ok() ? info.value() : FolderInfo{};
  }
  Fault refusal() {
    const auto info = prepare();
    EXPECT_FALSE(info.ok());
    return info.ok() ? Fault{} : info.fault();
  }
  void write_format(const std::string& lines) {
    char checksum[9];
    std::snprintf(checksum, sizeof checksum, "%08x", codec::crc32c(lines));
    disk.overwrite("FORMAT", lines + "crc32c " + checksum + "\n");
  }
  void append_one_more_entry() {
    auto opened = Log::open(disk, random, log, false);
    ASSERT_TRUE(opened.ok());
    ASSERT_FALSE(opened.value().log->append(
        {2, 1, {}, 2, {{2, EntryKind::barrier, std::make_shared<const std::string>()}}}));
  }

  testing::Random chance{5};
  testing::SimDisk disk{chance};
  TestRandom random;
  LogOptions log;
};

TEST_F(DataFolderTest, AnEmptyFolderIsMadeOneAndFoundAgain) {
  disk.overwrite("LOCK", "123\n");
  disk.overwrite("lost+found/1", "a new file system has this");
  const FolderInfo first = made();
  EXPECT_NE(first.incarnation, 0U);
  const auto again = prepare();
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(again.value().made_now);
  EXPECT_EQ(again.value().format, 1U);
  EXPECT_EQ(again.value().incarnation, first.incarnation);
}

TEST_F(DataFolderTest, FormatIsTextThatSaysWhatItIs) {
  const FolderInfo info = made();
  char incarnation[17];
  std::snprintf(incarnation, sizeof incarnation, "%016llx",
                static_cast<unsigned long long>(info.incarnation));
  const std::string text = disk.contents("FORMAT");
  EXPECT_EQ(text.substr(0, text.find("crc32c")),
            "pawl data folder\nformat 1\nincarnation " + std::string(incarnation) + "\n");
  EXPECT_EQ(text.size(), 71U);
}

TEST_F(DataFolderTest, NoTwoFoldersHaveTheSameIncarnation) {
  testing::SimDisk other{chance};
  const auto second = prepare_folder(other, random, log, Membership{{{1, "self", Role::voter}}});
  ASSERT_TRUE(second.ok());
  EXPECT_NE(made().incarnation, second.value().incarnation);
}

// Whenever the machine goes down while the folder is made, the next start makes it whole; and once
// it has been said to be made, it stays the same one, whatever happens.
TEST_F(DataFolderTest, ACrashAtAnyMomentOfTheMakingDoesNotMatter) {
  for (const CrashKind kind : {CrashKind::killed, CrashKind::power_loss}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      bool crashed = true;
      for (std::uint64_t n = 1; crashed; ++n) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", operation " + std::to_string(n));
        testing::Random its_chance(seed);
        testing::SimDisk its_disk(its_chance);
        const auto try_it = [&] {
          return prepare_folder(its_disk, random, log, Membership{{{1, "self", Role::voter}}});
        };
        crashed = false;
        its_disk.crash_at(n, kind);
        try {
          ASSERT_TRUE(try_it().ok());
        } catch (const testing::SimCrash&) {
          crashed = true;
        }
        its_disk.heal();
        const auto after = try_it();
        ASSERT_TRUE(after.ok()) << to_text(after.fault());
        its_disk.crash(CrashKind::power_loss);
        const auto later = try_it();
        ASSERT_TRUE(later.ok()) << to_text(later.fault());
        ASSERT_FALSE(later.value().made_now);
        ASSERT_EQ(later.value().incarnation, after.value().incarnation);
      }
    }
  }
}

TEST_F(DataFolderTest, AFailingDiskIsReportedAndTheNextStartGoesOn) {
  for (std::uint64_t n = 1;; ++n) {
    testing::SimDisk its_disk(chance);
    const auto try_it = [&] {
      return prepare_folder(its_disk, random, log, Membership{{{1, "self", Role::voter}}});
    };
    its_disk.fail_at(n, true);
    const auto failed = try_it();
    if (failed.ok()) break;
    EXPECT_EQ(failed.fault().kind, FaultKind::disk) << to_text(failed.fault());
    its_disk.heal();
    its_disk.crash(CrashKind::power_loss);
    const auto healed = try_it();
    ASSERT_TRUE(healed.ok()) << n << ": " << to_text(healed.fault());
  }
}

TEST_F(DataFolderTest, AFolderWithSomethingElseInItIsLeftAlone) {
  disk.overwrite("thesis.tex", "years of work");
  const Fault fault = refusal();
  EXPECT_EQ(fault.kind, FaultKind::foreign);
  EXPECT_EQ(to_text(fault),
            "The folder is not a data folder of Pawl: it holds thesis.tex and no FORMAT file. Name "
            "another folder, or an empty one.");
  EXPECT_EQ(disk.files(), (std::vector<std::string>{"thesis.tex"}));
}

TEST_F(DataFolderTest, WhatPeoplePutBesideADataFolderIsTheirs) {
  made();
  disk.overwrite("notes.txt", "x");
  EXPECT_TRUE(prepare().ok());
}

TEST_F(DataFolderTest, ANewerFormatIsRefusedWithBothVersions) {
  made();
  write_format("pawl data folder\nformat 12\nsomething new\n");
  const Fault fault = refusal();
  EXPECT_EQ(fault.kind, FaultKind::newer);
  EXPECT_EQ(fault.file, "FORMAT");
  EXPECT_EQ(fault.what,
            "the data folder has format 12, and this version of Pawl knows only formats up to 1");
  write_format("pawl data folder\nformat 99999999999999\n");
  EXPECT_EQ(refusal().kind, FaultKind::newer);
}

TEST_F(DataFolderTest, EveryFlippedBitOfFormatIsFound) {
  made();
  const std::string whole = disk.contents("FORMAT");
  for (std::uint64_t bit = 0; bit < whole.size() * 8; ++bit) {
    disk.flip_bit("FORMAT", bit);
    const Fault fault = refusal();
    ASSERT_EQ(fault.kind, FaultKind::damaged) << "bit " << bit;
    ASSERT_EQ(fault.file, "FORMAT");
    ASSERT_LE(fault.offset, bit < 24 * 8 ? bit / 8 : whole.size() - 16);
    disk.overwrite("FORMAT", whole);
  }
  EXPECT_TRUE(prepare().ok());
}

TEST_F(DataFolderTest, AFormatThatIsCutOrOfAnotherFormIsDamage) {
  made();
  const std::string whole = disk.contents("FORMAT");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    disk.overwrite("FORMAT", whole.substr(0, size));
    ASSERT_EQ(refusal().kind, FaultKind::damaged) << "size " << size;
  }
  for (const char* lines :
       {"pawl data folder\nformat \n", "pawl data folder\nformat 0\nincarnation 0123456789abcdef\n",
        "pawl data folder\nformat 1\n",
        "pawl data folder\nformat 01\nincarnation 0123456789abcdef\n",
        "pawl data folder\nformat 1\nincarnation 0123456789ABCDEF\n",
        "pawl data folder\nformat 1\nincarnation 0123456789abcdef\nmore\n"}) {
    write_format(lines);
    EXPECT_EQ(refusal().kind, FaultKind::damaged) << lines;
  }
}

TEST_F(DataFolderTest, AFolderThatLostItsLogIsRefusedAndNotMadeAnew) {
  made();
  for (const std::string& path : disk.files()) {
    if (path.starts_with("log/")) disk.erase(path);
  }
  const Fault fault = refusal();
  EXPECT_EQ(fault.kind, FaultKind::damaged);
  EXPECT_EQ(fault.what, "the data folder has lost its log");
}

TEST_F(DataFolderTest, AFolderThatLostItsSnapshotsIsRefused) {
  const std::string format = (made(), disk.contents("FORMAT"));
  testing::SimDisk other(chance);
  other.overwrite("FORMAT", format);
  other.overwrite("log/0000000000000001", "x");
  const auto info = prepare_folder(other, random, log, Membership{{{1, "self", Role::voter}}});
  ASSERT_FALSE(info.ok());
  EXPECT_EQ(info.fault().what, "the data folder has lost its folder of snapshots");
}

TEST_F(DataFolderTest, AUsedFolderThatLostItsFormatIsRefusedAndNotMadeAnew) {
  made();
  const std::string format = disk.contents("FORMAT");
  disk.overwrite("snapshots/0000000000000002-0000000000000001", "x");
  disk.erase("FORMAT");
  EXPECT_NE(refusal().what.find("it has been used, for it has snapshots"), std::string::npos);
  disk.erase("snapshots/0000000000000002-0000000000000001");

  append_one_more_entry();
  const Fault fault = refusal();
  EXPECT_EQ(fault.kind, FaultKind::damaged);
  EXPECT_NE(fault.what.find("there is more in its log"), std::string::npos) << fault.what;

  disk.overwrite("FORMAT", format);
  EXPECT_TRUE(prepare().ok());
}

}  // namespace
}  // namespace pawl::engine
