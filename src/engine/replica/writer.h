// SPDX-License-Identifier: Apache-2.0
// What must be on disk, and what is: gathers while a write is under way, and makes one write of all
// that has gathered. The one place where the loop and the writing thread meet. In the loop only.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/entry.h"
#include "engine/fault.h"
#include "engine/log/log.h"
#include "ports/loop.h"
#include "ports/observer.h"

namespace pawl::engine {

class Writer {
 public:
  // Called in the loop after each write: what is on disk now, and the last of the numbered entries
  // that are there in full, if any.
  using OnWritten = std::function<void(const Append&, std::optional<std::uint64_t>)>;
  using OnFault = std::function<void(const Fault&)>;
  // Called in the loop when there is nothing more to tidy().
  using OnTidy = std::function<void()>;

  // All of it must outlive the writer.
  Writer(Log& log, const LogOptions& options, const ports::Clock& clock, ports::Observer& observer,
         ports::Worker& writing, ports::Worker& preparing, OnWritten written, OnFault failed,
         OnTidy tidy);

  // What is on disk already, at the start.
  void begin(Term term, NodeId vote) { term_ = term, vote_ = vote; }

  void want_state(Term term, NodeId vote);
  // `number` grows; see OnWritten.
  void want_entries(Index first, const std::vector<Entry>& entries, std::uint64_t number);
  // The log gives way to a snapshot; entries that were wanted and not yet written are dropped.
  void want_reset(Index index, Term term);
  // Begins to write what is wanted, unless a write is under way.
  void go_on();

  // A write is under way, or wanted.
  bool busy() const { return writing_ || wanted_; }
  // Segments are being prepared or removed.
  bool tidying() const { return preparing_ || cutting_ != 0; }

  // Grows with each change of term or vote; what is promised to others under the new ones must wait
  // until it is on disk.
  std::uint64_t state_wanted() const { return state_wanted_; }
  std::uint64_t state_on_disk() const { return state_on_disk_; }

  // Entries up to this one are no longer needed on disk.
  void cut_prefix(Index up_to);

 private:
  struct Numbered {
    Index last = 0;
    std::uint64_t number = 0;
  };

  Append take();
  std::optional<std::uint64_t> take_numbers();
  void prepare_segment();
  void remove(std::vector<std::string> files);
  void tidied(const std::optional<Fault>& fault);

  Log& log_;
  std::uint64_t most_bytes_;
  const ports::Clock& clock_;
  ports::Observer& observer_;
  ports::Worker& worker_;
  ports::Worker& preparer_;
  OnWritten written_;
  OnFault failed_;
  OnTidy tidy_;

  Term term_ = 0;
  NodeId vote_ = 0;
  std::optional<std::pair<Index, Term>> reset_;
  Index first_ = 0;
  std::vector<Entry> entries_;
  std::deque<Numbered> numbers_;
  bool wanted_ = false;
  bool writing_ = false;
  bool preparing_ = false;
  int cutting_ = 0;
  std::uint64_t state_wanted_ = 0;
  std::uint64_t state_on_disk_ = 0;
};

}  // namespace pawl::engine
