// SPDX-License-Identifier: Apache-2.0
// A data folder that is not as it was left stops the start: with the right exit code and a message
// that names the file and the place, and without a change to the folder (nothing is "repaired" by
// dropping it). What is torn off the very end is the one exception, because a crash does the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codec/bytes.h"
#include "codec/crc32c.h"
#include "engine/fault.h"
#include "engine/log/record.h"
#include "faults/workload.h"

namespace pawl::testing {
namespace {

namespace fs = std::filesystem;
using engine::FaultKind;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void put(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}
void flip(const fs::path& path, std::uint64_t offset, int bit = 3) {
  std::string bytes = contents(path);
  ASSERT_LT(offset, bytes.size());
  bytes[offset] = static_cast<char>(bytes[offset] ^ (1 << bit));
  put(path, bytes);
}

// All files but LOCK, which says who has the folder.
std::map<std::string, std::string> image(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder);
    if (name != "LOCK") all[name] = entry.is_directory() ? "a folder" : contents(entry.path());
  }
  return all;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

struct Place {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

std::vector<Place> records_of(const std::string& segment) {
  const auto header = engine::decode_header(segment);
  EXPECT_TRUE(header.has_value());
  std::vector<Place> places;
  std::uint64_t at = engine::kSegmentHeaderBytes;
  while (const auto record =
             engine::whole_record(std::string_view(segment).substr(at), header->salt)) {
    places.push_back({at, record->size});
    at += record->size;
  }
  return places;
}

// Every test gets its own copy of one folder: a snapshot and at least three segments behind it,
// with a ledger of what was answered.
class Damage : public ::testing::Test {
 protected:
  static void TearDownTestSuite() { original_.reset(); }

  void SetUp() override {
    if (original_ == nullptr) {
      original_ = std::make_unique<Original>();
      make_snapshot();
      make_segments();
    }
    ASSERT_TRUE(original_->made) << "there is no folder to damage";
    restore();
    for (const std::string& name : names_in(data() / "log"))
      if (name.size() == 16) segments_.push_back(name);
    ASSERT_GE(segments_.size(), 3U);
    ASSERT_EQ(names_in(data() / "snapshots").size(), 1U);
    snapshot_ = names_in(data() / "snapshots").front();
  }

  fs::path data() const { return scratch_.path() / "data"; }
  fs::path segment(std::size_t i) const { return data() / "log" / segments_.at(i); }
  fs::path last_segment() const { return segment(segments_.size() - 1); }
  fs::path snapshot() const { return data() / "snapshots" / snapshot_; }
  void restore() const {
    fs::remove_all(data());
    fs::copy(original_->scratch.path() / "data", data(), fs::copy_options::recursive);
  }

  // The message, from "fault:" on. The folder is restored afterwards.
  std::string expect_refused(FaultKind kind, const std::string& named) const {
    const auto before = image(data());
    ChildProcess child(options_at(data()));
    EXPECT_FALSE(child.ready()) << "it has started\n" << child.errors();
    child.kill();  // if it has
    EXPECT_EQ(to_text(child.wait()), to_text(Exit{0, engine::exit_code(kind)})) << child.errors();
    const std::string fault = child.fault();
    EXPECT_NE(fault.find(named), std::string::npos)
        << "the message does not name " << named << ":\n"
        << child.errors();
    const auto after = image(data());
    for (const auto& [name, bytes] : before) {
      EXPECT_TRUE(after.contains(name)) << "the failed start has removed " << name;
      EXPECT_TRUE(!after.contains(name) || after.at(name) == bytes)
          << "the failed start has changed " << name;
    }
    for (const auto& [name, bytes] : after)
      EXPECT_TRUE(before.contains(name)) << "the failed start has made " << name;
    restore();
    return fault;
  }
  void expect_refused_at(const std::string& named, std::uint64_t offset) const {
    static_cast<void>(
        expect_refused(FaultKind::damaged, named + " at byte " + std::to_string(offset)));
  }

  // It starts, and all that this ledger knows is there.
  void expect_started(Ledger ledger) const {
    ChildProcess child(options_at(data()));
    Clients clients(child, ledger);
    ASSERT_TRUE(child.ready()) << to_text(child.wait()) << "\n" << child.errors();
    ASSERT_TRUE(clients.audit() && clients.works_on("lease-afterwards")) << child.errors();
    child.kill();
    clients.last_words();
    for (const std::string& problem : ledger.judge()) ADD_FAILURE() << problem;
    restore();
  }
  const Ledger& all_answered() const { return original_->ledger; }
  const Ledger& all_but_the_last() const { return original_->before_last; }

