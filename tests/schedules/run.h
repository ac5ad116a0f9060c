// SPDX-License-Identifier: Apache-2.0
// Runs schedules by their seeds and says what differs: the part that the test and the program
// share.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "schedules/compare.h"
#include "schedules/shrink.h"
#include "schedules/subject.h"

namespace pawl::testing {

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t count = 1;
};

// Called before each seed; may be empty.
using OnSeed = std::function<void(std::uint64_t)>;

// What is to be told about the first seed that fails, with its schedule cut down; empty: none
// failed.
std::string run_seeds(const Seeds& seeds, const MakeSubject& make, bool cut_down,
                      const OnSeed& on_seed);

// The whole story of one schedule that fails in the way `fails` says.
std::string report(std::uint64_t seed, const Schedule& schedule, const MakeSubject& make,
                   bool cut_down);

// Writes the seed to stderr if the process dies by a failed assertion or a bad access meanwhile.
void note_seed_for_crash(std::uint64_t seed);

}  // namespace pawl::testing
