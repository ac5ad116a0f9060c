// SPDX-License-Identifier: Apache-2.0
// What http_bench measures, a table each. The servers take turns, so that what slows the machine
// for a while slows all of them. Blocks; throws CannotMeasure.
#pragma once

#include <memory>
#include <vector>

#include "http_options.h"
#include "http_servers.h"
#include "report.h"

namespace pawl::bench {

using LockServers = std::vector<std::unique_ptr<LockServer>>;

void measure_cycles(const HttpOptions& options, LockServers& servers, Report& report);
void measure_handover(const HttpOptions& options, LockServers& servers, Report& report);
// Leaves connections behind that wait: the last.
void measure_waiting(const HttpOptions& options, LockServers& servers, Report& report);

}  // namespace pawl::bench
