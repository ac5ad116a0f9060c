// SPDX-License-Identifier: Apache-2.0
// The codec alone, on one thread, in memory: no disk, no network. Names are as users write them
// (see workload.h). Run with `./dev bench codec`.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "codec/crc32c.h"
#include "codec/entry.h"
#include "codec/snapshot.h"
#include "workload.h"

namespace {

using namespace pawl::bench;
using namespace pawl::codec;

std::vector<Command> acquires(long count) {
  std::vector<Command> commands;
  for (long i = 0; i < count; ++i) commands.push_back(acquire(Time(1h), i, i, 30s, 5s));
  return commands;
}

void encode_acquires(benchmark::State& bench) {
  const std::vector<Command> commands = acquires(bench.range(0));
  std::size_t bytes = 0;
  for (auto _ : bench) {
    const std::string entry = encode_entry(commands);
    benchmark::DoNotOptimize(entry.data());
    bytes = entry.size();
  }
  bench.SetItemsProcessed(bench.iterations() * bench.range(0));
  bench.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(encode_acquires)->Arg(1)->Arg(32);

void decode_acquires(benchmark::State& bench) {
  const std::string entry = encode_entry(acquires(bench.range(0)));
  for (auto _ : bench) {
    const auto commands = decode_entry(entry);
    if (!commands) bench.SkipWithError("the entry can't be read");
    benchmark::DoNotOptimize(&commands);
  }
  bench.SetItemsProcessed(bench.iterations() * bench.range(0));
}
BENCHMARK(decode_acquires)->Arg(1)->Arg(32);

void checksum(benchmark::State& bench) {
  const std::string bytes(static_cast<std::size_t>(bench.range(0)), 'x');
  for (auto _ : bench) benchmark::DoNotOptimize(crc32c(bytes));
  bench.SetBytesProcessed(bench.iterations() * bench.range(0));
}
BENCHMARK(checksum)->Arg(256)->Arg(128 << 10);

void checksum_by_table(benchmark::State& bench) {
  const std::string bytes(static_cast<std::size_t>(bench.range(0)), 'x');
  for (auto _ : bench) benchmark::DoNotOptimize(crc32c_by_table(bytes));
  bench.SetBytesProcessed(bench.iterations() * bench.range(0));
}
BENCHMARK(checksum_by_table)->Arg(128 << 10);

void write_snapshot(benchmark::State& bench) {
  const auto state = with_held(bench.range(0));
  std::size_t bytes = 0;
  std::size_t pieces = 0;
  for (auto _ : bench) {
    bytes = pieces = 0;
    SnapshotWriter writer(*state);
    while (const auto piece = writer.next_piece()) {
      bytes += piece->size();
      ++pieces;
    }
  }
  bench.SetItemsProcessed(bench.iterations() * bench.range(0));
  bench.counters["bytes"] = static_cast<double>(bytes);
  bench.counters["pieces"] = static_cast<double>(pieces);
}
BENCHMARK(write_snapshot)->Arg(kMillion)->Unit(benchmark::kMillisecond);

void restore_snapshot(benchmark::State& bench) {
  std::vector<std::string> pieces;
  {
    const auto state = with_held(bench.range(0));
    SnapshotWriter writer(*state);
    while (auto piece = writer.next_piece()) pieces.push_back(*std::move(piece));
  }
  for (auto _ : bench) {
    SnapshotParser parser(1);
    for (const std::string& piece : pieces) {
      if (parser.add_piece(piece)) bench.SkipWithError("a piece was refused");
    }
    auto state = parser.finish();
    if (!state) bench.SkipWithError("the snapshot was refused");
    bench.PauseTiming();
    std::move(state).value().reset();
    bench.ResumeTiming();
  }
  bench.SetItemsProcessed(bench.iterations() * bench.range(0));
}
BENCHMARK(restore_snapshot)->Arg(kMillion)->Unit(benchmark::kMillisecond);

}  // namespace
