// SPDX-License-Identifier: Apache-2.0
// The core alone, on one thread: no log, no network. Names are as users write them: a 40-byte
// resource, a 16-byte owner, client-made lease ids. Run with `./dev bench core`.
#include <benchmark/benchmark.h>

#include <vector>

#include "workload.h"

namespace {

using namespace pawl::bench;
using namespace pawl::core;
using namespace std::chrono_literals;

// Clients in turn take their own lock and let it go, `locks` clients in all. The commands are made
// beforehand, in batches, as an engine would hand them over. Ends are remembered for 60 s of state
// time: with 1 ms a cycle the state has 60,000 of them after a while, with 20 us (50,000 cycles a
// second) up to three million.
void acquire_release(benchmark::State& bench) {
  constexpr long kBatch = 1024;
  auto state = with_held(bench.range(0));
  const long locks = bench.range(1);
  const Duration a_cycle(bench.range(2));
  Time now{};
  long n = 0;
  std::vector<Command> commands;
  commands.reserve(2 * kBatch);
  for (auto _ : bench) {
    if (n % kBatch == 0) {
      bench.PauseTiming();
      commands.clear();
      for (long i = 0; i < kBatch; ++i) {
        now += a_cycle;
        commands.push_back(acquire(now, n + i, (n + i) * 7919 % locks));
        commands.push_back(release(now, std::get<Acquire>(commands.back().body).id));
      }
      bench.ResumeTiming();
    }
    const auto at = static_cast<std::size_t>(n++ % kBatch) * 2;
    benchmark::DoNotOptimize(step(*state, commands[at]));
    benchmark::DoNotOptimize(step(*state, commands[at + 1]));
  }
  bench.SetItemsProcessed(bench.iterations());
  bench.counters["ends"] = static_cast<double>(state->ends.used());
}
BENCHMARK(acquire_release)
    ->ArgNames({"held", "locks", "us_a_cycle"})
    ->Args({0, 256, 1000})
    ->Args({0, 256, 20})
    ->Args({kMillion, 256, 1000})
    ->Args({kMillion, kMillion, 1000})
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(2);

void renew(benchmark::State& bench) {
  auto state = with_held(bench.range(0));
  long n = 0;
  Command command{Time{}, Renew{Namespace("default"), LeaseId(), 0s}};
  std::vector<LeaseId> ids;
  ids.reserve(4096);
  for (long i = 0; i < 4096; ++i)
    ids.push_back(lease_id(Time{}, kMillion + i * 7919 % bench.range(0)));
  for (auto _ : bench) {
    command.at += 20us;
    std::get<Renew>(command.body).id = ids[static_cast<std::size_t>(n++ % 4096)];
    benchmark::DoNotOptimize(step(*state, command));
  }
  bench.SetItemsProcessed(bench.iterations());
}
BENCHMARK(renew)->Arg(1000)->Arg(kMillion)->Unit(benchmark::kMicrosecond);

// One lock, 10,000 waiting for it: the holder lets go, the first in the queue gets it, and a new
// one joins.
void handover_among_waiters(benchmark::State& bench) {
  State state(1);
  const long waiting = bench.range(0);
  Time now{};
  std::vector<LeaseId> ids;
  for (long i = 0; i <= waiting; ++i) {
    Command command = acquire(now, i, 0, 24h, i == 0 ? 0s : 60s);
    ids.push_back(std::get<Acquire>(command.body).id);
    step(state, command);
  }
  std::size_t holder = 0;
  long n = waiting;
  for (auto _ : bench) {
    now += 20us;
    Command join = acquire(now, ++n, 0, 24h, 60s);
    const LeaseId id = std::get<Acquire>(join.body).id;
    const Effects effects = step(state, release(now, ids[holder]));
    if (effects.all.size() != 2) bench.SkipWithError("one release must wake exactly one");
    benchmark::DoNotOptimize(step(state, join));
    ids[holder] = id;
    holder = (holder + 1) % ids.size();
  }
  bench.SetItemsProcessed(bench.iterations());
}
BENCHMARK(handover_among_waiters)->Arg(1)->Arg(10'000)->Unit(benchmark::kMicrosecond);

// A waiter in the middle of the queue gives up, and another joins.
void cancel_in_the_middle(benchmark::State& bench) {
  State state(1);
  const long waiting = bench.range(0);
  Time now{};
  std::vector<LeaseId> ids;
  for (long i = 0; i <= waiting; ++i) {
    Command command = acquire(now, i, 0, 24h, i == 0 ? 0s : 60s);
    ids.push_back(std::get<Acquire>(command.body).id);
    step(state, command);
  }
  long n = waiting;
  for (auto _ : bench) {
    now += 20us;
    const std::size_t middle = 1 + static_cast<std::size_t>(n * 7919 % waiting);
    benchmark::DoNotOptimize(step(state, release(now, ids[middle])));
    Command join = acquire(now, ++n, 0, 24h, 60s);
    ids[middle] = std::get<Acquire>(join.body).id;
    benchmark::DoNotOptimize(step(state, join));
  }
  bench.SetItemsProcessed(bench.iterations());
}
BENCHMARK(cancel_in_the_middle)->Arg(10)->Arg(10'000)->Unit(benchmark::kMicrosecond);

// All of them in one step.
void expire_at_once(benchmark::State& bench) {
  for (auto _ : bench) {
    bench.PauseTiming();
    auto state = with_held(bench.range(0), 30s);
    bench.ResumeTiming();
    Effects effects = step(*state, {Time(30s), Advance{}});
    if (effects.all.size() != static_cast<std::size_t>(bench.range(0)) + 1)
      bench.SkipWithError("not all expired");
    bench.PauseTiming();
    state.reset();
    effects = {};
    bench.ResumeTiming();
  }
  bench.SetItemsProcessed(bench.iterations() * bench.range(0));
}
BENCHMARK(expire_at_once)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
