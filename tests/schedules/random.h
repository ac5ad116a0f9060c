// SPDX-License-Identifier: Apache-2.0
// Random choices that are the same on every platform: std::mt19937_64 is exactly specified, the
// standard distributions are not, so the reductions are our own. A slight bias towards small
// numbers does not matter here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace pawl::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t next() { return engine_(); }
  // 0 .. bound - 1; the bound is not zero.
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  std::uint32_t below32(std::uint32_t bound) { return static_cast<std::uint32_t>(below(bound)); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(from.size()))];
  }
  template <class T>
  T pick(std::initializer_list<T> from) {
    return *(from.begin() + below(from.size()));
  }
  // An index, each as likely as its weight.
  std::size_t weighted(const std::vector<std::uint32_t>& weights) {
    std::uint64_t total = 0;
    for (const std::uint32_t weight : weights) total += weight;
    std::uint64_t left = below(total);
    std::size_t i = 0;
    while (left >= weights[i]) left -= weights[i++];
    return i;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace pawl::testing
