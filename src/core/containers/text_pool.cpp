// SPDX-License-Identifier: Apache-2.0
#include "core/containers/text_pool.h"

#include <cstring>

#include "core/assert.h"

namespace pawl::core {

TextPool::Ref TextPool::add(std::string_view a, std::string_view b) {
  const std::size_t bytes = a.size() + b.size();
  if (bytes > kShortBytes) {
    const Ref ref = long_.add();
    long_[ref].reserve(bytes);
    long_[ref].append(a).append(b);
    return ref | kLong;
  }
  const std::size_t size = units(bytes);
  Ref ref = 0;
  if (size < free_.size() && !free_[size].empty()) {
    ref = free_[size].back();
    free_[size].pop_back();
  } else {
    const std::size_t left = kChunkUnits - next_unit_ % kChunkUnits;
    if (size > left) next_unit_ += left;  // a text never crosses a chunk's end
    PAWL_ASSERT(next_unit_ + size < kLong);
    if (next_unit_ / kChunkUnits == chunks_.size()) {
      chunks_.push_back(std::make_unique<char[]>(kChunkUnits * kUnit));
    }
    ref = static_cast<Ref>(next_unit_);
    next_unit_ += size;
  }
  char* place = chunks_[ref / kChunkUnits].get() + std::size_t{ref % kChunkUnits} * kUnit;
  if (!a.empty()) std::memcpy(place, a.data(), a.size());
  if (!b.empty()) std::memcpy(place + a.size(), b.data(), b.size());
  return ref;
}

void TextPool::remove(Ref ref, std::size_t bytes) {
  if ((ref & kLong) != 0) {
    long_.remove(ref & ~kLong);
    return;
  }
  const std::size_t size = units(bytes);
  if (size >= free_.size()) free_.resize(size + 1);
  free_[size].push_back(ref);
}

}  // namespace pawl::core
