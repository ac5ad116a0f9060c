// SPDX-License-Identifier: Apache-2.0
// What all parts of one simulated world share: its time, its chance, its plan, and the record of
// what happened. One thread, one seed, one world.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "history/history.h"
#include "simulation/events.h"
#include "simulation/plan.h"
#include "simulation/stats.h"
#include "support/random.h"

namespace pawl::testing {

struct Sim {
  explicit Sim(std::uint64_t seed) : random(seed), plan(draw_plan(random)) {}
  Sim(const Sim&) = delete;
  Sim& operator=(const Sim&) = delete;

  Micros now() const { return events.now(); }
  std::int64_t draw_drift() { return random.between(-plan.drift_ppm, plan.drift_ppm); }

  Random random;
  Plan plan;
  Events events;
  History history;
  Stats stats;
  bool healed = false;   // no more faults
  bool closing = false;  // nobody begins anything new

  // When each lease was first queued, as only the service knows it (I8).
  std::unordered_map<std::string, Micros> queued_at;
};

}  // namespace pawl::testing
