// SPDX-License-Identifier: Apache-2.0
#include "support/sim_disk.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace pawl::testing {
namespace {

std::unique_ptr<ports::File> made(SimDisk& disk, const std::string& path) {
  auto file = disk.create(path);
  EXPECT_TRUE(file.ok());
  return std::move(file).value();
}

// A file with durable bytes and a durable name.
std::unique_ptr<ports::File> safe(SimDisk& disk, const std::string& path, std::string_view bytes) {
  auto file = made(disk, path);
  EXPECT_FALSE(file->write(0, bytes));
  EXPECT_FALSE(file->sync());
  EXPECT_FALSE(disk.sync_folder(""));
  return file;
}

TEST(SimDisk, WhatIsSyncedWithItsNameSurvivesEverything) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    SimDisk disk(random);
    const auto file = safe(disk, "a", "bytes");
    disk.crash(seed % 2 == 0 ? CrashKind::power_loss : CrashKind::killed);
    EXPECT_EQ(disk.contents("a"), "bytes") << "seed " << seed;
  }
}

TEST(SimDisk, AnUnsyncedWriteIsKeptLostOrTorn) {
  std::set<std::string> seen;
  const std::string before(2048, 'a');
  const std::string after(2048, 'b');
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    SimDisk disk(random);
    const auto file = safe(disk, "a", before);
    EXPECT_FALSE(file->write(0, after));
    disk.crash(CrashKind::power_loss);
    const std::string bytes = disk.contents("a");
    for (std::size_t i = 0; i < bytes.size(); i += 512) {
      EXPECT_EQ(bytes.substr(i, 512), std::string(512, bytes[i]));
    }
    seen.insert(bytes);
  }
  EXPECT_TRUE(seen.contains(before) && seen.contains(after));
  EXPECT_EQ(seen.size(), 16U);
}

TEST(SimDisk, AGrowingFileMayKeepItsSizeWithZeros) {
  std::set<std::size_t> sizes;
  bool zeros = false;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    SimDisk disk(random);
    const auto file = safe(disk, "a", "");
    EXPECT_FALSE(file->write(0, std::string(1024, 'b')));
    disk.crash(CrashKind::power_loss);
    sizes.insert(disk.contents("a").size());
    zeros |= disk.contents("a") == std::string(1024, '\0');
  }
  EXPECT_EQ(sizes, (std::set<std::size_t>{0, 512, 1024}));
  EXPECT_TRUE(zeros);
}

TEST(SimDisk, AFileWhoseNameIsNotSyncedMayVanishAndNamesSurviveInOrder) {
  std::set<std::vector<std::string>> seen;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    SimDisk disk(random);
    const auto file = made(disk, "a");
    EXPECT_FALSE(file->sync());
    EXPECT_FALSE(disk.rename("a", "b"));
    const auto other = made(disk, "c");
    EXPECT_FALSE(disk.remove("b"));
    disk.crash(CrashKind::power_loss);
    seen.insert(disk.files());
  }
  EXPECT_EQ(seen, (std::set<std::vector<std::string>>{{}, {"a"}, {"b"}, {"b", "c"}, {"c"}}));
}

TEST(SimDisk, AKilledProcessLeavesItsWritesVisibleButNotSafe) {
  bool lost = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    SimDisk disk(random);
    const auto file = safe(disk, "a", "old");
    EXPECT_FALSE(file->write(0, "new"));
    disk.crash(CrashKind::killed);
    EXPECT_EQ(disk.contents("a"), "new");
    disk.crash(CrashKind::power_loss);
    lost |= disk.contents("a") == "old";
  }
  EXPECT_TRUE(lost);
}

TEST(SimDisk, FilesOpenedBeforeACrashAreDead) {
  Random random(1);
  SimDisk disk(random);
  const auto file = safe(disk, "a", "bytes");
  disk.crash(CrashKind::killed);
  char byte = 0;
  EXPECT_TRUE(file->write(0, "x"));
  EXPECT_TRUE(file->sync());
  EXPECT_FALSE(file->size().ok());
  EXPECT_FALSE(file->read(0, {&byte, 1}).ok());
  EXPECT_EQ(disk.contents("a"), "bytes");
}