  static ChildOptions options_at(const fs::path& folder) {
    ChildOptions options;
    options.folder = folder;
    options.segment_bytes = 8'192;
    options.padding_bytes = 800;
    return options;
  }

  struct Original {
    Scratch scratch;
    Ledger ledger;
    Ledger before_last;  // without what was answered last
    bool made = false;
  };
  static std::unique_ptr<Original> original_;

 private:
  static void make_snapshot() {
    ChildOptions options = options_at(original_->scratch.path() / "data");
    options.snapshot_log_bytes = 30'000;
    ChildProcess child(options);
    Clients clients(child, original_->ledger);
    ASSERT_TRUE(child.ready()) << child.errors();
    const auto is_cut = [&] {
      return names_in(options.folder / "log").front() != "0000000000000001";
    };
    for (int i = 0; i < 200 && !is_cut(); ++i)
      ASSERT_TRUE(acquire_one_by_one(clients, original_->ledger, 1)) << child.errors();
    child.terminate();
    clients.last_words();
    ASSERT_EQ(to_text(child.wait()), to_text(Exit{0, 0})) << child.errors();
  }

  // With the engine's own idea of when to make a snapshot, none is made here.
  static void make_segments() {
    ChildProcess child(options_at(original_->scratch.path() / "data"));
    Clients clients(child, original_->ledger);
    ASSERT_TRUE(child.ready() && acquire_one_by_one(clients, original_->ledger, 30))
        << child.errors();
    original_->before_last = original_->ledger;
    ASSERT_TRUE(acquire_one_by_one(clients, original_->ledger, 1)) << child.errors();
    child.kill();
    clients.last_words();
    original_->made = true;
  }

