// SPDX-License-Identifier: Apache-2.0
// Chance. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pawl::ports {

// For election time-outs, table keys and names that must differ. Not for secrets.
class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;
};

// For what nobody may guess: whoever knows a lease id can act on the lease.
class Secrets {
 public:
  virtual ~Secrets() = default;
  virtual void fill(std::span<std::byte> out) = 0;
};

}  // namespace pawl::ports
