// SPDX-License-Identifier: Apache-2.0
#include "engine/replica/tail.h"

#include <algorithm>

#include "core/assert.h"
#include "engine/log/log.h"

namespace pawl::engine {

const Entry& Tail::at(Index index) const {
  PAWL_ASSERT(has(index));
  return entries_[index - first_].entry;
}

std::uint64_t Tail::end_of(Index index) const {
  return index < first_ ? base_ : entries_[std::min(index, last()) - first_].end;
}

void Tail::append(Index first, const std::vector<Entry>& entries) {
  PAWL_ASSERT(first >= first_ && first <= last() + 1);
  entries_.resize(first - first_);
  std::uint64_t end = entries_.empty() ? base_ : entries_.back().end;
  for (const Entry& entry : entries) {
    end += record_bytes(entry);
    entries_.push_back({entry, end});
  }
}

void Tail::cut(Index up_to) {
  while (!entries_.empty() && first_ <= up_to) {
    base_ = entries_.front().end;
    entries_.pop_front();
    ++first_;
  }
}

std::vector<Entry> Tail::copy(Index from, Index to) const {
  std::vector<Entry> copied;
  copied.reserve(to + 1 - from);
  for (Index index = from; index <= to; ++index) copied.push_back(at(index));
  return copied;
}

std::uint64_t Tail::bytes_after(Index index) const {
  if (entries_.empty()) return 0;
  return entries_.back().end - end_of(index);
}

}  // namespace pawl::engine
