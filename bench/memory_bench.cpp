// SPDX-License-Identifier: Apache-2.0
// What a held lease costs in memory: everything that the state has allocated, as malloc rounds it.
// A program of its own, because counting allocations slows them down.
#include <benchmark/benchmark.h>

#include "allocations.h"
#include "workload.h"

namespace {

void bytes_a_lease(benchmark::State& bench) {
  for (auto _ : bench) {
    const std::size_t before = pawl::bench::allocated_bytes();
    const auto state = pawl::bench::with_held(bench.range(0));
    const std::size_t after = pawl::bench::allocated_bytes();
    bench.counters["bytes_a_lease"] =
        static_cast<double>(after - before) / static_cast<double>(bench.range(0));
  }
}
BENCHMARK(bytes_a_lease)->Arg(pawl::bench::kMillion)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
