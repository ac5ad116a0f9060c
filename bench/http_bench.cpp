// SPDX-License-Identifier: Apache-2.0
// `pawl serve` over HTTP beside etcd's JSON gateway: two lock services, one generator, one machine,
// one file system, in turn. `http_bench --help` says what it measures. Exit codes: 1 cannot
// measure, 2 bad options, 3 no etcd though it was needed.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "http_sections.h"

namespace {

using namespace pawl::bench;

// The processors' time since the machine started, in seconds: all of it, and what was not idle.
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
    const double seconds = ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
    time.all += seconds;
    if (!idle) time.busy += seconds;
  }
  return time;
}

double cpu_seconds(int whose) {
  rusage used{};
  getrusage(whose, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// The share of the processors that neither we nor the servers, which have ended, have had.
double share_of_others(const MachineTime& since) {
  const MachineTime now = machine_time();
  const double ours = cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN);
  const double all = now.all - since.all;
  return all > 0 ? std::max(0.0, (now.busy - since.busy - ours) / all) : 0;
}

// Thousands of connections at both ends; the servers inherit it.
void raise_descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

LockServers start_servers(const HttpOptions& options, Scratch& scratch) {
  LockServers servers;
  if (options.wants_server("fixed")) servers.push_back(start_fixed());
  if (options.wants_server("pawl")) servers.push_back(start_pawl(options, scratch));
  if (options.wants_server("etcd")) {
    if (auto etcd = start_etcd(options, scratch)) servers.push_back(std::move(etcd));
  }
  return servers;
}

bool has_etcd(const LockServers& servers) {
  return std::any_of(servers.begin(), servers.end(),
                     [](const auto& server) { return server->name() == "etcd"; });
}

int measure(const HttpOptions& options) {
  const MachineTime start = machine_time();
  raise_descriptor_limit();
  Report report;
  Scratch scratch(options.folder);
  report.place(scratch.file_system());
  LockServers servers = start_servers(options, scratch);
  std::printf("In %s: %s. The servers' logs are files there too.\n", scratch.path().c_str(),
              scratch.file_system().c_str());
  const bool lacks_etcd = options.wants_server("etcd") && !has_etcd(servers);
  if (lacks_etcd)
    std::printf("There is no etcd in PATH (Debian: etcd-server): nothing to compare with.\n");
  std::fflush(stdout);
  if (options.wants("cycles")) measure_cycles(options, servers, report);
  if (options.wants("handover")) measure_handover(options, servers, report);
  if (options.wants("waiting")) measure_waiting(options, servers, report);
  servers.clear();
  report.others_had(share_of_others(start));
  report.print_aims();
  if (!options.json.empty() && !report.write_json(options.json)) {
    std::fprintf(stderr, "http_bench: %s cannot be written\n", options.json.c_str());
    return 1;
  }
  return lacks_etcd && options.need_etcd ? 3 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = parse_http_options({argv + 1, static_cast<std::size_t>(argc - 1)});
  if (std::holds_alternative<HttpHelp>(parsed)) {
    std::fputs(http_help_text(), stdout);
    return 0;
  }
  if (const auto* bad = std::get_if<BadHttpOption>(&parsed)) {
    std::fprintf(stderr, "http_bench: %s\n", bad->why.c_str());
    return 2;
  }
  try {
    return measure(std::get<HttpOptions>(parsed));
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "http_bench: %s\n", failed.what());
    return 1;
  }
}
