// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "engine_node.h"
#include "engine_sections.h"
#include "workload.h"

namespace pawl::bench {
namespace {

constexpr unsigned kCyclers = 32;

struct Expiry {
  long ended = 0;
  SteadyTime first;
  SteadyTime last;
};

void count_expired(const Effects& effects, Expiry& expiry) {
  long expired = 0;
  for (const Effect& effect : effects.all) {
    const auto* ended = std::get_if<Ended>(&effect);
    if (ended != nullptr && ended->cause == EndCause::expired) ++expired;
  }
  if (expired == 0) return;
  expiry.last = steady_now();
  if (expiry.ended == 0) expiry.first = expiry.last;
  expiry.ended += expired;
}

Row row_of(const char* label, Latencies& all, double seconds) {
  return {label,
          {static_cast<double>(all.count()) / seconds, all.milliseconds(0.5),
           all.milliseconds(0.99), all.milliseconds(1), std::nullopt}};
}

}  // namespace

void measure_expiry(const Options& options, Scratch& scratch, Report& report) {
  if (!options.wants("expiry")) return;
  const std::filesystem::path folder = scratch.fresh("expiry") / "data";
  Node node(folder);
  node.wait_for_office();
  node.set_limits(Limits{});

  // All are taken for as long as it is until one moment, which leaves time to take them.
  const auto calm = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::duration<double>(options.seconds));
  const auto taking = std::chrono::microseconds(options.expiring * 40) + 500ms;
  const SteadyTime due = steady_now() + taking + calm;
  hold(node, options.expiring, 256, [due](SteadyTime now) {
    return std::max(std::chrono::duration_cast<Duration>(due - now), Duration(100ms));
  });

  Cycle before(node, kCyclers);
  const SteadyTime calm_begin = steady_now();
  const SteadyTime calm_end = due - 200ms;
  before.run(calm_begin, [&](SteadyTime now) { return now >= calm_end; });
  const double calm_seconds = seconds_between(calm_begin, calm_end);

  Expiry expiry;
  node.on_applied = [&expiry](const Effects& effects) { count_expired(effects, expiry); };
  Cycle during(node, kCyclers);
  const SteadyTime latest = due + 30s;
  SteadyTime over = latest;
  during.run(due, [&](SteadyTime now) {
    if (expiry.ended >= options.expiring) over = std::min(over, expiry.last + 100ms);
    return now >= over;
  });
  const double seconds = seconds_between(due, std::min(over, steady_now()));
  node.stop();

  const double calm_longest = before.all.milliseconds(1);
  const double longest = during.all.milliseconds(1);
  Table table{"expiry",
              std::to_string(options.expiring) + " leases expire at once, beside " +
                  std::to_string(kCyclers) + " clients",
              "",
              {{"per_second", "commands/s", 0},
               {"p50_ms", "p50 ms", 2},
               {"p99_ms", "p99 ms", 2},
               {"max_ms", "longest ms", 2},
               {"longest_ratio", "longest/before", 2}},
              {row_of("before", before.all, calm_seconds),
               row_of("from then until 100 ms after the last", during.all, seconds)},
              {}};
  table.rows.back().values.back() = longest / calm_longest;
  Table ends{"expiry_ends",
             "The ends themselves, counted from the moment at which they were due",
             "",
             {{"ended", "ended", 0}, {"first_ms", "first ms", 1}, {"last_ms", "last ms", 1}},
             {{"expired",
               {static_cast<double>(expiry.ended), seconds_between(due, expiry.first) * 1e3,
                seconds_between(due, expiry.last) * 1e3}}},
             {}};
  report.add(std::move(table));
  report.add(std::move(ends));
}

}  // namespace pawl::bench
