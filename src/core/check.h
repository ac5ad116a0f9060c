// SPDX-License-Identifier: Apache-2.0
// The whole state against its own invariants, from scratch: for tests and for a doubtful operator,
// not for every step. Reads only.
#pragma once

#include <optional>
#include <string>

#include "core/state.h"

namespace pawl::core {

// What is broken, or nothing. O(n log n).
std::optional<std::string> check(const State& state);

}  // namespace pawl::core
