// SPDX-License-Identifier: Apache-2.0
// Makes random schedules of commands. A reference model runs along, so that ids, tickets, tokens
// and times are picked from what is going on; the result is plain data, which can be cut down and
// replayed without it. The same seed and shape give the same schedule on every platform.
#pragma once

#include <cstdint>
#include <vector>

#include "core/command.h"
#include "schedules/shape.h"

namespace pawl::testing {

using Schedule = std::vector<core::Command>;

Schedule generate(std::uint64_t seed, const Shape& shape);

}  // namespace pawl::testing
