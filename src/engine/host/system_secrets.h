// SPDX-License-Identifier: Apache-2.0
// ports::Secrets from the system's own generator (getrandom), fetched some kilobytes at a time: a
// system call for each lease id would cost more than the rest of the request. Thread-safe.
#pragma once

#include <array>
#include <mutex>

#include "ports/random.h"

namespace pawl::engine {

class SystemSecrets final : public ports::Secrets {
 public:
  void fill(std::span<std::byte> out) override;

 private:
  std::mutex mutex_;
  std::array<std::byte, 4096> pool_{};
  std::size_t left_ = 0;  // at the end of the pool; what is used is wiped
};

}  // namespace pawl::engine