 protected:
  Scratch scratch_;
  std::vector<std::string> segments_;
  std::string snapshot_;
};
std::unique_ptr<Damage::Original> Damage::original_;

TEST_F(Damage, NoneIsFoundInAFolderThatWasNotTouched) { expect_started(all_answered()); }

TEST_F(Damage, OfAnyByteOfTheFormatFileStopsTheStart) {
  const std::size_t size = contents(data() / "FORMAT").size();
  ASSERT_GT(size, 0U);
  for (std::size_t at = 0; at < size && !HasFailure(); at += 3) {
    SCOPED_TRACE("byte " + std::to_string(at));
    flip(data() / "FORMAT", at);
    expect_refused(FaultKind::damaged, "FORMAT at byte ");
  }
}

TEST_F(Damage, OfTheLockFileDoesNotMatter) {
  put(data() / "LOCK", "somebody else wrote this");
  expect_started(all_answered());
  fs::remove(data() / "LOCK");
  expect_started(all_answered());
}

TEST_F(Damage, OfASegmentHeaderStopsTheStart) {
  for (const std::string& name : segments_) {
    for (std::size_t at = 0; at < engine::kSegmentHeaderBytes && !HasFailure(); at += 5) {
      SCOPED_TRACE(name + ", byte " + std::to_string(at));
      flip(data() / "log" / name, at);
      expect_refused_at("log/" + name, 0);
    }
  }
}

TEST_F(Damage, OfARecordThatOthersFollowStopsTheStart) {
  std::size_t turn = 0;
  for (const std::string& name : segments_) {
    std::vector<Place> records = records_of(contents(data() / "log" / name));
    if (name == segments_.back()) records.pop_back();
    for (const Place& record : records) {
      if (HasFailure()) return;
      // Its magic number, its length, its middle, its last byte.
      const std::uint64_t places[] = {0, 9, record.size / 2, record.size - 1};
      const std::uint64_t at = places[turn++ % std::size(places)];
      SCOPED_TRACE(name + ", byte " + std::to_string(at) + " of the record at " +
                   std::to_string(record.offset));
      flip(data() / "log" / name, record.offset + at);
      expect_refused_at("log/" + name, record.offset);
    }
  }
  EXPECT_GE(turn, 10U);
}

TEST_F(Damage, OfTheVeryLastRecordIsTakenForATornWriteAndCostsNoMore) {
  const std::vector<Place> records = records_of(contents(last_segment()));
  ASSERT_FALSE(records.empty());
  const Place last = records.back();
  for (std::uint64_t at = 0; at < last.size && !HasFailure(); at += 1 + last.size / 20) {
    SCOPED_TRACE("byte " + std::to_string(at) + " of the last record");
    flip(last_segment(), last.offset + at);
    expect_started(all_but_the_last());
  }
}

TEST_F(Damage, OfASegmentsSealStopsTheStart) {
  const std::size_t seal = contents(segment(0)).size() - engine::kSealBytes;
  for (std::size_t at = 0; at < engine::kSealBytes && !HasFailure(); at += 5) {
    SCOPED_TRACE("byte " + std::to_string(at) + " of the seal");
    flip(segment(0), seal + at);
    expect_refused_at("log/" + segments_.front(), seal);
  }
}

TEST_F(Damage, ByACutFileStopsTheStart) {
  for (const std::string& name : segments_) {
    SCOPED_TRACE(name);
    fs::resize_file(data() / "log" / name, fs::file_size(data() / "log" / name) - 1);
    expect_refused(FaultKind::damaged, "log/" + name + " at byte ");
  }
  for (const std::uintmax_t part : {0, 1, 2, 3}) {
    SCOPED_TRACE(std::to_string(part) + " quarters of the snapshot");
    fs::resize_file(snapshot(), fs::file_size(snapshot()) * part / 4);
    expect_refused(FaultKind::damaged, "snapshots/" + snapshot_ + " at byte ");
  }
}

TEST_F(Damage, OfASnapshotStopsTheStart) {
  const std::size_t size = contents(snapshot()).size();
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < 48; at += 4) places.push_back(at);  // the header
  for (std::size_t i = 1; i < 12; ++i) places.push_back(48 + i * (size - 80) / 12);
  for (std::size_t at = size - 32; at < size; at += 4) places.push_back(at);  // the end
  for (const std::size_t at : places) {
    if (HasFailure()) return;
    SCOPED_TRACE("byte " + std::to_string(at) + " of " + std::to_string(size));
    flip(snapshot(), at);
    expect_refused(FaultKind::damaged, "snapshots/" + snapshot_ + " at byte ");
  }
}

TEST_F(Damage, ByAMissingSegmentStopsTheStart) {
  for (std::size_t i = 1; i < segments_.size(); ++i) {
    SCOPED_TRACE(segments_[i]);
    fs::remove(segment(i));
    expect_refused(FaultKind::damaged, segments_[i]);
  }
}

TEST_F(Damage, ByAMissingSnapshotStopsTheStart) {
  fs::remove(snapshot());
  expect_refused(FaultKind::damaged, "snapshot");
}

TEST_F(Damage, ByAMissingFolderStopsTheStart) {
  fs::remove_all(data() / "log");
  expect_refused(FaultKind::damaged, "log");
  fs::remove_all(data() / "snapshots");
  expect_refused(FaultKind::damaged, "snapshots");
}

TEST_F(Damage, ByAMissingFormatFileStopsTheStart) {
  fs::remove(data() / "FORMAT");
  expect_refused(FaultKind::damaged, "FORMAT");
}

TEST_F(Damage, IsNotWhatANewerFormatIsCalled) {
  std::string text = contents(data() / "FORMAT");
  const std::size_t version = text.find("format ") + 7;
  text.replace(version, 1, "2");
  const std::size_t sum = text.rfind("crc32c ");
  char line[32];
  static_cast<void>(std::snprintf(line, sizeof line, "crc32c %08x\n",
                                  codec::crc32c(std::string_view(text).substr(0, sum))));
  put(data() / "FORMAT", text.substr(0, sum) + line);
  expect_refused(FaultKind::newer, "FORMAT");
}

TEST_F(Damage, IsNotWhatANewerSegmentIsCalled) {
  std::string bytes = contents(last_segment());
  codec::put_le(bytes.data() + 8, std::uint16_t{engine::kLogVersion + 1});
  codec::put_le(bytes.data() + 4, codec::crc32c(std::string_view(bytes).substr(8, 56)));
  put(last_segment(), bytes);
  expect_refused(FaultKind::newer, "log/" + segments_.back());
}

TEST_F(Damage, IsNotWhatAFolderOfSomethingElseIsCalled) {
  fs::remove_all(data());
  fs::create_directory(data());
  put(data() / "notes.txt", "mine");
  expect_refused(FaultKind::foreign, "notes.txt");
}

TEST_F(Damage, IsNotDoneToAFolderThatIsInUse) {
  Ledger ledger = all_answered();
  ChildProcess first(options_at(data()));
  Clients clients(first, ledger);
  ASSERT_TRUE(first.ready()) << first.errors();
  ChildProcess second(options_at(data()));
  EXPECT_FALSE(second.ready());
  EXPECT_EQ(to_text(second.wait()), to_text(Exit{0, engine::exit_code(FaultKind::in_use)}))
      << second.errors();
  EXPECT_NE(second.fault(), "") << second.errors();
  EXPECT_TRUE(clients.audit() && clients.works_on("lease-afterwards") && clients.audit())
      << first.errors();
  for (const std::string& problem : ledger.judge()) ADD_FAILURE() << problem;
}

}  // namespace
}  // namespace pawl::testing
