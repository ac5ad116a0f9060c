// SPDX-License-Identifier: Apache-2.0
#include "engine/log/log.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "codec/bytes.h"
#include "codec/crc32c.h"
#include "engine/log/log_lab.h"

namespace pawl::engine {
namespace {

using testing::CrashKind;
using testing::entry_of;
using testing::LogModel;

class LogTest : public ::testing::Test {
 protected:
  Log::Opened open(bool fresh = false) {
    auto opened = Log::open(disk_, random_, options_, fresh);
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : to_text(opened.fault()));
    return std::move(opened).value();
  }
  Fault refused() {
    auto opened = Log::open(disk_, random_, options_, false);
    EXPECT_FALSE(opened.ok());
    return opened.ok() ? Fault() : opened.fault();
  }

  Append entries(Index first, std::vector<std::string> texts) {
    Append append;
    append.term = 1;
    append.first = first;
    for (std::string& text : texts) append.entries.push_back(entry_of(1, std::move(text)));
    return append;
  }
  // One entry a record, so long that a segment holds four of them.
  void fill(Log& log, Index first, Index last) {
    for (Index i = first; i <= last; ++i) {
      ASSERT_FALSE(log.append(entries(i, {std::string(150, static_cast<char>('a' + i % 26))})));
    }
  }