TEST(SimDisk, EveryOperationCanBeTheLast) {
  const auto story = [](SimDisk& disk) {
    ASSERT_FALSE(disk.make_folder("f"));
    const auto file = made(disk, "f/a");
    ASSERT_FALSE(file->write(0, "x"));
    ASSERT_FALSE(file->sync());
    ASSERT_FALSE(disk.rename("f/a", "f/b"));
    ASSERT_FALSE(disk.sync_folder("f"));
    ASSERT_FALSE(disk.remove("f/b"));
  };
  Random random(1);
  SimDisk whole(random);
  story(whole);
  EXPECT_EQ(whole.operations(), 7U);
  for (std::uint64_t n = 1; n <= 7; ++n) {
    SimDisk disk(random);
    disk.crash_at(n, CrashKind::power_loss);
    EXPECT_THROW(story(disk), SimCrash);
    EXPECT_EQ(disk.operations(), n);
  }
}

TEST(SimDisk, AFailureLastsUntilItIsHealed) {
  Random random(1);
  SimDisk disk(random);
  const auto file = safe(disk, "a", "old");
  disk.fail_at(2, true);
  EXPECT_FALSE(file->write(0, "new"));
  const ports::DiskStatus full = file->write(3, "er");
  ASSERT_TRUE(full);
  EXPECT_TRUE(full->full);
  EXPECT_EQ(full->reason, "No space left on device");
  EXPECT_TRUE(disk.sync_folder(""));
  EXPECT_FALSE(disk.create("b").ok());
  disk.heal();
  EXPECT_FALSE(file->write(0, "new"));
}

TEST(SimDisk, WhatAFailedSyncWasToSaveIsSeenButNotSafe) {
  std::set<std::string> after;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    SimDisk disk(random);
    const auto file = safe(disk, "a", "old");
    EXPECT_FALSE(file->write(0, "new"));
    disk.fail_at(1, false);
    EXPECT_EQ(file->sync()->reason, "Input/output error");
    disk.heal();
    EXPECT_EQ(disk.contents("a"), "new");
    EXPECT_FALSE(file->sync());
    disk.crash(CrashKind::power_loss);
    after.insert(disk.contents("a"));
  }
  EXPECT_EQ(after, (std::set<std::string>{"old", "new"}));
}

TEST(SimDisk, SpaceIsLimited) {
  Random random(1);
  SimDisk disk(random);
  disk.set_space(10);
  const auto file = made(disk, "a");
  EXPECT_FALSE(file->write(0, "12345678"));
  EXPECT_FALSE(file->write(0, "abcdefgh"));
  EXPECT_TRUE(file->write(8, "12345")->full);
  EXPECT_EQ(disk.contents("a").size(), 10U);
  EXPECT_FALSE(disk.remove("a"));
  const auto other = made(disk, "b");
  EXPECT_FALSE(other->write(0, "12345"));
}

TEST(SimDisk, FailuresHaveTheSystemsNames) {
  Random random(1);
  SimDisk disk(random);
  const auto file = safe(disk, "a", "old");
  EXPECT_TRUE(disk.open("b").fault().not_found);
  EXPECT_TRUE(disk.create("f/b").fault().not_found);
  EXPECT_TRUE(disk.list("f").fault().not_found);
  EXPECT_TRUE(disk.remove("b")->not_found);
  EXPECT_EQ(disk.create("a").fault().reason, "File exists");
  EXPECT_FALSE(disk.make_folder("f"));
  EXPECT_FALSE(disk.make_folder("f"));
  EXPECT_EQ(disk.list("").value(), (std::vector<std::string>{"a", "f"}));
}

}  // namespace
}  // namespace pawl::testing
