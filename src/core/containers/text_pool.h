// SPDX-License-Identifier: Apache-2.0
// Texts without an allocation each: names and ids of a million leases. A text is known by a 32-bit
// number and its length, which the owner keeps. Short ones stand in chunks, and a freed place
// serves the next of its size; there are few sizes, so the pool is at most as many times too large.
// Long ones are given back. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/containers/slab.h"

namespace pawl::core {

class TextPool {
 public:
  using Ref = std::uint32_t;
  static constexpr std::size_t kShortBytes = 128;

  Ref add(std::string_view a, std::string_view b = {});  // the two, one after the other
  void remove(Ref ref, std::size_t bytes);
  // The first `bytes` of it.
  std::string_view at(Ref ref, std::size_t bytes) const {
    if ((ref & kLong) != 0) return std::string_view(long_[ref & ~kLong]).substr(0, bytes);
    return {chunks_[ref / kChunkUnits].get() + std::size_t{ref % kChunkUnits} * kUnit, bytes};
  }

 private:
  static constexpr Ref kLong = 0x80000000;
  static constexpr std::size_t kUnit = 8;
  static constexpr std::size_t kChunkUnits = std::size_t{8} * 1024;  // 64 KiB
  static std::size_t units(std::size_t bytes) {
    return bytes == 0 ? 1 : (bytes + kUnit - 1) / kUnit;
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t next_unit_ = 0;
  std::vector<std::vector<Ref>> free_;  // by size in units
  Slab<std::string> long_;
};

}  // namespace pawl::core
