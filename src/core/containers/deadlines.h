// SPDX-License-Identifier: Apache-2.0
// What is due next: a 4-ary heap of (time, item), which knows where each item stands so that one
// can be moved or removed without a search. Items of equal time come in the order that the user
// gives. `Access` has `bool before(item, item)` for ties, and `uint32_t& position(item)`. Not
// thread-safe.
#pragma once

#include "core/containers/slab.h"
#include "core/time.h"

namespace pawl::core {

template <class Item, class Access>
class Deadlines {
 public:
  struct Entry {
    Time due{};
    Item item{};
  };

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  const Entry& first() const { return heap_[0]; }
  const Entry& operator[](std::size_t i) const { return heap_[i]; }

  // Sets when `item` is due; kNever takes it out.
  void set(Access access, Item item, Time due) {
    const std::uint32_t at = access.position(item);
    if (due == kNever) {
      if (at != kNone) take_out(access, at);
    } else if (at == kNone) {
      heap_.push_back({due, item});
      rise(access, heap_.size() - 1, {due, item});
    } else if (due != heap_[at].due) {
      settle(access, at, {due, item});
    }
  }

 private:
  static bool before(Access access, const Entry& a, const Entry& b) {
    return a.due != b.due ? a.due < b.due : access.before(a.item, b.item);
  }

  void put(Access access, std::size_t at, const Entry& entry) {
    heap_[at] = entry;
    access.position(entry.item) = static_cast<std::uint32_t>(at);
  }

  void take_out(Access access, std::size_t at) {
    access.position(heap_[at].item) = kNone;
    const Entry last = heap_[heap_.size() - 1];
    heap_.pop_back();
    if (at < heap_.size()) settle(access, at, last);
  }

  void settle(Access access, std::size_t at, const Entry& entry) {
    if (at > 0 && before(access, entry, heap_[(at - 1) / 4])) {
      rise(access, at, entry);
    } else {
      sink(access, at, entry);
    }
  }

  void rise(Access access, std::size_t at, const Entry& entry) {
    while (at > 0 && before(access, entry, heap_[(at - 1) / 4])) {
      put(access, at, heap_[(at - 1) / 4]);
      at = (at - 1) / 4;
    }
    put(access, at, entry);
  }

  void sink(Access access, std::size_t at, const Entry& entry) {
    for (;;) {
      const std::size_t begin = 4 * at + 1;
      const std::size_t end = begin + 4 < heap_.size() ? begin + 4 : heap_.size();
      if (begin >= end) break;
      std::size_t least = begin;
      for (std::size_t child = begin + 1; child < end; ++child) {
        if (before(access, heap_[child], heap_[least])) least = child;
      }
      if (!before(access, heap_[least], entry)) break;
      put(access, at, heap_[least]);
      at = least;
    }
    put(access, at, entry);
  }

  Chunked<Entry> heap_;
};

}  // namespace pawl::core
