// SPDX-License-Identifier: Apache-2.0
// How long a resource is usually held: for whoever asks why they wait. Knows the last 128 holds of
// each of the resources that were let go last; so many of these and no more, 1.2 KiB each at most.
// Owned by the loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/effect.h"

namespace pawl::service {

class HoldTimes {
 public:
  explicit HoldTimes(std::size_t max_resources);
  ~HoldTimes();

  // Holds that ended; waits that did are not counted.
  void ended(const core::Ended& end);

  struct Usual {
    core::Duration p50{0};
    core::Duration p99{0};
    std::uint64_t count = 0;  // holds it was made from
  };
  // Nothing, if none ended lately.
  std::optional<Usual> usual(const core::Namespace& space, const core::ResourceName& name) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::service
