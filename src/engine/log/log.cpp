// SPDX-License-Identifier: Apache-2.0
#include "engine/log/log.h"

#include <deque>
#include <mutex>
#include <utility>

#include "core/assert.h"
#include "engine/log/log_start.h"
#include "engine/log/log_state.h"
#include "engine/log/record.h"
#include "engine/log/segment.h"

namespace pawl::engine {
namespace {

// A segment holds at least two records, whatever they are, and its size is a number of 32 bits.
constexpr std::uint64_t kLeastSegmentBytes = 1024;
constexpr std::uint64_t kMostSegmentBytes = std::uint64_t{1} << 30;

// Salts from one draw, because ports::Random is the loop's: the finalizer of SplitMix64.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebU;
  return x ^ (x >> 31U);
}

}  // namespace

class Log::Impl {
 public:
  Impl(ports::Disk& disk, LogOptions options, StartedLog started, std::uint64_t seed)
      : disk_(disk),
        options_(std::move(options)),
        seed_(seed),
        state_(std::move(started.state)),
        segment_(std::move(started.segment)) {
    publish();
  }

  std::optional<Fault> append(const Append& append) {
    if (auto fault = fault_so_far()) return fault;
    check(append);
    return remember(write(append));
  }

  std::vector<std::string> forget_prefix(Index up_to) {
    std::deque<SegmentInfo>& segments = state_.segments;
    std::vector<std::string> files;
    while (segments.size() > 1 && segments.front().last <= up_to) {
      files.push_back(in_folder(options_.folder, segment_name(segments.front().number)));
      segments.pop_front();
    }
    publish();
    return files;
  }

  // Oldest first, so that what is left after a crash has no gap.
  std::optional<Fault> remove_files(const std::vector<std::string>& files) {
    if (auto fault = fault_so_far()) return fault;
    for (const std::string& file : files) {
      if (auto error = disk_.remove(file)) return remember(disk_fault(*error));
    }
    if (files.empty()) return std::nullopt;
    if (auto error = disk_.sync_folder(options_.folder)) return remember(disk_fault(*error));
    return std::nullopt;
  }

  std::optional<Fault> prepare_segment() {
    if (auto fault = fault_so_far()) return fault;
    std::string path;
    {
      const std::lock_guard lock(mutex_);
      if (prepared_) return std::nullopt;
      path = next_spare_path();
    }
    auto spare = make_spare(disk_, path, options_.segment_bytes);
    if (!spare) return remember(spare.fault());
    const std::lock_guard lock(mutex_);
    prepared_ = std::move(spare).value();
    return std::nullopt;
  }

  bool wants_segment() const {
    const std::lock_guard lock(mutex_);
    return !prepared_ && !fault_ && half_full_;
  }

  std::uint64_t bytes_on_disk() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  // What would not be read again is a bug of the caller's.
  void check(const Append& append) const {
    PAWL_ASSERT(record_size(append) <=
                most_record_bytes(options_) + kRecordHeaderBytes + kRecordFixedBytes);
    PAWL_ASSERT(append.term >= state_.term);
    const Index next = append.reset ? append.reset->first + 1 : state_.next;
    const Index floor = append.reset ? next : state_.floor;
    if (append.first == 0) {
      PAWL_ASSERT(append.entries.empty());
    } else {
      PAWL_ASSERT(floor <= append.first && append.first <= next);
    }
    Term term = append.reset ? append.reset->second : 0;
    for (const Entry& entry : append.entries) {
      PAWL_ASSERT(entry.term >= term);
      term = entry.term;
    }
    PAWL_ASSERT(term <= append.term);
  }

  std::optional<Fault> write(const Append& append) {
    if (record_size(append) > segment_.room()) {
      if (auto fault = roll_over()) return fault;
    }
    encode_record(append, segment_.header.salt, state_.sequence + 1, buffer_);
    if (auto error = segment_.file->write(segment_.used, buffer_)) return disk_fault(*error);
    if (auto error = segment_.file->sync()) return disk_fault(*error);
    segment_.used += buffer_.size();
    state_.apply(append);
    publish();
    return std::nullopt;
  }

