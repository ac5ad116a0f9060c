// SPDX-License-Identifier: Apache-2.0
// The input is a row of files: one byte of decisions, two of length, then the file's bytes. What
// the decisions ask for is made right: header, records, seal.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "codec/bytes.h"
#include "core/assert.h"
#include "engine/log/log.h"
#include "engine/log/log_state.h"
#include "engine/log/record.h"
#include "engine/log/segment.h"
#include "fuzz/targets.h"
#include "support/sim_disk.h"

namespace pawl::fuzz {
namespace {

using namespace pawl::engine;

constexpr unsigned kNumber = 0x0f;
constexpr unsigned kMendHeader = 0x10;
constexpr unsigned kMendRecords = 0x20;
constexpr unsigned kMendSeal = 0x40;
constexpr unsigned kSpare = 0x80;
constexpr std::uint64_t kSalt = 0x5a17;

const LogOptions kOptions{"log", 1024};

class FixedRandom final : public ports::Random {
 public:
  std::uint64_t next() override { return ++last_; }

 private:
  std::uint64_t last_ = 1000;
};

// Files whose checksums hold and that follow one another, whatever they say.
class Mender {
 public:
  Mender() { state_.segments.push_back({}); }

  std::string mend(std::string file, unsigned decisions, std::uint64_t number) {
    if (file.size() < kSegmentHeaderBytes + kSealBytes) return file;
    if ((decisions & kMendHeader) != 0) mend_header(file, number);
    if ((decisions & kMendRecords) != 0) mend_records(file);
    if ((decisions & kMendSeal) != 0) {
      file.replace(file.size() - kSealBytes, kSealBytes, encode_seal(header_, state_.sequence));
    }
    return file;
  }

 private:
  void mend_header(std::string& file, std::uint64_t number) {
    header_.bytes = static_cast<std::uint32_t>(file.size());
    header_.salt = kSalt;
    header_.number = number;
    if (is_first_) {
      state_.next = 1 + codec::get_le<std::uint16_t>(file.data() + 40);
      state_.term = codec::get_le<std::uint16_t>(file.data() + 48);
      state_.vote = codec::get_le<std::uint16_t>(file.data() + 56);
      is_first_ = false;
    }
    header_.first_sequence = state_.sequence + 1;
    header_.next = state_.next;
    header_.term = state_.term;
    header_.vote = state_.vote;
    file.replace(0, kSegmentHeaderBytes, encode_header(header_));
  }

  // A record wherever one would be read, as long as the bytes give it a length.
  void mend_records(std::string& file) {
    std::string empty;
    encode_record({}, kSalt, 0, empty);
    const std::size_t end = file.size() - kSealBytes;
    for (std::size_t at = kSegmentHeaderBytes; at + empty.size() <= end;) {
      const std::uint64_t length = codec::get_le<std::uint32_t>(file.data() + at + 8) & 0xfff8U;
      const std::uint64_t size = kRecordHeaderBytes + std::max(length, kRecordFixedBytes);
      if (length == 0 || size > end - at) return;
      file.replace(at, 4, empty, 0, 4);
      codec::put_le(file.data() + at + 8, static_cast<std::uint32_t>(size - kRecordHeaderBytes));
      codec::put_le(file.data() + at + 24, state_.sequence + 1);
      change_salt(file.data() + at, size, kSalt);
      const auto append = decode_payload(
          std::string_view(file).substr(at + kRecordHeaderBytes, size - kRecordHeaderBytes));
      if (append && append.value().first < kMostIndex) {
        state_.apply(append.value());
      } else {
        ++state_.sequence;
      }
      at += size;
    }
  }

  LogState state_;
  SegmentHeader header_;
  bool is_first_ = true;
};

bool same(const LogContents& a, const LogContents& b) {
  const auto same_entry = [](const Entry& x, const Entry& y) {
    return x.term == y.term && x.kind == y.kind && *x.bytes == *y.bytes;
  };
  return a.term == b.term && a.vote == b.vote && a.first == b.first &&
         std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
                    same_entry);
}

void use(testing::SimDisk& disk, ports::Random& random, Log::Opened opened) {
  LogContents expected = std::move(opened.contents);
  const Index next = expected.first + expected.entries.size();
  if (next + 1 >= kMostIndex) return;
  const Entry entry{expected.term, EntryKind::command, std::make_shared<const std::string>("new")};
  Append append;
  append.term = expected.term;
  append.vote = expected.vote;
  append.first = next;
  append.entries = {entry};
  PAWL_ASSERT(!opened.log->append(append));
  opened.log.reset();
  disk.crash(testing::CrashKind::power_loss);
  auto again = Log::open(disk, random, kOptions, false);
  PAWL_ASSERT(again.ok());
  expected.entries.push_back(entry);
  PAWL_ASSERT(same(again.value().contents, expected));
  PAWL_ASSERT(!again.value().log->prepare_segment());
  PAWL_ASSERT(!again.value().log->cut_prefix(next));
  again.value().log.reset();
  PAWL_ASSERT(Log::open(disk, random, kOptions, false).ok());
}

}  // namespace

void try_log(std::string_view input) {
  testing::Random chance(1);
  testing::SimDisk disk(chance);
  Mender mender;
  while (input.size() >= 3) {
    const unsigned decisions = static_cast<unsigned char>(input[0]);
    const std::size_t length = codec::get_le<std::uint16_t>(input.data() + 1);
    const std::uint64_t number = decisions & kNumber;
    const std::string_view file = input.substr(3, length);
    const bool is_spare = (decisions & kSpare) != 0;
    disk.overwrite("log/" + (is_spare ? spare_name(number) : segment_name(number)),
                   mender.mend(std::string(file), decisions, number));
    input.remove_prefix(3 + file.size());
  }
  const bool fresh = !input.empty();
  FixedRandom random;
  auto opened = Log::open(disk, random, kOptions, fresh);
  if (opened) return use(disk, random, std::move(opened).value());
  PAWL_ASSERT(opened.fault().kind != FaultKind::disk && !opened.fault().what.empty());
}

}  // namespace pawl::fuzz
