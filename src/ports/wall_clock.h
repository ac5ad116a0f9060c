// SPDX-License-Identifier: Apache-2.0
// The time of day, for texts that people read and for nothing else: it may jump at any moment, and
// no decision is made by it (P10). Thread-safe.
#pragma once

#include <chrono>

namespace pawl::ports {

using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

class WallClock {
 public:
  virtual ~WallClock() = default;
  virtual WallTime now() const = 0;
};

}  // namespace pawl::ports
