// SPDX-License-Identifier: Apache-2.0
// ports::Random that no two processes share: begun with the system's own chance (getrandom), then
// counted on with SplitMix64. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>

#include "ports/random.h"

namespace pawl::engine {

class SystemRandom final : public ports::Random {
 public:
  SystemRandom();
  std::uint64_t next() override;

 private:
  std::atomic<std::uint64_t> state_;
};

}  // namespace pawl::engine
