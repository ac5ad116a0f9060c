// SPDX-License-Identifier: Apache-2.0
// What engine_bench measures, a table each. Blocks; throws CannotMeasure.
#pragma once

#include "engine_options.h"
#include "report.h"
#include "scratch.h"

namespace pawl::bench {

// write, bare, uv, engine: side by side, in slices that take turns, so that a disk that is slow for
// a while is slow for all.
void measure_load(const Options& options, Scratch& scratch, Report& report);

// restart and snapshot, which share the work of taking a million leases.
void measure_held(const Options& options, Scratch& scratch, Report& report);

void measure_expiry(const Options& options, Scratch& scratch, Report& report);

}  // namespace pawl::bench
