// SPDX-License-Identifier: Apache-2.0
// The committed corpus through the fuzzers' functions, in every build: with GCC, without libFuzzer.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "fuzz/targets.h"

namespace pawl::fuzz {
namespace {

int replay(const char* target, const std::function<void(std::string_view)>& try_input) {
  int files = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(PAWL_FUZZ_CORPUS) + "/" + target)) {
    SCOPED_TRACE(file.path().string());
    std::ostringstream bytes;
    bytes << std::ifstream(file.path(), std::ios::binary).rdbuf();
    try_input(bytes.str());
    ++files;
  }
  return files;
}

TEST(FuzzCorpus, Entry) { EXPECT_GE(replay("entry", try_entry), 10); }
TEST(FuzzCorpus, Snapshot) { EXPECT_GE(replay("snapshot", try_snapshot), 8); }
TEST(FuzzCorpus, SnapshotFile) { EXPECT_GE(replay("snapshot_file", try_snapshot_file), 10); }
TEST(FuzzCorpus, Log) { EXPECT_GE(replay("log", try_log), 5); }
TEST(FuzzCorpus, Core) { EXPECT_GE(replay("core", try_core), 6); }
TEST(FuzzCorpus, Http) { EXPECT_GE(replay("http", try_http), 60); }

}  // namespace
}  // namespace pawl::fuzz
