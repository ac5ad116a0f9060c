// SPDX-License-Identifier: Apache-2.0
#include "simulation/stats.h"

namespace pawl::testing {

const char* name_of(Count count) {
  static constexpr const char* kNames[] = {
#define PAWL_SIM_TEXT(name, text) text,
      PAWL_SIM_COUNTS(PAWL_SIM_TEXT)
#undef PAWL_SIM_TEXT
  };
  return kNames[static_cast<std::size_t>(count)];
}

Stats& Stats::operator+=(const Stats& other) {
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
  seeds += other.seeds;
  simulated += other.simulated;
  operations += other.operations;
  return *this;
}

}  // namespace pawl::testing