  // The next segment is on disk under its name before this one is sealed, and this one is sealed
  // before the next one has a record.
  std::optional<Fault> roll_over() {
    auto spare = take_spare();
    if (!spare) return spare.fault();
    SegmentHeader header;
    header.bytes = static_cast<std::uint32_t>(spare.value().bytes);
    header.salt = mix(seed_ + segment_.header.number);
    header.number = segment_.header.number + 1;
    header.first_sequence = state_.sequence + 1;
    header.next = state_.next;
    header.term = state_.term;
    header.vote = state_.vote;
    auto next = start_segment(disk_, options_.folder, std::move(spare).value(), header, {});
    if (!next) return next.fault();
    if (auto fault = seal_segment(*segment_.file, segment_.header, state_.sequence)) return fault;
    segment_ = std::move(next).value();
    state_.segments.push_back({header.number, header.bytes, 0});
    return std::nullopt;
  }

  ports::Result<SpareSegment, Fault> take_spare() {
    std::string path;
    {
      const std::lock_guard lock(mutex_);
      if (prepared_) return *std::exchange(prepared_, std::nullopt);
      path = next_spare_path();
    }
    return make_spare(disk_, path, options_.segment_bytes);
  }

  std::string next_spare_path() { return in_folder(options_.folder, spare_name(++spares_made_)); }

  std::optional<Fault> fault_so_far() const {
    const std::lock_guard lock(mutex_);
    return fault_;
  }
  std::optional<Fault> remember(std::optional<Fault> fault) {
    const std::lock_guard lock(mutex_);
    if (!fault_) fault_ = fault;
    return fault;
  }
  void publish() {
    std::uint64_t bytes = 0;
    for (const SegmentInfo& segment : state_.segments) bytes += segment.bytes;
    const std::lock_guard lock(mutex_);
    bytes_ = bytes;
    half_full_ = segment_.used > segment_.header.bytes / 2;
  }

  ports::Disk& disk_;
  const LogOptions options_;
  const std::uint64_t seed_;

  // Those of whoever appends.
  LogState state_;
  Segment segment_;
  std::string buffer_;

  // Shared with whoever prepares.
  mutable std::mutex mutex_;
  std::optional<SpareSegment> prepared_;
  std::uint64_t spares_made_ = 0;
  std::uint64_t bytes_ = 0;
  bool half_full_ = false;
  std::optional<Fault> fault_;
};

ports::Result<Log::Opened, Fault> Log::open(ports::Disk& disk, ports::Random& random,
                                            const LogOptions& options, bool fresh,
                                            const Check& check) {
  PAWL_ASSERT(options.segment_bytes >= kLeastSegmentBytes &&
              options.segment_bytes <= kMostSegmentBytes &&
              options.segment_bytes % kRecordAlignment == 0);
  const std::uint64_t seed = random.next();
  auto started = start_log(disk, options, fresh, check, mix(seed));
  if (!started) return started.fault();
  LogContents contents = std::move(started.value().contents);
  auto impl = std::make_unique<Impl>(disk, options, std::move(started).value(), seed);
  return Opened{std::unique_ptr<Log>(new Log(std::move(impl))), std::move(contents)};
}

Log::Log(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Log::~Log() = default;

std::optional<Fault> Log::append(const Append& append) { return impl_->append(append); }
std::optional<Fault> Log::cut_prefix(Index up_to) {
  return impl_->remove_files(impl_->forget_prefix(up_to));
}
std::vector<std::string> Log::forget_prefix(Index up_to) { return impl_->forget_prefix(up_to); }
std::optional<Fault> Log::remove_files(const std::vector<std::string>& files) {
  return impl_->remove_files(files);
}
std::optional<Fault> Log::prepare_segment() { return impl_->prepare_segment(); }
bool Log::wants_segment() const { return impl_->wants_segment(); }
std::uint64_t Log::bytes_on_disk() const { return impl_->bytes_on_disk(); }

}  // namespace pawl::engine
