// SPDX-License-Identifier: Apache-2.0
#include "engine/snapshot/snapshot_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/check.h"
#include "core/step.h"
#include "fuzz/support/samples.h"
#include "support/sim_disk.h"

namespace pawl::engine {
namespace {

using codec::testing::small_state;
using pawl::testing::CrashKind;
using pawl::testing::Random;
using pawl::testing::SimCrash;
using pawl::testing::SimDisk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const SnapshotMark kOld{100, 2, 1, "membership"};
const SnapshotMark kNew{0x1a0, 3, 150, "another membership"};
const std::string kOldPath = "snapshots/0000000000000064-0000000000000002";
const std::string kNewPath = "snapshots/00000000000001a0-0000000000000003";

struct Folder {
  Random random;
  SimDisk disk{random};

  explicit Folder(std::uint64_t seed = 1) : random(seed) {
    EXPECT_FALSE(disk.make_folder(kSnapshotFolder));
    EXPECT_FALSE(disk.sync_folder(""));
  }
  void write(const SnapshotMark& mark, const core::State& state) {
    const auto written = write_snapshot(disk, mark, state);
    ASSERT_TRUE(written) << to_text(written.fault());
  }
  std::vector<std::string> list() {
    auto paths = list_snapshots(disk);
    EXPECT_TRUE(paths) << to_text(paths.fault());
    return paths ? paths.value() : std::vector<std::string>{};
  }
};

// A state of which the file has more than one chunk.
std::unique_ptr<core::State> large_state() {
  auto state = std::make_unique<core::State>(5);
  core::SetLimits raise;
  raise.limits.max_leases = 2'000'000;
  core::step(*state, {core::Time{}, raise});
  for (int i = 0; i < 20'000; ++i) {
    core::Acquire request;
    request.space = core::Namespace("default");
    request.id = core::LeaseId("lease-number-" + std::to_string(i));
    request.terms.owner = core::OwnerId("worker-" + std::to_string(i % 100));
    request.terms.resources = {
        core::ResourceName("tenant-" + std::to_string(i) + std::string(60, 'x'))};
    request.terms.ttl = std::chrono::hours(1);
    core::step(*state, {core::Time{}, request});
  }
  EXPECT_EQ(state->held, 20'000U);
  return state;
}

TEST(SnapshotStore, AStateComesBackAsItWas) {
  Folder folder;
  const auto state = small_state();
  const auto written = write_snapshot(folder.disk, kOld, *state);
  ASSERT_TRUE(written) << to_text(written.fault());
  EXPECT_EQ(written.value().path, kOldPath);
  EXPECT_EQ(written.value().bytes, folder.disk.contents(kOldPath).size());
  EXPECT_THAT(folder.disk.files(), ElementsAre(kOldPath));

  const auto loaded = load_snapshot(folder.disk, kOldPath, 77);
  ASSERT_TRUE(loaded) << to_text(loaded.fault());
  EXPECT_EQ(loaded.value().mark, kOld);
  EXPECT_EQ(loaded.value().path, kOldPath);
  EXPECT_EQ(loaded.value().bytes, written.value().bytes);
  EXPECT_EQ(core::state_hash(*loaded.value().state), core::state_hash(*state));
  EXPECT_FALSE(core::check(*loaded.value().state));
}

TEST(SnapshotStore, EqualStatesGiveEqualFiles) {
  Folder folder;
  folder.write(kOld, *small_state());
  const std::string first = folder.disk.contents(kOldPath);
  const auto twin = load_snapshot(folder.disk, kOldPath, 77);
  ASSERT_TRUE(twin);
  folder.write(kOld, *twin.value().state);  // replaces it
  EXPECT_EQ(folder.disk.contents(kOldPath), first);
  EXPECT_THAT(folder.list(), ElementsAre(kOldPath));
}

TEST(SnapshotStore, ALargeStateGoesThroughInLargeWrites) {
  Folder folder;
  const auto state = large_state();
  const auto before = folder.disk.counters();
  folder.write(kOld, *state);
  const auto after = folder.disk.counters();
  EXPECT_GT(after.bytes_written - before.bytes_written, 2'000'000U);
  EXPECT_LE(after.writes - before.writes,
            1 + (after.bytes_written - before.bytes_written) / 1'000'000);
  const auto loaded = load_snapshot(folder.disk, kOldPath, 3);
  ASSERT_TRUE(loaded) << to_text(loaded.fault());
  EXPECT_EQ(core::state_hash(*loaded.value().state), core::state_hash(*state));
}

TEST(SnapshotStore, OneThatCameAsBytesIsStoredByteByByteAndLoaded) {
  Folder from;
  const auto state = large_state();
  from.write(kNew, *state);
  const auto bytes = read_snapshot_bytes(from.disk, kNewPath);
  ASSERT_TRUE(bytes);

  Folder to;
  const auto stored = store_snapshot(to.disk, bytes.value(), 9);
  ASSERT_TRUE(stored) << to_text(stored.fault());
  EXPECT_EQ(stored.value().mark, kNew);
  EXPECT_EQ(stored.value().path, kNewPath);
  EXPECT_EQ(stored.value().bytes, bytes.value().size());
  EXPECT_EQ(core::state_hash(*stored.value().state), core::state_hash(*state));
  EXPECT_EQ(to.disk.contents(kNewPath), bytes.value());
}

TEST(SnapshotStore, BytesThatAreNoSnapshotLeaveNothingBehind) {
  Folder folder;
  folder.write(kNew, *small_state());
  std::string bytes = folder.disk.contents(kNewPath);
  folder.disk.erase(kNewPath);
  bytes[bytes.size() / 2] ^= 1;
  const std::uint64_t operations = folder.disk.operations();
  for (const std::string& wrong : {bytes, std::string(), std::string("PAWLSNAP"), bytes + bytes}) {
    const auto stored = store_snapshot(folder.disk, wrong, 1);
    ASSERT_FALSE(stored);
    EXPECT_EQ(stored.fault().kind, FaultKind::damaged);
    EXPECT_EQ(stored.fault().file, "");
    EXPECT_LE(stored.fault().offset, wrong.size());
    EXPECT_FALSE(stored.fault().what.empty());
  }
  EXPECT_EQ(folder.disk.operations(), operations);
  EXPECT_THAT(folder.disk.files(), IsEmpty());
}

// What must hold after the machine went down while `write` was at work, at any of its operations.
template <class Write, class After>
void crash_everywhere(Write write, After after) {
  for (const CrashKind kind : {CrashKind::power_loss, CrashKind::killed}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      bool done = false;
      for (std::uint64_t n = 1; !done; ++n) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", operation " + std::to_string(n) +
                     (kind == CrashKind::killed ? ", killed" : ", power loss"));
        Folder folder(seed);
        folder.write(kOld, *small_state());
        folder.disk.crash_at(n, kind);
        try {
          write(folder);
          done = true;
        } catch (const SimCrash&) {
        }
        folder.disk.heal();
        ASSERT_FALSE(tidy_snapshots(folder.disk));
        for (const std::string& path : folder.list()) {
          const auto loaded = load_snapshot(folder.disk, path, 1);
          ASSERT_TRUE(loaded) << to_text(loaded.fault());
        }
        after(folder, done);
        ASSERT_LT(n, 100U);
      }
    }
  }
}

