// SPDX-License-Identifier: Apache-2.0
#include "http_cycle.h"
#include "http_sections.h"

namespace pawl::bench {
namespace {

constexpr int kSlices = 3;
constexpr double kMostGeneratorShare = 0.9;

struct Side {
  LockServer* server = nullptr;
  CycleTimes times;
};
using Sides = std::vector<Side>;

Side* side_of(Sides& sides, std::string_view name) {
  for (Side& side : sides)
    if (side.server->name() == name) return &side;
  return nullptr;
}

Sides measure(const HttpOptions& options, LockServers& servers, unsigned connections) {
  Sides sides;
  for (const auto& server : servers) sides.push_back({server.get(), {}});
  for (int slice = 0; slice < kSlices; ++slice)
    for (Side& side : sides)
      run_cycles(*side.server, connections, options.seconds / kSlices, side.times);
  return sides;
}

void add_rows(unsigned connections, Sides& sides, Table& table) {
  Side* const ours = side_of(sides, "pawl");
  for (Side& side : sides) {
    CycleTimes& times = side.times;
    std::optional<double> more, slower;
    if (ours != nullptr && &side != ours && times.rate() > 0) {
      more = ours->times.rate() / times.rate();
      slower = ours->times.cycles.microseconds(0.99) / times.cycles.microseconds(0.99);
    }
    std::optional<double> cpu_each;
    if (times.cycles.count() > 0)
      cpu_each = times.server_cpu / static_cast<double>(times.cycles.count()) * 1e6;
    const double busy = times.generator_cpu / times.seconds;
    table.rows.push_back({std::string(side.server->name()),
                          {connections, times.rate(), times.cycles.microseconds(0.5),
                           times.cycles.microseconds(0.99), times.acquires.microseconds(0.5),
                           times.acquires.microseconds(0.99), busy * 100,
                           times.server_cpu / times.seconds * 100, cpu_each, more, slower}});
    if (&side == ours && busy > kMostGeneratorShare)
      table.notes.push_back("at " + std::to_string(connections) +
                            " connections the generator was busy all the time: pawl may do more");
  }
}

void add_aims(unsigned connections, Sides& sides, Report& report) {
  Side* const ours = side_of(sides, "pawl");
  Side* const etcd = side_of(sides, "etcd");
  if (ours == nullptr) return;
  const std::string at = " at " + std::to_string(connections) + " connections";
  if (etcd != nullptr)
    report.add(Aim{"cycles a second against etcd's" + at, ours->times.rate() / etcd->times.rate(),
                   false, 4, "x"});
  if (connections == 32)
    report.add(Aim{"p99 of a cycle" + at, ours->times.cycles.milliseconds(0.99), true, 5, " ms"});
}

}  // namespace

void measure_cycles(const HttpOptions& options, LockServers& servers, Report& report) {
  Table table{"cycles",
              "Acquire and release over HTTP keep-alive, each client its own lock",
              "",
              {{"connections", "connections", 0},
               {"per_second", "cycles/s", 0},
               {"cycle_p50_us", "cycle p50 us", 0},
               {"cycle_p99_us", "p99 us", 0},
               {"acquire_p50_us", "acquire p50 us", 0},
               {"acquire_p99_us", "p99 us", 0},
               {"generator_cpu", "generator cpu %", 0},
               {"server_cpu", "server cpu %", 0},
               {"server_cpu_us", "server us a cycle", 1},
               {"ours_rate_ratio", "pawl/this rate", 2},
               {"ours_p99_ratio", "pawl/this p99", 2}},
              {},
              {"fixed bytes: what the generator can do with a server that does nothing"}};
  for (const unsigned connections : options.connections) {
    Sides sides = measure(options, servers, connections);
    add_rows(connections, sides, table);
    add_aims(connections, sides, report);
  }
  report.add(std::move(table));
}

}  // namespace pawl::bench
