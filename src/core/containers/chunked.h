// SPDX-License-Identifier: Apache-2.0
// A growing array in chunks: growing moves nothing, so no single command pays for a million others,
// and references stay valid. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace pawl::core {

template <class T, std::size_t kChunkItems = 1024>
class Chunked {
  static_assert((kChunkItems & (kChunkItems - 1)) == 0, "a power of two");

 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return chunks_[i / kChunkItems][i % kChunkItems]; }
  const T& operator[](std::size_t i) const { return chunks_[i / kChunkItems][i % kChunkItems]; }

  T& push_back(T item) {
    if (size_ == chunks_.size() * kChunkItems)
      chunks_.push_back(std::make_unique<T[]>(kChunkItems));
    T& slot = (*this)[size_++];
    slot = std::move(item);
    return slot;
  }
  void pop_back() {
    (*this)[--size_] = T{};
    // One spare chunk stays, so that a size at a chunk's edge does not allocate back and forth.
    if (chunks_.size() > size_ / kChunkItems + 2) chunks_.pop_back();
  }

 private:
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace pawl::core
