// SPDX-License-Identifier: Apache-2.0
// A log that was changed on disk stops the start, or it is the last record alone that is missing:
// from a torn write that can't be told. Nothing that was answered for goes silently.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/log/log.h"
#include "engine/log/log_lab.h"

namespace pawl::engine {
namespace {

using testing::LogModel;
using testing::Random;
using testing::SimDisk;

using Files = std::map<std::string, std::string>;

const LogOptions kOptions{"log", 1024};

std::string segment(int number) { return "log/000000000000000" + std::to_string(number); }

// Three segments with small records in the last, and what the log held before and after the last
// one.
struct Sample {
  Files files;
  LogModel whole;
  LogModel without_last;
  std::uint64_t last_record = 0;  // where it begins, in segment 3
  std::uint64_t end = 0;

  Sample() {
    Random random(7);
    SimDisk disk(random);
    testing::PortRandom port(8);
    auto opened = Log::open(disk, port, kOptions, true);
    EXPECT_TRUE(opened.ok());
    for (int small = 0; small < 5;) {
      const bool is_long = disk.files().size() < 3;
      if (!is_long) ++small;
      Append append;
      append.term = 1 + whole.next / 4;
      append.vote = 2;
      append.first = whole.next;
      append.entries = {testing::entry_of(append.term, std::string(is_long ? 120 : 3, 'x'))};
      without_last = whole;
      EXPECT_FALSE(opened.value().log->append(append));
      whole.apply(append);
    }
    for (const std::string& path : disk.files()) files[path] = disk.contents(path);
    last_record = files[segment(3)].rfind("PLRC");
    end = last_record + 32 + 48 + 16 + 8;
  }
};

const Sample& sample() {
  static const Sample made;
  return made;
}

enum class Seen { whole, last_record_missing, refused };

Seen open_with(const Files& files, Fault* told = nullptr) {
  Random random(1);
  SimDisk disk(random);
  testing::PortRandom port(2);
  for (const auto& [path, bytes] : files) disk.overwrite(path, bytes);
  auto opened = Log::open(disk, port, kOptions, false);
  if (opened.ok()) {
    if (sample().whole.difference(opened.value().contents).empty()) return Seen::whole;
    EXPECT_EQ(sample().without_last.difference(opened.value().contents), "");
    EXPECT_GT(opened.value().contents.torn_bytes, 0U);
    return Seen::last_record_missing;
  }
  const Fault& fault = opened.fault();
  EXPECT_TRUE(fault.kind == FaultKind::damaged || fault.kind == FaultKind::newer);
  EXPECT_FALSE(fault.file.empty() || fault.what.empty() || fault.advice.empty());
  if (told != nullptr) *told = fault;
  for (const auto& [path, bytes] : files) {
    EXPECT_EQ(disk.contents(path), bytes) << "a damaged log was touched";
  }
  return Seen::refused;
}

Fault refusal_of(const Files& files) {
  Fault fault;
  EXPECT_EQ(open_with(files, &fault), Seen::refused);
  return fault;
}

TEST(LogDamage, AFlippedBitAnywhereButInTheLastRecordStopsTheStart) {
  ASSERT_EQ(open_with(sample().files), Seen::whole);
  for (const auto& [path, bytes] : sample().files) {
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      SCOPED_TRACE(path + " at byte " + std::to_string(at));
      Files files = sample().files;
      char& byte = files[path][at];
      byte = static_cast<char>(byte ^ (1 << (at * 5 % 8)));
      Fault told;
      const Seen seen = open_with(files, &told);
      const bool in_last = path == segment(3) && at >= sample().last_record && at < sample().end;
      const bool behind_end = path == segment(3) && at >= sample().end;
      if (in_last) {
        EXPECT_EQ(seen, Seen::last_record_missing) << to_text(told);
      } else if (behind_end) {
        EXPECT_NE(seen, Seen::last_record_missing);
      } else {
        EXPECT_EQ(seen, Seen::refused);
      }
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST(LogDamage, ZeroedBlocksBeforeTheLastRecordStopTheStart) {
  for (const std::size_t block : {8U, 64U, 256U, 512U}) {
    for (const auto& [path, bytes] : sample().files) {
      for (std::size_t at = 0; at + block <= bytes.size(); at += block) {
        SCOPED_TRACE(path + ": " + std::to_string(block) + " bytes at " + std::to_string(at));
        if (path == segment(3) && at + block > sample().last_record) continue;
        Files files = sample().files;
        files[path].replace(at, block, std::string(block, '\0'));
        if (files[path] == bytes) continue;
        EXPECT_EQ(open_with(files), Seen::refused);
      }
    }
  }
}

TEST(LogDamage, ATornRecordBehindADamagedOneStillShowsIt) {
  Files files = sample().files;
  std::string& bytes = files[segment(3)];
  const std::size_t before = bytes.rfind("PLRC", sample().last_record - 1);
  bytes[before + 50] = static_cast<char>(bytes[before + 50] ^ 1);
  bytes[sample().last_record + 50] = static_cast<char>(bytes[sample().last_record + 50] ^ 1);
  const Fault fault = refusal_of(files);
  EXPECT_EQ(fault.file, segment(3));
  EXPECT_EQ(fault.offset, before);
}

TEST(LogDamage, AMissingSegmentIsNamed) {
  for (const int number : {2, 3}) {
    Files files = sample().files;
    files.erase(segment(number));
    const Fault fault = refusal_of(files);
    EXPECT_EQ(fault.file, segment(2));
    EXPECT_NE(fault.what.find("missing"), std::string::npos) << fault.what;
  }
}

TEST(LogDamage, SwappedSegmentsAreFound) {
  Files files = sample().files;
  std::swap(files[segment(1)], files[segment(2)]);
  EXPECT_EQ(refusal_of(files).file, segment(1));
  files = sample().files;
  std::swap(files[segment(2)], files[segment(3)]);
  EXPECT_EQ(refusal_of(files).file, segment(2));
}

TEST(LogDamage, ATruncatedOrGrownFileIsFound) {
  for (const auto& [path, bytes] : sample().files) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{30}, std::size_t{64},
                                   std::size_t{512}, bytes.size() - 1, bytes.size() + 8}) {
      SCOPED_TRACE(path + " with " + std::to_string(size) + " bytes");
      Files files = sample().files;
      files[path].resize(size);
      EXPECT_EQ(open_with(files), Seen::refused);
    }
  }
}

TEST(LogDamage, AnOlderCopyOfASegmentIsFound) {
  Files files = sample().files;
  std::string& bytes = files[segment(2)];
  const std::size_t last = bytes.rfind("PLRC");
  bytes.replace(last, bytes.size() - last, std::string(bytes.size() - last, '\0'));
  EXPECT_EQ(refusal_of(files).what,
            "the segment does not begin where the one before it ends: records are missing");
}

TEST(LogDamage, IsToldWithPlaceReasonAndAdvice) {
  Files files = sample().files;
  files[segment(3)][100] = 'X';
  const Fault fault = refusal_of(files);
  EXPECT_EQ(fault.file, segment(3));
  EXPECT_EQ(fault.offset, 64U);
  EXPECT_NE(fault.what.find("the record is damaged, and a later one is there"), std::string::npos);
  EXPECT_NE(fault.advice.find("Change and delete nothing"), std::string::npos);
}

}  // namespace
}  // namespace pawl::engine