TEST(SnapshotStore, ACrashWhileWritingLeavesTheOldOneAndPerhapsTheNewOne) {
  const auto state = small_state();
  crash_everywhere([&](Folder& folder) { folder.write(kNew, *state); },
                   [&](Folder& folder, bool done) {
                     const auto paths = folder.list();
                     ASSERT_FALSE(paths.empty());
                     EXPECT_EQ(paths.front(), kOldPath);
                     if (done) folder.disk.crash(CrashKind::power_loss);
                     EXPECT_EQ(folder.list(), paths);
                     if (done) {
                       EXPECT_EQ(paths.back(), kNewPath);
                     }
                     EXPECT_EQ(folder.disk.files(), paths);  // nothing else is left
                     folder.write(kNew, *state);             // and the way is free
                   });
}

TEST(SnapshotStore, ACrashWhileReplacingOneByItsLikeLeavesIt) {
  const auto state = small_state();
  Folder folder;
  folder.write(kOld, *state);
  const std::string bytes = folder.disk.contents(kOldPath);
  crash_everywhere(
      [&](Folder& again) {
        const auto stored = store_snapshot(again.disk, bytes, 4);
        ASSERT_TRUE(stored) << to_text(stored.fault());
      },
      [&](Folder& again, bool) { EXPECT_THAT(again.list(), ElementsAre(kOldPath)); });
}

TEST(SnapshotStore, ACrashWhileRemovingLeavesWhatIsKept) {
  const auto state = small_state();
  crash_everywhere(
      [&](Folder& folder) {
        folder.write(kNew, *state);
        ASSERT_FALSE(remove_snapshots_but(folder.disk, {kNewPath}));
      },
      [&](Folder& folder, bool done) {
        const auto paths = folder.list();
        ASSERT_FALSE(paths.empty());
        if (done) {
          EXPECT_THAT(paths, ElementsAre(kNewPath));
        }
      });
}

