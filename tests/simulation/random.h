// SPDX-License-Identifier: Apache-2.0
// All the chance there is in a simulation. The engine and every reduction are fixed, so that a seed
// means the same run on every machine (std::'s distributions don't promise that). Not thread-safe.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>

#include "history/history.h"

namespace pawl::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t next() { return engine_(); }
  // In [0, count). The bias of the remainder is far below anything a simulation could see.
  std::uint64_t below(std::uint64_t count) { return engine_() % count; }
  // In [low, high], both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
  }
  Micros between(Micros low, Micros high) { return Micros(between(low.count(), high.count())); }
  bool chance(std::int64_t millionths) {
    return below(1'000'000) < static_cast<std::uint64_t>(millionths);
  }
  // One of a list, each as likely as it is often named.
  template <class T>
  T pick(std::initializer_list<T> of) {
    return of.begin()[below(of.size())];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace pawl::testing
