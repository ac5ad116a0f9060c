// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>

#include "engine_node.h"
#include "engine_sections.h"
#include "raft_bare.h"
#include "workload.h"

namespace pawl::bench {
namespace {

constexpr unsigned kFillers = 4096;
constexpr unsigned kCyclers = 256;
constexpr int kSnapshotsWanted = 3;
constexpr std::uint64_t kNoSnapshots = std::uint64_t{1} << 50;

std::optional<double> megabytes(const std::filesystem::path& folder) {
  return static_cast<double>(bytes_below(folder)) / 1e6;
}

// A data folder with so many leases held for a day.
std::filesystem::path fill(const Options& options, Scratch& scratch, Row& row) {
  const std::filesystem::path folder = scratch.fresh("held") / "data";
  Node node(folder);
  node.wait_for_office();
  Limits limits;
  limits.max_leases = static_cast<std::uint64_t>(options.leases) + kMillion;
  limits.max_records = 64'000'000;
  node.set_limits(limits);
  const SteadyTime begin = steady_now();
  hold(node, options.leases, kFillers, [](SteadyTime) { return Duration(24h); });
  const double seconds = seconds_between(begin, steady_now());
  node.stop();
  row = {"taking them, " + std::to_string(kFillers) + " in flight",
         {std::nullopt, std::nullopt, std::nullopt, seconds, megabytes(folder / "log"),
          megabytes(folder / "snapshots")}};
  return folder;
}

// From the start to the first grant.
double restart(const std::filesystem::path& folder, const char* label, bool kill_after,
               Table& table) {
  const auto log = megabytes(folder / "log");
  const auto snapshots = megabytes(folder / "snapshots");
  const SteadyTime begin = steady_now();
  const std::uint64_t cpu_before = bench_cpu_ns();
  Node node(folder);
  node.wait_for_office();
  const SteadyTime in_office = steady_now();
  const double cpu_seconds = static_cast<double>(bench_cpu_ns() - cpu_before) / 1e9;
  Cycle cycle(node, 1);
  cycle.run(begin, [&](SteadyTime) { return cycle.grants.count() > 0; });
  const double to_grant = seconds_between(begin, in_office) + cycle.grants.microseconds(1) / 1e6;
  table.rows.push_back(
      {label,
       {seconds_between(begin, in_office), to_grant, cpu_seconds, std::nullopt, log, snapshots}});
  if (kill_after) {
    Cycle busy(node, kCyclers);
    const SteadyTime end = steady_now() + 1s;
    busy.run(end, [&](SteadyTime now) { return now >= end; });
  } else {
    node.stop();
  }
  return to_grant;
}

void measure_restart(const std::filesystem::path& folder, const Options& options, Row filling,
                     Report& report) {
  Table table{"restart",
              "Restart with " + std::to_string(options.leases) + " leases held",
              "",
              {{"in_office_s", "in office s", 3},
               {"first_grant_s", "first grant s", 3},
               {"cpu_s", "cpu s", 3},
               {"seconds", "took s", 2},
               {"log_mb", "log MB", 1},
               {"snapshots_mb", "snapshots MB", 1}},
              {std::move(filling)},
              {"the files are in the page cache; log and snapshots as they were at the start"}};
  const double clean = restart(folder, "after a clean stop", true, table);
  const double killed = restart(folder, "after an end without stop, under load", false, table);
  report.add(std::move(table));
  report.add(Aim{"first grant after a clean stop", clean, true, 3, " s"});
  report.add(Aim{"first grant after an end without stop", killed, true, 3, " s"});
}

struct Disturbed {
  double longest_ms = 0;
  int snapshots = 0;
};

// Clients cycle for the time asked for, and until some snapshots were taken.
Disturbed cycle_beside(const std::filesystem::path& folder, const Options& options,
                       const char* label, std::uint64_t snapshot_log_bytes, int wanted,
                       Table& table) {
  engine::ReplicaOptions replica;
  replica.snapshot_log_bytes = snapshot_log_bytes;
  if (wanted > 0) replica.snapshot_share = 1 << 20;
  replica.most_log_backlog = 1 << 10;
  Node node(folder, replica);
  node.wait_for_office();
  Cycle cycle(node, kCyclers);
  const SteadyTime begin = steady_now() + 500ms;
  const SteadyTime end = begin + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                     std::chrono::duration<double>(options.seconds));
  const SteadyTime latest = end + 60s;
  int before = 0;
  SteadyTime over = latest;
  cycle.run(begin, [&](SteadyTime now) {
    if (now < begin) before = node.snapshots();
    const bool enough = now >= end && node.snapshots() - before >= wanted;
    if ((enough || now >= latest) && over > now) over = now;
    return over <= now;
  });
  const int taken = node.snapshots() - before;
  const double seconds = seconds_between(begin, over);
  node.stop();
  const double longest = cycle.grants.milliseconds(1);
  table.rows.push_back(
      {label,
       {static_cast<double>(taken), seconds, static_cast<double>(cycle.all.count()) / seconds,
        cycle.grants.milliseconds(0.5), cycle.grants.milliseconds(0.99),
        cycle.grants.milliseconds(0.999), longest, std::nullopt}});
  return {longest, taken};
}

void measure_snapshots(const std::filesystem::path& folder, const Options& options,
                       Report& report) {
  Table table{"snapshot",
              "Grants to " + std::to_string(kCyclers) + " clients, with " +
                  std::to_string(options.leases) + " leases held",
              "",
              {{"snapshots", "snapshots", 0},
               {"seconds", "took s", 1},
               {"per_second", "commands/s", 0},
               {"p50_ms", "p50 ms", 2},
               {"p99_ms", "p99 ms", 2},
               {"p999_ms", "p99.9 ms", 2},
               {"max_ms", "longest ms", 2},
               {"longest_ratio", "longest/without", 2}},
              {},
              {}};
  const Disturbed calm = cycle_beside(folder, options, "without snapshots", kNoSnapshots, 0, table);
  const Disturbed busy = cycle_beside(folder, options, "one snapshot after the other",
                                      std::uint64_t{1} << 20, kSnapshotsWanted, table);
  table.rows.back().values.back() = busy.longest_ms / calm.longest_ms;
  if (busy.snapshots < kSnapshotsWanted)
    table.notes.push_back("fewer snapshots than wanted in the time there is");
  report.add(std::move(table));
  if (busy.snapshots == 0) return;
  report.add(
      Aim{"the longest that a grant took beside snapshots", busy.longest_ms, true, 50, " ms"});
}

}  // namespace

void measure_held(const Options& options, Scratch& scratch, Report& report) {
  const bool wants_restart = options.wants("restart");
  const bool wants_snapshots = options.wants("snapshot");
  if (!wants_restart && !wants_snapshots) return;
  Row filling;
  const std::filesystem::path folder = fill(options, scratch, filling);
  if (wants_restart) measure_restart(folder, options, std::move(filling), report);
  if (wants_snapshots) measure_snapshots(folder, options, report);
  std::filesystem::remove_all(folder);
}

}  // namespace pawl::bench
