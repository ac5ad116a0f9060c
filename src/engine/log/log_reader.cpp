// SPDX-License-Identifier: Apache-2.0
// Reading the log and telling a torn last write from damage.
#include <algorithm>
#include <iterator>
#include <utility>

#include "core/assert.h"
#include "engine/log/log_start.h"

namespace pawl::engine {
namespace {

Fault damage(std::string file, std::uint64_t offset, std::string what) {
  Fault fault = damaged(std::move(file), offset, std::move(what));
  fault.advice =
      "entries that were answered for may be lost, so this node must not go on. Change and delete "
      "nothing: copy the data folder aside and check the disk. If other members are well, let this "
      "one join again with an empty folder; if it is alone, put a backup in its place";
  return fault;
}

struct Names {
  std::vector<std::uint64_t> segments;  // ascending
  std::vector<std::string> spares;
};

ports::Result<Names, Fault> list_names(ports::Disk& disk, const std::string& folder) {
  Names names;
  auto listed = disk.list(folder);
  if (!listed) {
    if (listed.fault().not_found) return names;
    return disk_fault(listed.fault());
  }
  for (const std::string& name : listed.value()) {
    if (const auto number = segment_number(name)) {
      names.segments.push_back(*number);
    } else if (is_spare_name(name)) {
      names.spares.push_back(name);
    } else {
      Fault fault;
      fault.kind = FaultKind::foreign;
      fault.file = in_folder(folder, name);
      fault.what = "this is no file of Pawl's log";
      fault.advice = "move it elsewhere, or point Pawl at another data folder";
      return fault;
    }
  }
  std::sort(names.segments.begin(), names.segments.end());
  return names;
}

class Reader {
 public:
  Reader(ports::Disk& disk, const std::string& folder) : disk_(disk), folder_(folder) {}

  ports::Result<ReadLog, Fault> read() {
    auto names = list_names(disk_, folder_);
    if (!names) return names.fault();
    log_.spares = names.value().spares;
    const std::vector<std::uint64_t>& numbers = names.value().segments;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (auto fault = read_segment(numbers[i], i + 1 == numbers.size())) return *std::move(fault);
    }
    return std::move(log_);
  }

 private:
  std::optional<Fault> read_segment(std::uint64_t number, bool is_last) {
    path_ = in_folder(folder_, segment_name(number));
    if (auto fault = load(number)) return fault;
    if (auto fault = take_over(is_last)) return fault;
    log_.state.segments.push_back({number, header_.bytes, 0});
    return read_records(is_last);
  }

  // The header first: it says how large the file must be, before memory is taken for it.
  std::optional<Fault> load(std::uint64_t number) {
    auto opened = disk_.open(path_);
    if (!opened) return disk_fault(opened.fault());
    const ports::File& file = *opened.value();
    bytes_.assign(kSegmentHeaderBytes, '\0');
    auto count = file.read(0, bytes_);
    if (!count) return disk_fault(count.fault());
    if (is_newer_header(bytes_)) return newer();
    const auto header = decode_header(bytes_);
    if (!header) return damage(path_, 0, "the segment's header is damaged");
    header_ = *header;
    if (header_.number != number) {
      return damage(
          path_, 24,
          "this is segment " + segment_name(header_.number) + " under another one's name");
    }
    auto size = file.size();
    if (!size) return disk_fault(size.fault());
    if (size.value() != header_.bytes) {
      return damage(path_, std::min<std::uint64_t>(size.value(), header_.bytes),
                    "the file has " + std::to_string(size.value()) + " bytes and should have " +
                        std::to_string(header_.bytes));
    }
    bytes_.resize(header_.bytes);
    count = file.read(0, bytes_);
    if (!count) return disk_fault(count.fault());
    if (count.value() != bytes_.size()) return damage(path_, count.value(), "the file is cut off");
    return std::nullopt;
  }

  Fault newer() const {
    Fault fault;
    fault.kind = FaultKind::newer;
    fault.file = path_;
    fault.what = "a newer version of Pawl has written this log";
    fault.advice = "start that version, or a later one";
    return fault;
  }

  // The oldest segment says what stood before it; each later one must begin where the one before
  // it ended.
  std::optional<Fault> take_over(bool is_last) {
    LogState& state = log_.state;
    if (state.segments.empty()) {
      state.term = header_.term;
      state.vote = header_.vote;
      state.next = header_.next;
      state.sequence = header_.first_sequence - 1;
      log_.contents.first = header_.next;
    } else if (header_.number != log_.last.number + 1) {
      return damage(in_folder(folder_, segment_name(log_.last.number + 1)), 0,
                    "this segment is missing, and a later one is there");
    } else if (header_.first_sequence != state.sequence + 1 || header_.next != state.next ||
               header_.term != state.term || header_.vote != state.vote) {
      return damage(path_, 32,
                    "the segment does not begin where the one before it ends: records are missing");
    } else {
      // The seal is written before the first record behind it, and a crash may come before it.
      const bool has_record = !is_last || begins_later_record(record_area(), header_.salt, 0);
      if (has_record && seal_ != encode_seal(log_.last, state.sequence)) {
        return damage(in_folder(folder_, segment_name(log_.last.number)),
                      log_.last.bytes - kSealBytes, "the segment's seal is damaged");
      }
      log_.before = log_.last;
    }
    log_.last = header_;
    seal_ = bytes_.substr(bytes_.size() - kSealBytes);
    return std::nullopt;
  }

