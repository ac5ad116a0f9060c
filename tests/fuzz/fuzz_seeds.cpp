// SPDX-License-Identifier: Apache-2.0
// Writes the seed corpus: fuzz_seeds DIRECTORY. The committed files in corpus/ were made by it;
// make them again when the format changes. Inputs that once found a bug stand beside them, named
// after the bug, and stay.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "codec/entry.h"
#include "codec/snapshot.h"
#include "core/step.h"
#include "engine/snapshot/snapshot_store.h"
#include "fuzz/support/command_maker.h"
#include "fuzz/support/forge.h"
#include "fuzz/support/samples.h"
#include "support/random.h"
#include "support/sim_disk.h"

namespace {

using namespace pawl::codec;
using namespace pawl::core;

constexpr std::size_t kFrameHeader = kEntryHeaderBytes;
const std::string kAsItIs(1, '\0');
const std::string kForged(1, '\1');

void save(const std::filesystem::path& file, const std::string& bytes) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

// A state that random commands lead into, and the decisions that they were made from.
struct Story {
  State state{1};
  std::vector<Command> commands;

  Story(std::uint64_t seed, int steps) {
    testing::RandomChoices choices(seed);
    testing::CommandMaker maker(choices);
    for (int i = 0; i < steps; ++i) {
      commands.push_back(maker.next(state));
      step(state, commands.back());
    }
  }
};

void entries(const std::filesystem::path& to) {
  const std::vector<Command> each = testing::one_of_each();
  for (const Command& command : each) {
    const std::string entry = encode_entry({&command, 1});
    save(to / ("kind-" + std::to_string(command.body.index())),
         kForged + entry.substr(kFrameHeader));
  }
  save(to / "batch", kAsItIs + encode_entry(each));
  const Story story(1, 12);
  save(to / "story", kForged + encode_entry(story.commands).substr(kFrameHeader));
}

void snapshots(const std::filesystem::path& to) {
  const auto small = testing::small_state();
  save(to / "small", kAsItIs + testing::snapshot_of(*small));
  save(to / "small-forged", kForged + testing::payload_of(testing::records_of(*small)));
  save(to / "empty-forged", kForged + testing::payload_of(testing::records_of(State())));
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Story story(seed, 60);
    save(to / ("story-" + std::to_string(seed)),
         kForged + testing::payload_of(testing::records_of(story.state)));
  }
}

std::string file_of(const pawl::engine::SnapshotMark& mark, const State& state) {
  pawl::testing::Random random(1);
  pawl::testing::SimDisk disk(random);
  (void)disk.make_folder(pawl::engine::kSnapshotFolder);
  return disk.contents(pawl::engine::write_snapshot(disk, mark, state).value().path);
}

void snapshot_files(const std::filesystem::path& to) {
  const std::string small = file_of({100, 2, 1, "membership"}, *testing::small_state());
  save(to / "small", kAsItIs + small);
  save(to / "small-mended", kForged + small);
  save(to / "cut-mended", kForged + small.substr(0, small.size() / 2));
  save(to / "header-only", kAsItIs + small.substr(0, 64));
  std::string newer = small;
  newer[8] = 2;
  save(to / "newer-mended", kForged + newer);
  const std::string empty = file_of({1, 1, 1, ""}, State());
  save(to / "empty", kAsItIs + empty);
  save(to / "empty-mended", kForged + empty);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Story story(seed, 60);
    save(to / ("story-" + std::to_string(seed)),
         kForged + file_of({seed * 1000, seed, seed, std::string(seed * 3, 'm')}, story.state));
  }
}

void decisions(const std::filesystem::path& to) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    testing::RandomChoices choices(seed);
    std::string bytes;
    for (int i = 0; i < 600; ++i) bytes.push_back(static_cast<char>(choices.below(256)));
    save(to / ("random-" + std::to_string(seed)), bytes);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    (void)std::fprintf(stderr, "usage: fuzz_seeds DIRECTORY\n");
    return 2;
  }
  const std::filesystem::path to = argv[1];
  entries(to / "entry");
  snapshots(to / "snapshot");
  snapshot_files(to / "snapshot_file");
  decisions(to / "core");
  return 0;
}
