// SPDX-License-Identifier: Apache-2.0
// All the chance there is in schedules and simulations. std::mt19937_64 is exactly specified, the
// standard distributions are not, so the reductions are our own: a seed means the same run on every
// machine. The bias of the remainder is far below anything a test could see. Not thread-safe.
#pragma once

#include <chrono>
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
  // In [0, bound); the bound is not zero.
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  std::uint32_t below32(std::uint32_t bound) { return static_cast<std::uint32_t>(below(bound)); }
  // In [low, high], both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
  }
  std::chrono::microseconds between(std::chrono::microseconds low, std::chrono::microseconds high) {
    return std::chrono::microseconds(between(low.count(), high.count()));
  }

  bool percent(std::uint32_t percent) { return below(100) < percent; }
  bool chance(std::int64_t millionths) {
    return below(1'000'000) < static_cast<std::uint64_t>(millionths);
  }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(from.size()))];
  }
  // One of a list, each as likely as it is often named.
  template <class T>
  T pick(std::initializer_list<T> from) {
    return from.begin()[below(from.size())];
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