  std::optional<Fault> read_records(bool is_last) {
    std::string_view rest = record_area();
    while (const auto record = whole_record(rest, header_.salt)) {
      if (auto fault = read_record(*record, offset_of(rest))) return fault;
      rest.remove_prefix(record->size);
    }
    const std::uint64_t end = offset_of(rest);
    if (auto fault = judge_rest(rest, is_last)) return fault;
    if (is_last) log_.kept = bytes_.substr(kSegmentHeaderBytes, end - kSegmentHeaderBytes);
    return std::nullopt;
  }

  std::optional<Fault> read_record(const Record& record, std::uint64_t offset) {
    if (record.sequence != log_.state.sequence + 1) {
      return damage(path_, offset,
                    "record " + std::to_string(log_.state.sequence + 1) +
                        " is missing, and record " + std::to_string(record.sequence) +
                        " is in its place");
    }
    auto append = decode_payload(record.payload);
    if (!append) return damage(path_, offset, "the record can't be read: " + append.fault());
    if (const char* reason = contradiction(append.value())) {
      return damage(path_, offset,
                    std::string("the record contradicts those before it: ") + reason);
    }
    take(std::move(append).value());
    return std::nullopt;
  }

  // Where no whole record is. The writer begins a record only once the one before is synced: what
  // a crash can tear is the very last one. If anything was begun after this place, then what was
  // here had been synced and is damaged.
  std::optional<Fault> judge_rest(std::string_view rest, bool is_last) {
    const std::uint64_t offset = offset_of(rest);
    const std::size_t written = rest.find_last_not_of('\0');
    if (is_last && seal_.find_first_not_of('\0') != std::string::npos) {
      return damage(path_, bytes_.size() - kSealBytes,
                    "the segment is sealed, and the one behind it (" +
                        segment_name(header_.number + 1) + ") is missing");
    }
    if (written == std::string_view::npos) return std::nullopt;
    if (!is_last) {
      return damage(path_, offset, "the record is damaged, and a later segment is there");
    }
    for (std::size_t at = kRecordAlignment; at <= written; at += kRecordAlignment) {
      if (begins_later_record(rest.substr(at), header_.salt, log_.state.sequence + 1)) {
        return damage(path_, offset,
                      "the record is damaged, and a later one is there (at byte " +
                          std::to_string(offset + at) + ")");
      }
    }
    log_.contents.torn_bytes = written + 1;
    return std::nullopt;
  }

  // Why this can't have been written after what was read so far; nullptr: it can.
  const char* contradiction(const Append& append) const {
    const LogState& state = log_.state;
    if (append.term < state.term) return "its term is lower";
    Index next = state.next;
    Index floor = state.floor;
    if (append.reset) {
      if (append.reset->first >= kMostIndex) return "its snapshot's index is too high";
      if (append.reset->second > append.term) return "its snapshot's term is too high";
      next = floor = append.reset->first + 1;
    }
    if (append.first == 0) return append.entries.empty() ? nullptr : "its entries have no index";
    if (append.first > next) return "entries before its own are missing";
    if (append.first < floor) return "its entries are older than the snapshot before them";
    Term term = term_before(append);
    for (const Entry& entry : append.entries) {
      if (entry.term < term) return "the terms of its entries go back";
      term = entry.term;
    }
    if (term > append.term) return "the term of an entry is higher than its own";
    return nullptr;
  }

  Term term_before(const Append& append) const {
    if (append.reset) return append.reset->second;
    const LogContents& contents = log_.contents;
    if (append.first > contents.first) {
      return contents.entries[append.first - contents.first - 1].term;
    }
    return append.first == log_.state.floor ? floor_term_ : 0;
  }

  // An append may begin before the first entry that is there: those between went with segments that
  // were cut off the front, after a later record had replaced them.
  void take(Append append) {
    log_.state.apply(append);
    LogContents& contents = log_.contents;
    if (append.reset) {
      floor_term_ = append.reset->second;
      contents.first = append.reset->first + 1;
      contents.entries.clear();
    }
    if (append.first == 0) return;
    if (append.first < contents.first) {
      contents.first = append.first;
      contents.entries.clear();
    }
    contents.entries.resize(append.first - contents.first);
    std::move(append.entries.begin(), append.entries.end(), std::back_inserter(contents.entries));
  }

  std::string_view record_area() const {
    return std::string_view(bytes_).substr(kSegmentHeaderBytes,
                                           bytes_.size() - kSegmentHeaderBytes - kSealBytes);
  }
  std::uint64_t offset_of(std::string_view rest) const {
    return static_cast<std::uint64_t>(rest.data() - bytes_.data());
  }

  ports::Disk& disk_;
  const std::string& folder_;
  ReadLog log_;
  Term floor_term_ = 0;  // of the entry that the last reset stands for

  // The segment at hand.
  std::string path_;
  SegmentHeader header_;
  std::string bytes_;
  std::string seal_;
};

}  // namespace

ports::Result<ReadLog, Fault> read_log(ports::Disk& disk, const std::string& folder) {
  auto log = Reader(disk, folder).read();
  if (log) {
    log.value().contents.term = log.value().state.term;
    log.value().contents.vote = log.value().state.vote;
  }
  return log;
}

}  // namespace pawl::engine
