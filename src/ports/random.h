// SPDX-License-Identifier: Apache-2.0
// Chance: for election time-outs, table keys and names that must differ. Not for secrets.
#pragma once

#include <cstdint>

namespace pawl::ports {

class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;
};

}  // namespace pawl::ports
