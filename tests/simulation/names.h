// SPDX-License-Identifier: Apache-2.0
// The few names that all parts of the simulation agree on.
#pragma once

#include <cstdint>

#include "core/names.h"

namespace pawl::testing {

inline const core::Namespace kSpace{"default"};

// A resource is a lock or a semaphore for all of a run.
struct ResourceKind {
  core::ResourceName name;
  std::uint32_t permits = 0;  // zero: a lock
};

}  // namespace pawl::testing
