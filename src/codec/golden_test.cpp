// SPDX-License-Identifier: Apache-2.0
// The bytes of one entry and one snapshot, as they were first written. A difference is a change of
// the format: it needs a new version number, new golden files beside the old ones, and code that
// still reads the old. To write the files: PAWL_WRITE_GOLDEN=1 codec_test --gtest_filter='Golden.*'
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "codec/entry.h"
#include "codec/snapshot.h"
#include "core/check.h"
#include "fuzz/support/forge.h"
#include "fuzz/support/samples.h"

namespace pawl::codec {
namespace {

// Sixteen bytes a line, so that a difference can be seen in review.
std::string to_hex(const std::string& bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(bytes[i])));
    text += two;
    text += i % 16 == 15 || i + 1 == bytes.size() ? '\n' : ' ';
  }
  return text;
}

std::string from_hex(const std::string& text) {
  std::istringstream words(text);
  std::string bytes;
  for (std::string word; words >> word;)
    bytes.push_back(static_cast<char>(std::stoi(word, nullptr, 16)));
  return bytes;
}

// What the file says; it is written first if that is asked for.
std::string golden(const char* name, const std::string& now) {
  const std::string path = std::string(PAWL_CODEC_TESTDATA) + "/" + name;
  const char* write = std::getenv("PAWL_WRITE_GOLDEN");
  if (write != nullptr && std::string(write) == "1") std::ofstream(path) << to_hex(now);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return from_hex(text.str());
}

TEST(Golden, TheEntryIsWrittenAsItWas) {
  const std::string now = encode_entry(testing::one_of_each());
  const std::string then = golden("entry-v1.hex", now);
  EXPECT_EQ(to_hex(now), to_hex(then));
  const auto commands = decode_entry(then);
  ASSERT_TRUE(commands.ok()) << commands.error().reason;
  EXPECT_EQ(commands.value(), testing::one_of_each());
}

// What led to the state does not matter here, and may come out otherwise by now.
TEST(Golden, TheSnapshotIsReadAndWrittenAsItWas) {
  const std::string then = golden("snapshot-v1.hex", testing::snapshot_of(*testing::small_state()));
  const auto restored = read_snapshot(then);
  ASSERT_TRUE(restored.ok()) << restored.error().reason;
  EXPECT_EQ(core::check(*restored.value()), std::nullopt);
  EXPECT_EQ(to_hex(testing::snapshot_of(*restored.value())), to_hex(then));
}

}  // namespace
}  // namespace pawl::codec
