// SPDX-License-Identifier: Apache-2.0
#include "allocations.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> allocated{0};

// What malloc gives, and its own word before it.
std::size_t cost(void* block) { return malloc_usable_size(block) + sizeof(void*); }

}  // namespace

namespace pawl::bench {

std::size_t allocated_bytes() { return allocated.load(std::memory_order_relaxed); }

}  // namespace pawl::bench

void* operator new(std::size_t bytes) {
  void* block = std::malloc(bytes);
  if (block == nullptr) throw std::bad_alloc();
  allocated.fetch_add(cost(block), std::memory_order_relaxed);
  return block;
}

void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  allocated.fetch_sub(cost(block), std::memory_order_relaxed);
  std::free(block);
}

void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
