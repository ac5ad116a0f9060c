// SPDX-License-Identifier: Apache-2.0
#include "engine/replica/writer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/assert.h"

namespace pawl::engine {

namespace {

// What a job did, for the loop to look at once it is over.
struct Written {
  Append append;
  std::uint64_t state = 0;
  std::optional<std::uint64_t> number;
  std::optional<Fault> fault;
};

}  // namespace

Writer::Writer(Log& log, const LogOptions& options, const ports::Clock& clock,
               ports::Observer& observer, ports::Worker& writing, ports::Worker& preparing,
               OnWritten written, OnFault failed, OnTidy tidy)
    : log_(log),
      most_bytes_(most_record_bytes(options)),
      clock_(clock),
      observer_(observer),
      worker_(writing),
      preparer_(preparing),
      written_(std::move(written)),
      failed_(std::move(failed)),
      tidy_(std::move(tidy)) {}

void Writer::want_state(Term term, NodeId vote) {
  term_ = term;
  vote_ = vote;
  ++state_wanted_;
  wanted_ = true;
}

void Writer::want_entries(Index first, const std::vector<Entry>& entries, std::uint64_t number) {
  if (entries_.empty() || first < first_) {
    first_ = first;
    entries_.clear();
  }
  PAWL_ASSERT(first <= first_ + entries_.size());
  entries_.resize(first - first_);
  entries_.insert(entries_.end(), entries.begin(), entries.end());
  for (Numbered& earlier : numbers_) earlier.last = std::min(earlier.last, first - 1);
  numbers_.push_back({first + entries.size() - 1, number});
  wanted_ = true;
}

void Writer::want_reset(Index index, Term term) {
  reset_ = {index, term};
  entries_.clear();
  numbers_.clear();
  wanted_ = true;
}

// As much as one record may hold; what is left over is the next one.
Append Writer::take() {
  Append append{term_, vote_, std::exchange(reset_, std::nullopt), 0, {}};
  wanted_ = false;
  if (entries_.empty()) return append;
  append.first = first_;
  std::uint64_t bytes = 0;
  auto end = entries_.begin();
  while (end != entries_.end() && (bytes += record_bytes(*end)) <= most_bytes_) ++end;
  PAWL_ASSERT(end != entries_.begin());
  append.entries.assign(std::make_move_iterator(entries_.begin()), std::make_move_iterator(end));
  entries_.erase(entries_.begin(), end);
  first_ += append.entries.size();
  wanted_ = !entries_.empty();
  return append;
}

// Those whose entries are all taken, or were replaced before they were.
std::optional<std::uint64_t> Writer::take_numbers() {
  std::optional<std::uint64_t> taken;
  while (!numbers_.empty() && (entries_.empty() || numbers_.front().last < first_)) {
    taken = numbers_.front().number;
    numbers_.pop_front();
  }
  return taken;
}

void Writer::go_on() {
  if (writing_ || !wanted_) return;
  writing_ = true;
  auto job = std::make_shared<Written>();
  job->append = take();
  job->number = take_numbers();
  job->state = state_wanted_;
  const ports::Ticks begun = clock_.now();
  worker_.run([this, job] { job->fault = log_.append(job->append); },
              [this, job, begun] {
                writing_ = false;
                if (job->fault) return failed_(*job->fault);
                observer_.log_written(clock_.now() - begun);
                state_on_disk_ = job->state;
                prepare_segment();
                written_(job->append, job->number);
              });
}

void Writer::prepare_segment() {
  if (preparing_ || !log_.wants_segment()) return;
  preparing_ = true;
  auto fault = std::make_shared<std::optional<Fault>>();
  preparer_.run([this, fault] { *fault = log_.prepare_segment(); },
                [this, fault] {
                  preparing_ = false;
                  tidied(*fault);
                });
}

// Removing a file of many blocks takes longer than a client should wait for its write.
void Writer::cut_prefix(Index up_to) {
  ++cutting_;
  auto files = std::make_shared<std::vector<std::string>>();
  worker_.run([this, files, up_to] { *files = log_.forget_prefix(up_to); },
              [this, files] { remove(std::move(*files)); });
}

void Writer::remove(std::vector<std::string> files) {
  auto fault = std::make_shared<std::optional<Fault>>();
  preparer_.run([this, fault, files = std::move(files)] { *fault = log_.remove_files(files); },
                [this, fault] {
                  --cutting_;
                  tidied(*fault);
                });
}

void Writer::tidied(const std::optional<Fault>& fault) {
  if (fault) return failed_(*fault);
  if (!tidying()) tidy_();
}

}  // namespace pawl::engine
