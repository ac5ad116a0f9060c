// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "http_cycle.h"
#include "http_sections.h"

namespace pawl::bench {
namespace {

constexpr unsigned kProbes = 32;
constexpr unsigned kLocks = 10;
constexpr unsigned kLongSeconds = 590;  // more than this run takes
constexpr unsigned kAtOnce = 500;       // etcd refuses a burst of thousands
constexpr double kPatienceSeconds = 60;
const std::string kPrefix = "bench-waiting-";

// Asks once, and keeps what it gets, or waits for it.
class Sitter final : public Client {
 public:
  explicit Sitter(std::unique_ptr<Talk> talk) : talk_(std::move(talk)) {}
  std::string_view first(SteadyTime) override { return talk_->acquire(); }
  std::string_view heard(const HttpAnswer& answer, SteadyTime) override {
    (void)talk_->granted(answer);
    return {};
  }

 private:
  std::unique_ptr<Talk> talk_;
};

// The locks, each held by one, and everybody else in line for them.
class Crowd {
 public:
  Crowd(LockServer& server, unsigned waiting) : server_(server) {
    for (unsigned i = 0; i < kLocks; ++i) sit(i);
    generator_.begin();
    generator_.run_dry();
    for (unsigned queued = 0; queued < waiting;) {
      for (const unsigned end = std::min(waiting, queued + kAtOnce); queued < end; ++queued)
        sit(kLocks + queued);
      generator_.begin();
      wait_until_queued(queued);
    }
  }

 private:
  void sit(unsigned client) {
    sitters_.push_back(
        std::make_unique<Sitter>(server_.talk({.lock = kPrefix + std::to_string(client % kLocks),
                                               .client = client,
                                               .wait_seconds = client < kLocks ? 0 : kLongSeconds,
                                               .ttl_seconds = kLongSeconds})));
    generator_.add(server_.port(), *sitters_.back());
  }

  void wait_until_queued(unsigned count) {
    const SteadyTime end = after(steady_now(), kPatienceSeconds);
    while (server_.waiting_for(kPrefix, kLocks) < count) {
      if (steady_now() > end)
        throw CannotMeasure(std::string(server_.name()) + " does not take so many who wait");
      const SteadyTime next = after(steady_now(), 0.01);
      generator_.run([&](SteadyTime now) { return now >= next; });
    }
  }

  LockServer& server_;
  std::vector<std::unique_ptr<Sitter>> sitters_;
  Generator generator_;
};

Row row_of(LockServer& server, unsigned waiting, CycleTimes& times) {
  const double share = times.server_cpu / times.seconds * 100;
  return {std::string(server.name()),
          {waiting, times.rate(), times.acquires.microseconds(0.5),
           times.acquires.microseconds(0.99), share, server.resident_mib()}};
}

void measure_server(const HttpOptions& options, LockServer& server, Table& table) {
  CycleTimes alone;
  run_cycles(server, kProbes, options.seconds, alone);
  table.rows.push_back(row_of(server, 0, alone));
  const Crowd crowd(server, options.waiting);
  CycleTimes among;
  run_cycles(server, kProbes, options.seconds, among);
  table.rows.push_back(row_of(server, options.waiting, among));
}

}  // namespace

void measure_waiting(const HttpOptions& options, LockServers& servers, Report& report) {
  Table table{"waiting",
              "32 clients that acquire and release while others wait for 10 other locks",
              "",
              {{"waiting", "waiting", 0},
               {"per_second", "cycles/s", 0},
               {"acquire_p50_us", "acquire p50 us", 0},
               {"acquire_p99_us", "p99 us", 0},
               {"server_cpu", "server cpu %", 0},
               {"resident_mib", "resident MiB", 0}},
              {},
              {}};
  for (const auto& server : servers) {
    if (server->name() != "pawl" && server->name() != "etcd") continue;
    try {
      measure_server(options, *server, table);
    } catch (const CannotMeasure& failed) {
      if (server->name() == "pawl") throw;
      table.notes.push_back(std::string(server->name()) + " could not: " + failed.what());
    }
  }
  if (!table.rows.empty()) report.add(std::move(table));
}

}  // namespace pawl::bench