  testing::Random chance_{1};
  testing::SimDisk disk_{chance_};
  testing::PortRandom random_{2};
  LogOptions options_{"log", 1024};
};

TEST_F(LogTest, AFreshOneIsEmpty) {
  const auto opened = open(true);
  EXPECT_EQ(opened.contents.term, 0U);
  EXPECT_EQ(opened.contents.first, 1U);
  EXPECT_TRUE(opened.contents.entries.empty());
  EXPECT_EQ(opened.log->bytes_on_disk(), 1024U);
}

TEST_F(LogTest, KeepsEntriesTermAndVote) {
  {
    const auto opened = open(true);
    Append append = entries(1, {"one", "two"});
    append.term = 5;
    append.vote = 9;
    EXPECT_FALSE(opened.log->append(append));
  }
  disk_.crash(CrashKind::power_loss);
  const auto again = open();
  EXPECT_EQ(again.contents.term, 5U);
  EXPECT_EQ(again.contents.vote, 9U);
  ASSERT_EQ(again.contents.entries.size(), 2U);
  EXPECT_EQ(*again.contents.entries[1].bytes, "two");
  EXPECT_EQ(again.contents.torn_bytes, 0U);
}

TEST_F(LogTest, ALaterRecordReplacesTheEntriesFromItsFirstOn) {
  {
    const auto opened = open(true);
    EXPECT_FALSE(opened.log->append(entries(1, {"one", "two", "three"})));
    EXPECT_FALSE(opened.log->append(entries(2, {"deux"})));
  }
  const auto again = open();
  ASSERT_EQ(again.contents.entries.size(), 2U);
  EXPECT_EQ(*again.contents.entries[1].bytes, "deux");
}

TEST_F(LogTest, AResetLeavesOnlyWhatComesBehindTheSnapshot) {
  {
    const auto opened = open(true);
    EXPECT_FALSE(opened.log->append(entries(1, {"one", "two", "three"})));
    Append reset;
    reset.term = 4;
    reset.reset.emplace(70, 3);
    EXPECT_FALSE(opened.log->append(reset));
  }
  {
    const auto again = open();
    EXPECT_EQ(again.contents.first, 71U);
    EXPECT_TRUE(again.contents.entries.empty());
    Append next;
    next.term = 4;
    next.first = 71;
    next.entries = {entry_of(4, "new")};
    EXPECT_FALSE(again.log->append(next));
  }
  EXPECT_EQ(open().contents.entries.size(), 1U);
}

TEST_F(LogTest, OneAppendIsOneWriteAndOneSync) {
  const auto opened = open(true);
  const auto before = disk_.counters();
  EXPECT_FALSE(opened.log->append(entries(1, {"one", "two", "three"})));
  EXPECT_EQ(disk_.counters().writes, before.writes + 1);
  EXPECT_EQ(disk_.counters().syncs, before.syncs + 1);
  EXPECT_EQ(disk_.counters().operations, before.operations + 2);
}

TEST_F(LogTest, APreparedSegmentIsTakenIntoUse) {
  const auto opened = open(true);
  EXPECT_FALSE(opened.log->wants_segment());
  fill(*opened.log, 1, 3);
  EXPECT_TRUE(opened.log->wants_segment());
  EXPECT_FALSE(opened.log->prepare_segment());
  EXPECT_FALSE(opened.log->wants_segment());
  const std::uint64_t created = disk_.files().size();
  EXPECT_FALSE(opened.log->prepare_segment());
  EXPECT_EQ(disk_.files().size(), created);
  fill(*opened.log, 4, 5);
  EXPECT_EQ(disk_.files(),
            (std::vector<std::string>{"log/0000000000000001", "log/0000000000000002"}));
  EXPECT_EQ(opened.log->bytes_on_disk(), 2048U);
}

TEST_F(LogTest, ASegmentMayBePreparedBesideAppends) {
  options_.segment_bytes = 4096;
  {
    const auto opened = open(true);
    Log& log = *opened.log;
    std::thread preparer([&log] {
      for (int i = 0; i < 200; ++i) ASSERT_FALSE(log.prepare_segment());
    });
    for (Index i = 1; i <= 400; ++i) {
      ASSERT_FALSE(log.append(entries(i, {std::string(200, 'x')})));
      if (i % 50 == 0) {
        ASSERT_FALSE(log.cut_prefix(i - 20));
      }
      (void)log.wants_segment();
    }
    preparer.join();
  }
  const auto again = open();
  EXPECT_EQ(again.contents.first + again.contents.entries.size(), 401U);
}

TEST_F(LogTest, WholeSegmentsAreCutOffTheFront) {
  {
    const auto opened = open(true);
    fill(*opened.log, 1, 20);
    const std::uint64_t before = opened.log->bytes_on_disk();
    EXPECT_FALSE(opened.log->cut_prefix(0));
    EXPECT_EQ(opened.log->bytes_on_disk(), before);
    EXPECT_FALSE(opened.log->cut_prefix(10));
    EXPECT_LT(opened.log->bytes_on_disk(), before);
  }
  const auto again = open();
  EXPECT_GT(again.contents.first, 1U);
  EXPECT_LE(again.contents.first, 11U);
  EXPECT_EQ(again.contents.first + again.contents.entries.size(), 21U);
}

TEST_F(LogTest, ASegmentWhoseEntriesWereReplacedIsNotNeeded) {
  {
    const auto opened = open(true);
    fill(*opened.log, 1, 12);
    fill(*opened.log, 3, 4);  // replaces 3 to 12
    EXPECT_FALSE(opened.log->cut_prefix(2));
    EXPECT_EQ(disk_.files().size(), 1U);
  }
  const auto again = open();
  EXPECT_EQ(again.contents.first, 3U);
  EXPECT_EQ(again.contents.entries.size(), 2U);
}

TEST_F(LogTest, TheLastSegmentStays) {
  {
    const auto opened = open(true);
    fill(*opened.log, 1, 20);
    EXPECT_FALSE(opened.log->cut_prefix(20));
    EXPECT_EQ(opened.log->bytes_on_disk(), 1024U);
  }
  const auto again = open();
  EXPECT_EQ(again.contents.term, 1U);
  EXPECT_EQ(again.contents.first + again.contents.entries.size(), 21U);
}

TEST_F(LogTest, TheDiskDoesNotFillUpIfThePrefixIsCut) {
  options_.segment_bytes = 8192;
  const auto opened = open(true);
  for (Index i = 1; i <= 20'000; ++i) {
    ASSERT_FALSE(opened.log->append(entries(i, {std::string(100, 'x')})));
    if (opened.log->wants_segment()) {
      ASSERT_FALSE(opened.log->prepare_segment());
    }
    if (i % 100 == 0) {
      ASSERT_FALSE(opened.log->cut_prefix(i - 50));
    }
    ASSERT_LE(disk_.bytes_in_use(), 8U * 8192);
  }
}

TEST_F(LogTest, TakesTheLargestAppend) {
  const auto opened = open(true);
  const std::uint64_t most = most_record_bytes(options_);
  Append append = entries(1, {std::string(most - record_bytes(entry_of(1, "")), 'x')});
  ASSERT_EQ(record_bytes(append.entries[0]), most);
  for (Index i = 1; i <= 8; ++i) {
    append.first = i;
    EXPECT_FALSE(opened.log->append(append));
  }
  EXPECT_EQ(disk_.files().size(), 4U);
}

TEST_F(LogTest, RefusesEverythingAfterAFault) {
  const auto opened = open(true);
  disk_.fail_at(2, false);
  const auto fault = opened.log->append(entries(1, {"one"}));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::disk);
  disk_.heal();
  EXPECT_EQ(opened.log->append(entries(1, {"one"})), fault);
  EXPECT_EQ(opened.log->cut_prefix(1), fault);
  EXPECT_EQ(opened.log->prepare_segment(), fault);
  EXPECT_FALSE(opened.log->wants_segment());
}