TEST(SnapshotStore, AFailingDiskIsAFaultAndLeavesNoHalfSnapshot) {
  const auto state = small_state();
  bool done = false;
  for (std::uint64_t n = 1; !done; ++n) {
    SCOPED_TRACE("operation " + std::to_string(n));
    Folder folder(n);
    folder.write(kOld, *state);
    folder.disk.fail_at(n, n % 2 == 0);
    const auto written = write_snapshot(folder.disk, kNew, *state);
    done = written.ok();
    if (!done) {
      EXPECT_EQ(written.fault().kind, FaultKind::disk) << to_text(written.fault());
    }
    folder.disk.heal();
    folder.disk.crash(CrashKind::power_loss);
    ASSERT_FALSE(tidy_snapshots(folder.disk));
    for (const std::string& path : folder.list()) EXPECT_TRUE(load_snapshot(folder.disk, path, 1));
    EXPECT_EQ(folder.list().front(), kOldPath);
    ASSERT_LT(n, 100U);
  }
}

TEST(SnapshotStore, WithoutRoomTheHalfFileGivesItsRoomBack) {
  Folder folder;
  const auto state = large_state();
  folder.disk.set_space(1'500'000);
  const auto written = write_snapshot(folder.disk, kOld, *state);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.fault().kind, FaultKind::disk);
  EXPECT_THAT(written.fault().advice, HasSubstr("room"));
  EXPECT_EQ(folder.disk.bytes_in_use(), 0U);
}

TEST(SnapshotStore, NamesSortByIndexThenTerm) {
  EXPECT_EQ(snapshot_path(100, 2), kOldPath);
  EXPECT_LT(snapshot_path(9, 9), snapshot_path(10, 1));
  EXPECT_LT(snapshot_path(0xff, 1), snapshot_path(0x100, 1));
  EXPECT_LT(snapshot_path(10, 9), snapshot_path(10, 0x10));
  EXPECT_LT(snapshot_path(1, 1), snapshot_path(~Index{0}, 1));
}

TEST(SnapshotStore, WhatWasLeftHalfMadeIsNotListedAndTidiedAway) {
  Folder folder;
  folder.write(kOld, *small_state());
  folder.disk.overwrite("snapshots/new-416.tmp", "half");
  EXPECT_THAT(folder.list(), ElementsAre(kOldPath));
  EXPECT_FALSE(tidy_snapshots(folder.disk));
  EXPECT_THAT(folder.disk.files(), ElementsAre(kOldPath));
}

TEST(SnapshotStore, AForeignNameIsNotTouched) {
  for (const std::string name :
       {"notes.txt", "new-.tmp", "new-1x.tmp", "new-1", "0000000000000064",
        "0000000000000064-000000000000000", "0000000000000064-00000000000000020",
        "0000000000000064_0000000000000002", "0000000000000064-000000000000000G",
        "00000000000000AB-0000000000000002", "0000000000000000-0000000000000002",
        "0000000000000064-0000000000000000"}) {
    SCOPED_TRACE(name);
    Folder folder;
    folder.disk.overwrite("snapshots/" + name, "mine");
    const auto listed = list_snapshots(folder.disk);
    ASSERT_FALSE(listed);
    EXPECT_EQ(listed.fault().kind, FaultKind::foreign);
    EXPECT_EQ(listed.fault().file, "snapshots/" + name);
    ASSERT_TRUE(tidy_snapshots(folder.disk));
    EXPECT_TRUE(folder.disk.exists("snapshots/" + name));
  }
}

TEST(SnapshotStore, AllButTheKeptAreRemovedAndNoneIfAKeptOneIsMissing) {
  Folder folder;
  const auto state = small_state();
  folder.write(kOld, *state);
  const auto missing = remove_snapshots_but(folder.disk, {kNewPath});
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->file, kNewPath);
  EXPECT_THAT(folder.list(), ElementsAre(kOldPath));
  folder.write(kNew, *state);
  EXPECT_FALSE(remove_snapshots_but(folder.disk, {kOldPath, kNewPath}));
  EXPECT_THAT(folder.list(), ElementsAre(kOldPath, kNewPath));
  EXPECT_FALSE(remove_snapshots_but(folder.disk, {kNewPath}));
  EXPECT_THAT(folder.disk.files(), ElementsAre(kNewPath));
}

TEST(SnapshotStore, AMissingFileIsAFaultOfTheDisk) {
  Folder folder;
  const auto loaded = load_snapshot(folder.disk, kOldPath, 1);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.fault().kind, FaultKind::disk);
  EXPECT_EQ(loaded.fault().file, kOldPath);
  EXPECT_FALSE(read_snapshot_bytes(folder.disk, kOldPath));
}

}  // namespace
}  // namespace pawl::engine
