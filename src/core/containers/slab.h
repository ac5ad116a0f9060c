// SPDX-License-Identifier: Apache-2.0
// Items known by a 32-bit number instead of a pointer: half the size, and freed places are used
// again. Not thread-safe. A freed item is reset to T{}, so what it owned is given back at once.
#pragma once

#include "core/assert.h"
#include "core/containers/chunked.h"

namespace pawl::core {

inline constexpr std::uint32_t kNone = 0xffffffff;

template <class T>
class Slab {
 public:
  T& operator[](std::uint32_t ref) { return items_[ref]; }
  const T& operator[](std::uint32_t ref) const { return items_[ref]; }

  std::uint32_t add() {
    ++used_;
    if (!free_.empty()) {
      const std::uint32_t ref = free_[free_.size() - 1];
      free_.pop_back();
      return ref;
    }
    PAWL_ASSERT(items_.size() < kNone);
    items_.push_back(T{});
    return static_cast<std::uint32_t>(items_.size() - 1);
  }
  void remove(std::uint32_t ref) {
    items_[ref] = T{};
    free_.push_back(ref);
    --used_;
  }

  std::size_t used() const { return used_; }
  std::uint32_t end() const {
    return static_cast<std::uint32_t>(items_.size());
  }  // free places included

 private:
  Chunked<T> items_;
  Chunked<std::uint32_t> free_;
  std::size_t used_ = 0;
};

}  // namespace pawl::core