TEST_F(LogTest, ComesBackWhenThereIsSpaceAgain) {
  disk_.set_space(1500);
  {
    auto opened = open(true);
    fill(*opened.log, 1, 3);
    std::optional<Fault> fault;
    for (Index i = 4; !fault && i < 10; ++i) {
      fault = opened.log->append(entries(i, {std::string(150, 'x')}));
    }
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->kind, FaultKind::disk);
    EXPECT_NE(fault->what.find("No space left"), std::string::npos);
  }
  disk_.crash(CrashKind::killed);
  EXPECT_EQ(refused().kind, FaultKind::disk);
  disk_.set_space(1 << 20);
  EXPECT_GE(open().contents.entries.size(), 3U);
}

TEST_F(LogTest, OpensWithAnotherSegmentSize) {
  {
    const auto opened = open(true);
    fill(*opened.log, 1, 7);
  }
  options_.segment_bytes = 4096;
  {
    const auto opened = open();
    EXPECT_EQ(opened.contents.entries.size(), 7U);
    fill(*opened.log, 8, 20);
  }
  options_.segment_bytes = 1024;
  EXPECT_EQ(open().contents.entries.size(), 20U);
}

TEST_F(LogTest, AMissingLogIsNotMadeAnew) {
  EXPECT_EQ(refused().what, "the log is missing");
  EXPECT_EQ(refused().kind, FaultKind::damaged);
  {
    (void)open(true);
  }
  disk_.erase("log/0000000000000001");
  EXPECT_EQ(refused().what, "the log is missing");
  EXPECT_TRUE(disk_.files().empty());
}

TEST_F(LogTest, FreshOpensALogThatIsThere) {
  {
    fill(*open(true).log, 1, 3);
  }
  EXPECT_EQ(open(true).contents.entries.size(), 3U);
}

TEST_F(LogTest, AFileThatIsNotOursIsNamed) {
  {
    (void)open(true);
  }
  disk_.overwrite("log/notes.txt", "mine");
  const Fault fault = refused();
  EXPECT_EQ(fault.kind, FaultKind::foreign);
  EXPECT_EQ(fault.file, "log/notes.txt");
}

TEST_F(LogTest, FilesThatWereNeverTakenIntoUseAreRemoved) {
  {
    fill(*open(true).log, 1, 3);
  }
  disk_.overwrite("log/0000000000000000.tmp", "left over");
  disk_.overwrite("log/0000000000000007.tmp", "");
  EXPECT_EQ(open().contents.entries.size(), 3U);
  EXPECT_EQ(disk_.files().size(), 1U);
}

TEST_F(LogTest, ANewerVersionsLogIsLeftAlone) {
  {
    (void)open(true);
  }
  std::string bytes = disk_.contents("log/0000000000000001");
  bytes[8] = 2;
  codec::put_le(bytes.data() + 4, codec::crc32c(std::string_view(bytes).substr(8, 56)));
  disk_.overwrite("log/0000000000000001", bytes);
  EXPECT_EQ(refused().kind, FaultKind::newer);
  EXPECT_EQ(disk_.contents("log/0000000000000001"), bytes);
}

// A client that knew everything but the salt could send a whole record inside an entry.
TEST_F(LogTest, BytesThatAClientChoseAreNeverTakenForARecord) {
  const std::uint64_t end = [this] {
    const auto opened = open(true);
    Append append = entries(1, {disk_.contents("log/0000000000000001").substr(64, 80)});
    EXPECT_FALSE(opened.log->append(append));
    const std::string record = disk_.contents("log/0000000000000001").substr(64, 160);
    EXPECT_FALSE(opened.log->append(entries(
        2, {std::string(record.substr(0, 16)) + std::string(8, '\x77') + record.substr(24, 80)})));
    return disk_.contents("log/0000000000000001").find_last_not_of('\0');
  }();
  disk_.flip_bit("log/0000000000000001", (64 + 176 + 40) * 8);  // tears the last record
  EXPECT_GT(end, 64U + 176);
  const auto again = open();
  EXPECT_EQ(again.contents.entries.size(), 1U);
  EXPECT_GT(again.contents.torn_bytes, 0U);
}

}  // namespace
}  // namespace pawl::engine
