// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "codec/entry.h"
#include "engine_node.h"
#include "engine_sections.h"
#include "raft_uv.h"
#include "workload.h"

namespace pawl::bench {
namespace {

constexpr int kSlices = 3;
constexpr double kWarmUpSeconds = 0.25;

struct Measured {
  Latencies latencies;
  double items = 0;
  double seconds = 0;
  double cpu_seconds = 0;
  double batches = 0;  // zero: not known

  double rate() const { return seconds > 0 ? items / seconds : 0; }
};

struct Slice {
  std::filesystem::path folder;
  unsigned in_flight = 1;
  unsigned entry_bytes = 0;
  double seconds = 0;
};

SteadyTime in(double seconds) {
  return steady_now() + std::chrono::duration_cast<std::chrono::nanoseconds>(
                            std::chrono::duration<double>(seconds));
}

void write_and_sync(const Slice& slice, Measured& into) {
  constexpr std::uint64_t kFileBytes = std::uint64_t{16} << 20;
  const std::string path = slice.folder / "record";
  const int file = bench_zeroed_file(path.c_str(), kFileBytes);
  if (file < 0) throw CannotMeasure(path + ": " + std::generic_category().message(errno));
  const std::string record(256, 'x');
  std::uint64_t at = 0;
  std::uint64_t cpu_before = 0;
  const SteadyTime begin = in(kWarmUpSeconds);
  const SteadyTime end = begin + (in(slice.seconds) - steady_now());
  for (SteadyTime before = steady_now(); before < end;) {
    const bool written = pwrite(file, record.data(), record.size(), static_cast<off_t>(at)) ==
                             static_cast<ssize_t>(record.size()) &&
                         fdatasync(file) == 0;
    if (!written) {
      close(file);
      throw CannotMeasure(path + ": " + std::generic_category().message(errno));
    }
    at = (at + record.size()) % kFileBytes;
    const SteadyTime after = steady_now();
    if (before < begin) cpu_before = bench_cpu_ns();
    if (before >= begin) {
      into.latencies.add(before, after);
      into.items += 1;
      into.batches += 1;
    }
    before = after;
  }
  into.seconds += slice.seconds;
  into.cpu_seconds += static_cast<double>(bench_cpu_ns() - cpu_before) / 1e9;
  close(file);
}

void add_latency(void* context, std::uint64_t nanoseconds) {
  static_cast<Latencies*>(context)->add(nanoseconds);
}

void run_peer(bench_outcome (*peer)(const bench_load*), const Slice& slice, Measured& into) {
  const std::string folder = slice.folder;
  const bench_load load = {.folder = folder.c_str(),
                           .in_flight = slice.in_flight,
                           .entry_bytes = slice.entry_bytes,
                           .warm_up_seconds = kWarmUpSeconds,
                           .seconds = slice.seconds,
                           .on_latency = add_latency,
                           .context = &into.latencies};
  const bench_outcome outcome = peer(&load);
  if (outcome.error[0] != '\0') throw CannotMeasure(std::string("libraft: ") + outcome.error);
  into.items += static_cast<double>(outcome.entries);
  into.seconds += outcome.seconds;
  into.cpu_seconds += outcome.cpu_seconds;
}

void bare_raft(const Slice& slice, Measured& into) {
  run_peer(raft_bare_run, slice, into);
  into.batches = static_cast<double>(into.latencies.count());
}

void uv_raft(const Slice& slice, Measured& into) { run_peer(raft_uv_run, slice, into); }

struct Used {
  std::uint64_t cpu_ns = 0;
  std::uint64_t bursts = 0;
};

void our_engine(const Slice& slice, Measured& into) {
  Node node(slice.folder / "data");
  node.wait_for_office();
  Cycle cycle(node, slice.in_flight);
  const SteadyTime begin = in(kWarmUpSeconds);
  const SteadyTime end = begin + (in(slice.seconds) - steady_now());
  Used before, after;
  cycle.run(begin, [&](SteadyTime now) {
    if (now >= begin && before.cpu_ns == 0) before = {bench_cpu_ns(), node.bursts()};
    if (now >= end && after.cpu_ns == 0) after = {bench_cpu_ns(), node.bursts()};
    return now >= end;
  });
  into.items += static_cast<double>(cycle.all.count());
  into.seconds += slice.seconds;
  into.cpu_seconds += static_cast<double>(after.cpu_ns - before.cpu_ns) / 1e9;
  into.batches += static_cast<double>(after.bursts - before.bursts);
  into.latencies.add(cycle.all);
  node.stop();
}

struct Contender {
  const char* section;
  const char* label;
  void (*run)(const Slice&, Measured&);
};
constexpr std::array<Contender, 4> kContenders = {{
    {"write", "write and fdatasync", write_and_sync},
    {"bare", "raft_step, write, fdatasync", bare_raft},
    {"uv", "libraft's libuv driver", uv_raft},
    {"engine", "pawl's engine", our_engine},
}};
constexpr std::size_t kWrite = 0;
constexpr std::size_t kUv = 2;
constexpr std::size_t kOurs = 3;

// An acquire and a release come in turn: the peers' entries are as long as these are on average.
unsigned bytes_of_an_entry() {
  const Command taking = acquire(Time{}, 1, 1);
  const Command letting_go = release(Time{}, std::get<Acquire>(taking.body).id);
  const std::size_t both =
      codec::encode_entry({&taking, 1}).size() + codec::encode_entry({&letting_go, 1}).size();
  return static_cast<unsigned>((both / 2 + 7) / 8 * 8);
}

bool runs(const Options& options, std::size_t contender, unsigned in_flight) {
  return options.wants(kContenders[contender].section) && (contender != kWrite || in_flight == 1);
}

using Round = std::array<Measured, kContenders.size()>;

void measure_round(const Options& options, Scratch& scratch, unsigned in_flight,
                   unsigned entry_bytes, Round& round) {
  for (int slice = 0; slice < kSlices; ++slice) {
    for (std::size_t i = 0; i < kContenders.size(); ++i) {
      if (!runs(options, i, in_flight)) continue;
      const auto folder = scratch.fresh(kContenders[i].section);
      kContenders[i].run({folder, in_flight, entry_bytes, options.seconds / kSlices}, round[i]);
      std::filesystem::remove_all(folder);
    }
  }
}

void add_rows(const Options& options, unsigned in_flight, Round& round, Table& table) {
  const bool ours = options.wants("engine");
  const double our_median = round[kOurs].latencies.microseconds(0.5);
  for (std::size_t i = 0; i < kContenders.size(); ++i) {
    if (!runs(options, i, in_flight)) continue;
    Measured& row = round[i];
    const double median = row.latencies.microseconds(0.5);
    std::optional<double> batch, more, slower;
    if (row.batches > 0) batch = row.items / row.batches;
    if (ours && i != kOurs && row.rate() > 0) {
      more = round[kOurs].rate() / row.rate();
      slower = our_median / median;
    }
    table.rows.push_back({kContenders[i].label,
                          {in_flight, row.rate(), median, row.latencies.microseconds(0.99),
                           row.cpu_seconds / row.items * 1e6, batch, more, slower}});
  }
}

void add_aims(const Options& options, unsigned in_flight, Round& round, Report& report) {
  if (!options.wants("engine")) return;
  const std::string at = " at " + std::to_string(in_flight) + " in flight";
  if (in_flight == 1 && options.wants("write"))
    report.add(
        Aim{"latency against one bare write and fdatasync" + at,
            round[kOurs].latencies.microseconds(0.5) / round[kWrite].latencies.microseconds(0.5),
            true, 1.3, "x"});
  if (in_flight >= 32 && options.wants("uv"))
    report.add(Aim{"commands a second against the entries of libraft's driver" + at,
                   round[kOurs].rate() / round[kUv].rate(), false, 3, "x"});
}

}  // namespace

void measure_load(const Options& options, Scratch& scratch, Report& report) {
  const unsigned entry_bytes = bytes_of_an_entry();
  Table table{"load",
              "Commands, made durable on one node",
              "",
              {{"in_flight", "in flight", 0},
               {"per_second", "per second", 0},
               {"median_us", "median us", 1},
               {"p99_us", "p99 us", 1},
               {"cpu_us", "cpu us each", 2},
               {"batch", "a write", 1},
               {"ours_rate_ratio", "ours/this rate", 2},
               {"ours_latency_ratio", "ours/this median", 2}},
              {},
              {"an entry of libraft's has " + std::to_string(entry_bytes) +
                   " bytes, as long as our commands are on average; its snapshots are off",
               "raft_step's latency is that of a whole batch, all others' that of one command"}};
  for (const unsigned in_flight : options.in_flight) {
    Round round;
    measure_round(options, scratch, in_flight, entry_bytes, round);
    add_rows(options, in_flight, round, table);
    add_aims(options, in_flight, round, report);
  }
  if (!table.rows.empty()) report.add(std::move(table));
}

}  // namespace pawl::bench
