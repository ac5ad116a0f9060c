// SPDX-License-Identifier: Apache-2.0
// The command lock_sim, all but its main(): so that it can be linked with any copy of the core,
// also one with a bug planted in it.
#pragma once

namespace pawl::testing {

// 0: no violation; 1: a violation; 2: bad usage.
int lock_sim(int argc, const char* const* argv);

}  // namespace pawl::testing
