// SPDX-License-Identifier: Apache-2.0
#include "engine/host/system_secrets.h"

#include <sys/random.h>

#include <algorithm>

#include "core/assert.h"
#include "engine/host/posix.h"

namespace pawl::engine {
namespace {

void from_system(std::span<std::byte> out) {
  while (!out.empty()) {
    const ssize_t got = unbroken([&] { return ::getrandom(out.data(), out.size(), 0); });
    PAWL_ASSERT(got > 0);
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace

void SystemSecrets::fill(std::span<std::byte> out) {
  const std::lock_guard hold(mutex_);
  while (!out.empty()) {
    if (left_ == 0) {
      from_system(pool_);
      left_ = pool_.size();
    }
    const std::size_t n = std::min(left_, out.size());
    const auto from = pool_.end() - static_cast<std::ptrdiff_t>(left_);
    std::copy_n(from, n, out.begin());
    std::fill_n(from, n, std::byte{0});
    left_ -= n;
    out = out.subspan(n);
  }
}

}  // namespace pawl::engine
