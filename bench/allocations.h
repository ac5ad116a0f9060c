// SPDX-License-Identifier: Apache-2.0
// How many bytes the program has allocated and not freed, as malloc rounds them. Linking this
// replaces the global operator new. Thread-safe.
#pragma once

#include <cstddef>

namespace pawl::bench {

std::size_t allocated_bytes();

}  // namespace pawl::bench
