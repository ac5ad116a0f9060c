// SPDX-License-Identifier: Apache-2.0
// How many files and connections the system lets this process have open.
#pragma once

#include <cstdint>

namespace pawl::cli {

// Beside connections: the log, snapshots, threads' pipes, stderr.
inline constexpr std::uint64_t kOwnFiles = 64;

// Raises the soft limit to the hard one. Returns what holds now.
std::uint64_t raise_file_limit();

}  // namespace pawl::cli
