// SPDX-License-Identifier: Apache-2.0
// What people read after a simulation: what was tried, or what went wrong and how to see it again.
// Pure functions.
#pragma once

#include <string>

#include "simulation/simulation.h"

namespace pawl::testing {

// Every count with its name, one a line.
std::string table(const Stats& stats);

// The friendly end of a run without violations.
std::string summary(const Stats& stats);

// Each violation with the operations around it, and the command that replays it.
std::string explain(const SimResult& result, const SimOptions& options);

}  // namespace pawl::testing
