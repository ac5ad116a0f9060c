// SPDX-License-Identifier: Apache-2.0
// The few names that all parts of the simulation agree on.
#pragma once

#include <cstdint>
#include <string>

#include "core/names.h"

namespace pawl::testing {

inline const core::Namespace kSpace{"default"};

using NodeNumber = std::uint32_t;  // from zero; the engine's id is one more

inline std::string address_of(NodeNumber node) { return "node-" + std::to_string(node); }
inline NodeNumber node_at(const std::string& address) {
  return static_cast<NodeNumber>(std::stoul(address.substr(5)));
}

// A resource is a lock or a semaphore for all of a run.
struct ResourceKind {
  core::ResourceName name;
  std::uint32_t permits = 0;  // zero: a lock
};

}  // namespace pawl::testing
