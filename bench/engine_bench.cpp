// SPDX-License-Identifier: Apache-2.0
// The durable engine beside its peers: a bare write and sync, libraft's pure core, libraft's own
// driver. All in one run on one file system, so that the ratios mean something where the times do
// not. `engine_bench --help` says what it measures. Exit codes: 1 cannot measure, 2 bad options.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "engine_sections.h"
#include "raft_bare.h"

namespace {

using namespace pawl::bench;

// The processors' time since the machine started, in ticks: all of it, and what was not idle.
struct MachineTime {
  double all = 0;
  double busy = 0;
};

MachineTime machine_time() {
  MachineTime time;
  std::ifstream stat("/proc/stat");
  std::string name;
  stat >> name;
  double ticks = 0;
  for (int column = 0; column < 8 && stat >> ticks; ++column) {
    const bool idle = column == 3 || column == 4;  // idle, iowait
    time.all += ticks;
    if (!idle) time.busy += ticks;
  }
  return time;
}

// The share of the processors that other processes have had since then, when ours had used none.
double share_of_others(const MachineTime& since) {
  const MachineTime now = machine_time();
  const double ours =
      static_cast<double>(bench_cpu_ns()) / 1e9 * static_cast<double>(sysconf(_SC_CLK_TCK));
  const double all = now.all - since.all;
  return all > 0 ? std::max(0.0, (now.busy - since.busy - ours) / all) : 0;
}

int measure(const Options& options) {
  const MachineTime start = machine_time();
  Report report;
  Scratch scratch(options.folder);
  report.place(scratch.file_system());
  std::printf("In %s: %s\n", scratch.path().c_str(), scratch.file_system().c_str());
  std::fflush(stdout);
  measure_load(options, scratch, report);
  measure_held(options, scratch, report);
  measure_expiry(options, scratch, report);
  report.others_had(share_of_others(start));
  report.print_aims();
  if (!options.json.empty() && !report.write_json(options.json)) {
    std::fprintf(stderr, "engine_bench: %s cannot be written\n", options.json.c_str());
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = parse_options({argv + 1, static_cast<std::size_t>(argc - 1)});
  if (std::holds_alternative<Help>(parsed)) {
    std::fputs(help_text(), stdout);
    return 0;
  }
  if (const auto* bad = std::get_if<BadOption>(&parsed)) {
    std::fprintf(stderr, "engine_bench: %s\n", bad->why.c_str());
    return 2;
  }
  try {
    return measure(std::get<Options>(parsed));
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "engine_bench: %s\n", failed.what());
    return 1;
  }
}
