// SPDX-License-Identifier: Apache-2.0
#include "http_cycle.h"
#include "http_sections.h"

namespace pawl::bench {
namespace {

constexpr int kSlices = 3;
constexpr unsigned kContenders = 32;
constexpr unsigned kWaitSeconds = 120;
constexpr double kWarmUpSeconds = 0.3;

// One lock that all want. Only its holder releases it, so the last release and the next grant
// belong together.
struct Contest {
  SteadyTime begin;
  SteadyTime end;
  SteadyTime let_go;
  bool was_let_go = false;
  Latencies handovers;
};

class Contender final : public Client {
 public:
  Contender(std::unique_ptr<Talk> talk, Contest& contest)
      : talk_(std::move(talk)), contest_(contest) {}

  std::string_view first(SteadyTime) override { return talk_->acquire(); }
  std::string_view heard(const HttpAnswer& answer, SteadyTime now) override {
    if (holds_) {
      holds_ = false;
      talk_->released(answer);
      return now < contest_.end ? talk_->acquire() : std::string_view();
    }
    holds_ = true;
    if (contest_.was_let_go && contest_.let_go >= contest_.begin && now <= contest_.end)
      contest_.handovers.add(contest_.let_go, now);
    contest_.let_go = now;
    contest_.was_let_go = true;
    return talk_->granted(answer);
  }

 private:
  std::unique_ptr<Talk> talk_;
  Contest& contest_;
  bool holds_ = false;
};

void run_contest(LockServer& server, double seconds, Latencies& into) {
  Contest contest;
  std::vector<std::unique_ptr<Contender>> contenders;
  Generator generator;
  for (unsigned i = 0; i < kContenders; ++i) {
    contenders.push_back(std::make_unique<Contender>(
        server.talk({.lock = "bench-handover", .client = i, .wait_seconds = kWaitSeconds}),
        contest));
    generator.add(server.port(), *contenders.back());
  }
  contest.begin = after(steady_now(), kWarmUpSeconds);
  contest.end = after(contest.begin, seconds);
  generator.begin();
  generator.run([&](SteadyTime now) { return now >= contest.end; });
  generator.run_dry();
  into.add(contest.handovers);
}

}  // namespace

void measure_handover(const HttpOptions& options, LockServers& servers, Report& report) {
  Table table{"handover",
              "One lock that 32 clients wait for: from sending the release to the next grant",
              "",
              {{"per_second", "handovers/s", 0},
               {"p50_us", "p50 us", 0},
               {"p99_us", "p99 us", 0},
               {"ours_rate_ratio", "pawl/this rate", 2}},
              {},
              {}};
  struct Side {
    LockServer* server;
    Latencies handovers;
  };
  std::vector<Side> sides;
  for (const auto& server : servers)
    if (server->name() == "pawl" || server->name() == "etcd") sides.push_back({server.get(), {}});
  for (int slice = 0; slice < kSlices; ++slice)
    for (Side& side : sides) run_contest(*side.server, options.seconds / kSlices, side.handovers);
  std::optional<double> ours;
  for (Side& side : sides) {
    const double rate = static_cast<double>(side.handovers.count()) / options.seconds;
    std::optional<double> more;
    if (side.server->name() == "pawl")
      ours = rate;
    else if (ours && rate > 0)
      more = *ours / rate;
    table.rows.push_back(
        {std::string(side.server->name()),
         {rate, side.handovers.microseconds(0.5), side.handovers.microseconds(0.99), more}});
  }
  if (!table.rows.empty()) report.add(std::move(table));
}

}  // namespace pawl::bench
