// SPDX-License-Identifier: Apache-2.0
// The log on disk: entries, term and vote in one stream of records, in numbered segments of fixed
// size (docs/formats/log.md has it byte by byte). One write is one record under one checksum, and
// the next begins only when it is synced: so what is torn by a crash is the last record and nothing
// else, and anything else that can't be read is damage and stops the start.
//
// Not thread-safe, and it blocks: the writer thread appends, while the loop keeps its hands off;
// see replica/writer.h. Any fault but those of open() leaves the log unusable: the process must
// stop (a failed sync may have lost what an earlier one promised).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/entry.h"
#include "engine/fault.h"
#include "ports/disk.h"
#include "ports/random.h"

namespace pawl::engine {

struct LogOptions {
  std::string folder = "log";
  std::uint64_t segment_bytes = std::uint64_t{16} << 20;  // 1 KiB to 1 GiB, a multiple of 8
};

// What the entries of one append may add up to, each counted as record_bytes(): a little less than
// half a segment. The largest entry of the codec must fit.
std::uint64_t most_record_bytes(const LogOptions& options);
std::uint64_t record_bytes(const Entry& entry);

// One write.
struct Append {
  Term term = 0;  // the current one
  NodeId vote = 0;
  // The log gives way to a snapshot: it is empty, and the next entry is the one behind this.
  std::optional<std::pair<Index, Term>> reset;
  Index first = 0;  // of the entries; what the log had from there on is gone. Zero: none
  std::vector<Entry> entries;
};

// What open() found.
struct LogContents {
  Term term = 0;
  NodeId vote = 0;
  Index first = 1;  // of the entries that are there; last + 1 if there are none
  std::vector<Entry> entries;
  std::uint64_t torn_bytes = 0;  // of the torn last write, which was cut; zero: none
};

class Log {
 public:
  // Reads what is there, cuts a torn last write, and rewrites the last segment so that what was
  // read is on disk for certain. `fresh`: if there is no log, this makes one. `check` may find that
  // what was read does not fit to something else; then nothing on disk is changed.
  struct Opened {
    std::unique_ptr<Log> log;
    LogContents contents;
  };
  using Check = std::function<std::optional<Fault>(const LogContents&)>;
  [[nodiscard]] static ports::Result<Opened, Fault> open(ports::Disk& disk, ports::Random& random,
                                                         const LogOptions& options, bool fresh,
                                                         const Check& check = {});
  ~Log();

  // Written and synced when it returns without a fault.
  [[nodiscard]] std::optional<Fault> append(const Append& append);

  // Entries up to this index are no longer needed; whole segments are removed.
  [[nodiscard]] std::optional<Fault> cut_prefix(Index up_to);
  // The same in two: which files they are, which the log then has nothing to do with any more, and
  // the removal, oldest first, which takes its time and may run in another thread beside append().
  [[nodiscard]] std::vector<std::string> forget_prefix(Index up_to);
  [[nodiscard]] std::optional<Fault> remove_files(const std::vector<std::string>& files);

  // Makes the next segment beforehand, so that append() need not: may run in another thread beside
  // append(). Does nothing if there is one.
  [[nodiscard]] std::optional<Fault> prepare_segment();
  bool wants_segment() const;  // from any thread

  // The bytes of the segments in use. From any thread.
  std::uint64_t bytes_on_disk() const;

 private:
  class Impl;
  explicit Log(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::engine
