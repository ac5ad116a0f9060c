// SPDX-License-Identifier: Apache-2.0
// ports::WallClock from the system's clock. Thread-safe.
#pragma once

#include "ports/wall_clock.h"

namespace pawl::engine {

class SystemWallClock final : public ports::WallClock {
 public:
  ports::WallTime now() const override {
    return std::chrono::time_point_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now());
  }
};

}  // namespace pawl::engine
