// SPDX-License-Identifier: Apache-2.0
// Lease ids that a client makes, so that it can repeat an acquire whose answer was lost (P6).
#pragma once

#include <cstdint>
#include <string>

#include "ports/random.h"

namespace pawl::cli {

// `p1_<state time in ms, hex>_<128 random bits, hex>`: the service refuses it once it is too old
// to tell a repeat from a first try.
std::string make_lease_id(std::uint64_t state_time_ms, ports::Secrets& secrets);

}  // namespace pawl::cli
