// SPDX-License-Identifier: Apache-2.0
// Finds items of a Slab by hash, with linear hashing (Litwin 1980): the table grows and shrinks by
// one bucket at a time, so no command ever pays for a rehash of the whole. The chains run through
// the items themselves, which carry `hash` and `chain`. Only for looking up: it has no iteration,
// since the order of its buckets must never reach an effect. Not thread-safe.
#pragma once

#include "core/containers/slab.h"

namespace pawl::core {

template <class T>
class HashIndex {
 public:
  explicit HashIndex(Slab<T>& items) : items_(&items) { buckets_.push_back(kNone); }

  // The first item in the chain of `hash` for which `is_it(item)` holds, or kNone.
  template <class Predicate>
  std::uint32_t find(std::uint32_t hash, Predicate is_it) const {
    for (std::uint32_t ref = buckets_[bucket_of(hash)]; ref != kNone; ref = (*items_)[ref].chain) {
      const T& item = (*items_)[ref];
      if (item.hash == hash && is_it(item)) return ref;
    }
    return kNone;
  }

  void add(std::uint32_t ref) {
    push(bucket_of((*items_)[ref].hash), ref);
    ++size_;
    // Two buckets for each item; an add may split two, so that it keeps up.
    for (int i = 0; i < 2 && 2 * size_ > buckets_.size(); ++i) split();
  }

  void remove(std::uint32_t ref) {
    std::uint32_t* link = &buckets_[bucket_of((*items_)[ref].hash)];
    while (*link != ref) {
      PAWL_ASSERT(*link != kNone);
      link = &(*items_)[*link].chain;
    }
    *link = (*items_)[ref].chain;
    --size_;
    for (int i = 0; i < 2 && 8 * size_ < buckets_.size() && buckets_.size() > 1; ++i) merge();
  }

  std::size_t size() const { return size_; }

 private:
  // Buckets below `split_` have been split at this level already, and use one more bit of the hash.
  std::size_t bucket_of(std::uint32_t hash) const {
    const std::size_t bucket = hash & (level_size_ - 1);
    return bucket < split_ ? hash & (2 * level_size_ - 1) : bucket;
  }

  void push(std::size_t bucket, std::uint32_t ref) {
    (*items_)[ref].chain = buckets_[bucket];
    buckets_[bucket] = ref;
  }

  void split() {
    const std::size_t from = split_;
    std::uint32_t ref = buckets_[from];
    buckets_[from] = kNone;
    buckets_.push_back(kNone);
    if (++split_ == level_size_) {
      level_size_ *= 2;
      split_ = 0;
    }
    while (ref != kNone) {
      const std::uint32_t next = (*items_)[ref].chain;
      push(bucket_of((*items_)[ref].hash), ref);
      ref = next;
    }
  }

  void merge() {
    if (split_ == 0) {
      level_size_ /= 2;
      split_ = level_size_;
    }
    --split_;
    std::uint32_t ref = buckets_[buckets_.size() - 1];
    buckets_.pop_back();
    while (ref != kNone) {
      const std::uint32_t next = (*items_)[ref].chain;
      push(split_, ref);
      ref = next;
    }
  }

  Slab<T>* items_;
  Chunked<std::uint32_t, 16 * 1024> buckets_;
  std::size_t level_size_ = 1;
  std::size_t split_ = 0;
  std::size_t size_ = 0;
};

}  // namespace pawl::core
