// SPDX-License-Identifier: Apache-2.0
// Who holds and who waits, in words. Pure functions over the service's answers.
#pragma once

#include <string>

#include "cli/fields.h"

namespace pawl::cli {

// "worker-1 (shared), for 3m 12s, ends in 24s unless renewed; token 42, lease p1_..."
std::string holder_text(const Json& holder, WallTime now);

// The same of one that holds it no more: "worker-1, for 3m 12s; token 42, lease p1_..."
std::string former_holder_text(const Json& holder, WallTime now);

// "worker-2, for 12s (shared, its connection is gone)"
std::string waiter_text(const Json& waiter);

// "1 other", "3 others".
std::string count_text(std::uint64_t count, std::string_view one, std::string_view many);

}  // namespace pawl::cli
