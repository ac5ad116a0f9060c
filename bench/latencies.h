// SPDX-License-Identifier: Apache-2.0
// How long each of many things took: percentiles and the longest. CLOCK_MONOTONIC. Plain values.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pawl::bench {

using SteadyTime = std::chrono::steady_clock::time_point;

inline SteadyTime steady_now() { return std::chrono::steady_clock::now(); }
inline double seconds_between(SteadyTime from, SteadyTime to) {
  return std::chrono::duration<double>(to - from).count();
}

class Latencies {
 public:
  void add(std::uint64_t nanoseconds) { all_.push_back(nanoseconds); }
  void add(SteadyTime from, SteadyTime to) {
    const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count();
    all_.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(took, 0)));
  }
  void add(const Latencies& others) {
    all_.insert(all_.end(), others.all_.begin(), others.all_.end());
  }
  std::size_t count() const { return all_.size(); }

  // The one that this share of them does not exceed; 1.0: the longest. Zero if there are none.
  double microseconds(double share) {
    if (all_.empty()) return 0;
    const double place = share * static_cast<double>(all_.size());
    const auto index = std::min(static_cast<std::size_t>(place), all_.size() - 1);
    const auto nth = all_.begin() + static_cast<std::ptrdiff_t>(index);
    std::nth_element(all_.begin(), nth, all_.end());
    return static_cast<double>(*nth) / 1e3;
  }
  double milliseconds(double share) { return microseconds(share) / 1e3; }

 private:
  std::vector<std::uint64_t> all_;
};

}  // namespace pawl::bench
