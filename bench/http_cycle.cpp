// SPDX-License-Identifier: Apache-2.0
#include "http_cycle.h"

namespace pawl::bench {
namespace {

constexpr double kWarmUpSeconds = 0.3;

// When what is measured begins and ends; a cycle counts that lies between.
struct Window {
  SteadyTime begin;
  SteadyTime end;
};

class Cycler final : public Client {
 public:
  Cycler(std::unique_ptr<Talk> talk, const Window& window, CycleTimes& times)
      : talk_(std::move(talk)), window_(window), times_(times) {}

  std::string_view first(SteadyTime now) override { return acquire(now); }
  std::string_view heard(const HttpAnswer& answer, SteadyTime now) override {
    if (holds_) {
      talk_->released(answer);
      holds_ = false;
      if (counts(now)) times_.cycles.add(asked_, now);
      return now < window_.end ? acquire(now) : std::string_view();
    }
    holds_ = true;
    if (counts(now)) times_.acquires.add(asked_, now);
    return talk_->granted(answer);
  }

 private:
  std::string_view acquire(SteadyTime now) {
    asked_ = now;
    return talk_->acquire();
  }
  bool counts(SteadyTime now) const { return asked_ >= window_.begin && now <= window_.end; }

  std::unique_ptr<Talk> talk_;
  const Window& window_;
  CycleTimes& times_;
  SteadyTime asked_;
  bool holds_ = false;
};

}  // namespace

void run_cycles(LockServer& server, unsigned clients, double seconds, CycleTimes& into) {
  Window window;
  std::vector<std::unique_ptr<Cycler>> cyclers;
  Generator generator;
  for (unsigned i = 0; i < clients; ++i) {
    cyclers.push_back(std::make_unique<Cycler>(
        server.talk({.lock = "bench-cycle-" + std::to_string(i), .client = i}), window, into));
    generator.add(server.port(), *cyclers.back());
  }
  window.begin = after(steady_now(), kWarmUpSeconds);
  window.end = after(window.begin, seconds);
  generator.begin();
  generator.run([&](SteadyTime now) { return now >= window.begin; });
  const double generator_before = thread_cpu_seconds();
  const double server_before = server.cpu_seconds();
  generator.run([&](SteadyTime now) { return now >= window.end; });
  into.generator_cpu += thread_cpu_seconds() - generator_before;
  into.server_cpu += server.cpu_seconds() - server_before;
  into.seconds += seconds;
  generator.run_dry();
}

}  // namespace pawl::bench
