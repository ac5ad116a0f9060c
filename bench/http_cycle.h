// SPDX-License-Identifier: Apache-2.0
// Clients that acquire and release, again and again, each its own lock. Used by one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "http_generator.h"
#include "http_servers.h"
#include "latencies.h"

namespace pawl::bench {

struct CycleTimes {
  Latencies acquires;
  Latencies cycles;
  double seconds = 0;
  double generator_cpu = 0;  // seconds
  double server_cpu = 0;

  double rate() const { return seconds > 0 ? static_cast<double>(cycles.count()) / seconds : 0; }
};

// So many clients for so long, after a warm-up; adds what they measured. Every lock is released at
// the end.
void run_cycles(LockServer& server, unsigned clients, double seconds, CycleTimes& into);

inline SteadyTime after(SteadyTime start, double seconds) {
  return start +
         std::chrono::duration_cast<SteadyTime::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace pawl::bench
