// SPDX-License-Identifier: Apache-2.0
// One seed, one world, one verdict. The same seed and options give the same history, everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "history/checker.h"
#include "history/history.h"
#include "simulation/stats.h"

namespace pawl::testing {

struct SimOptions {
  std::uint64_t steps = 2'000;  // commands applied before the faults heal
  std::uint32_t nodes = 0;      // zero: as the seed says
  std::uint32_t clients = 0;    // likewise
  std::uint32_t resources = 0;  // likewise
};

struct SimResult {
  std::uint64_t seed = 0;
  Stats stats;
  History history;
  CheckerOptions judged_by;
  std::vector<Violation> violations;
  std::optional<std::string>
      broken_state;  // what core::check() found, or a node did that it must not

  bool good() const { return violations.empty() && !broken_state; }
};

SimResult simulate(std::uint64_t seed, const SimOptions& options = {});

}  // namespace pawl::testing
