// SPDX-License-Identifier: Apache-2.0
#include "engine/snapshot/snapshot_maker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/check.h"
#include "engine/apply_entry.h"
#include "fuzz/support/command_maker.h"
#include "fuzz/support/samples.h"
#include "support/sim_disk.h"

namespace pawl::engine {
namespace {

using pawl::testing::Random;
using pawl::testing::SimDisk;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Entry entry_of(const std::vector<core::Command>& commands, Term term = 1) {
  return {term, EntryKind::command,
          std::make_shared<const std::string>(codec::encode_entry(commands))};
}

Entry entry_of(EntryKind kind, std::string bytes, Term term = 1) {
  return {term, kind, std::make_shared<const std::string>(std::move(bytes))};
}

// A live state, and the log that led to it.
class Life {
 public:
  explicit Life(std::uint64_t seed) : choices_(seed), maker_(choices_) {}

  // One more entry.
  Entry live() {
    if (choices_.chance(5)) return entry_of(EntryKind::barrier, "");
    if (choices_.chance(5)) return entry_of(EntryKind::change, "a membership");
    std::vector<core::Command> commands;
    for (auto left = 1 + choices_.below(4); left > 0; --left) {
      commands.push_back(maker_.next(state));
      core::step(state, commands.back());
    }
    return entry_of(commands);
  }

  core::State state{3};

 private:
  codec::testing::RandomChoices choices_;
  codec::testing::CommandMaker maker_;
};

struct Folder {
  Random random{1};
  SimDisk disk{random};
  Folder() { EXPECT_FALSE(disk.make_folder(kSnapshotFolder)); }
};

SnapshotOrder small_order() {
  SnapshotOrder order;
  core::State state;
  for (const core::Command& command : codec::testing::one_of_each()) {
    order.entries.push_back(entry_of(std::vector{command}));
    core::step(state, command);
  }
  order.mark = {order.entries.size(), 1, 0, "membership"};
  order.state_hash = core::state_hash(state);
  return order;
}

TEST(SnapshotMaker, TheSnapshotBeforeAndTheEntriesSinceMakeTheLiveState) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Folder made;
    Folder direct;
    Life life(seed);
    SnapshotOrder order;
    Index last = 0;
    for (int round = 0; round < 6; ++round) {
      order.entries.clear();
      order.first = last + 1;
      for (auto left = random.below(60); left > 0; --left, ++last) {
        order.entries.push_back(life.live());
      }
      if (last == 0) continue;
      order.mark = {last, 1, 0, "membership " + std::to_string(round)};
      order.state_hash = core::state_hash(life.state);
      order.index_seed = random.next();
      const auto snapshot = make_snapshot(made.disk, order);
      ASSERT_TRUE(snapshot) << to_text(snapshot.fault());
      EXPECT_EQ(snapshot.value().state_hash, core::state_hash(life.state));
      EXPECT_EQ(snapshot.value().leases, life.state.held + life.state.waiting);
      ASSERT_TRUE(write_snapshot(direct.disk, order.mark, life.state));
      const std::string& path = snapshot.value().file.path;
      ASSERT_EQ(made.disk.contents(path), direct.disk.contents(path));
      order.previous = path;
    }
    const auto loaded = load_snapshot(made.disk, *order.previous, 1);
    ASSERT_TRUE(loaded);
    EXPECT_FALSE(core::check(*loaded.value().state));
  }
}

TEST(SnapshotMaker, AStateThatIsNotTheLiveOneIsNeverWritten) {
  Folder folder;
  SnapshotOrder order = small_order();
  order.state_hash ^= 1;
  const auto snapshot = make_snapshot(folder.disk, order);
  ASSERT_FALSE(snapshot);
  EXPECT_EQ(snapshot.fault().kind, FaultKind::damaged);
  EXPECT_THAT(snapshot.fault().what, HasSubstr("at entry " + std::to_string(order.mark.index) +
                                               " the live state and the log differ"));
  EXPECT_THAT(folder.disk.files(), IsEmpty());
}

TEST(SnapshotMaker, AnEntryThatCannotBeReadIsNamed) {
  Folder folder;
  SnapshotOrder order = small_order();
  order.entries[4] = entry_of(EntryKind::command, "no entry");
  const auto snapshot = make_snapshot(folder.disk, order);
  ASSERT_FALSE(snapshot);
  EXPECT_EQ(snapshot.fault().kind, FaultKind::damaged);
  EXPECT_THAT(snapshot.fault().what, HasSubstr("entry 5: "));
  EXPECT_THAT(folder.disk.files(), IsEmpty());
}

TEST(SnapshotMaker, ADamagedSnapshotBeforeIsAFaultThatNamesIt) {
  Folder folder;
  SnapshotOrder order = small_order();
  const auto first = make_snapshot(folder.disk, order);
  ASSERT_TRUE(first) << to_text(first.fault());
  const std::string path = first.value().file.path;
  folder.disk.flip_bit(path, 8 * 300);
  order.previous = path;
  order.entries = {entry_of(EntryKind::barrier, "")};
  order.first = order.mark.index + 1;
  order.mark.index += 1;
  const auto second = make_snapshot(folder.disk, order);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.fault().kind, FaultKind::damaged);
  EXPECT_EQ(second.fault().file, path);
  EXPECT_THAT(folder.disk.files(), ::testing::ElementsAre(path));
}

TEST(ApplyEntry, EachCommandIsSeenWithItsEffectsInOrder) {
  const auto commands = codec::testing::one_of_each();
  core::State state;
  core::State twin;
  std::size_t seen = 0;
  const auto why = apply_entry(state, entry_of(commands),
                               [&](const core::Command& command, const core::Effects& effects) {
                                 ASSERT_LT(seen, commands.size());
                                 EXPECT_EQ(command, commands[seen]);
                                 EXPECT_EQ(effects, core::step(twin, commands[seen]));
                                 ++seen;
                               });
  EXPECT_FALSE(why);
  EXPECT_EQ(seen, commands.size());
  EXPECT_EQ(core::state_hash(state), core::state_hash(twin));
}

TEST(ApplyEntry, WhatCarriesNoCommandsOrCannotBeReadChangesNothing) {
  core::State state;
  const std::uint64_t before = core::state_hash(state);
  EXPECT_FALSE(apply_entry(state, entry_of(EntryKind::barrier, "")));
  EXPECT_FALSE(apply_entry(state, entry_of(EntryKind::change, "a membership")));
  std::string bytes = codec::encode_entry(codec::testing::one_of_each());
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_TRUE(apply_entry(state, entry_of(EntryKind::command, bytes)));
  EXPECT_EQ(core::state_hash(state), before);
}

}  // namespace
}  // namespace pawl::engine
