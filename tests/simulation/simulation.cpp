// SPDX-License-Identifier: Apache-2.0
#include "simulation/simulation.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "simulation/network.h"
#include "simulation/operator.h"
#include "simulation/registers.h"
#include "simulation/seed_on_abort.h"
#include "simulation/service.h"
#include "simulation/sim.h"
#include "simulation/worker.h"

namespace pawl::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr Micros kLongestRun = std::chrono::hours(24);
constexpr Micros kHealthyTime = seconds(8);
constexpr Micros kAnswerBound =
    seconds(10);  // the disk may still be slow for what was written before

class World {
 public:
  World(std::uint64_t seed, const SimOptions& options)
      : sim_(seed), options_(options), network_(sim_), service_(sim_, network_, resources_) {
    if (options.clients != 0) sim_.plan.clients = options.clients;
    if (options.resources != 0) sim_.plan.resources = options.resources;
    for (std::uint32_t i = 0; i < sim_.plan.resources; ++i) {
      const bool semaphore = sim_.random.chance(sim_.plan.permit);
      const auto permits = static_cast<std::uint32_t>(semaphore ? sim_.random.between(1, 5) : 0);
      resources_.push_back({core::ResourceName("resource-" + std::to_string(i)), permits});
    }
    for (std::uint32_t i = 0; i < sim_.plan.clients; ++i) {
      workers_.push_back(
          std::make_unique<Worker>(sim_, network_, service_, registers_, resources_, i));
    }
    operator_ = std::make_unique<Operator>(sim_, network_, service_, resources_, sim_.plan.clients);
    connect();
  }

  SimResult run(std::uint64_t seed) {
    service_.start();
    for (const auto& worker : workers_) worker->begin();
    operator_->begin();
    plan_restart();
    while (sim_.stats.of(Count::commands) < options_.steps && !service_.broken() &&
           sim_.events.step(kLongestRun)) {
    }
    heal();
    return judge(seed);
  }

 private:
  void connect() {
    network_.to_service = [this](Request request) { service_.take(std::move(request)); };
    network_.closed_to_service = [this](ConnectionId id) { service_.closed(id); };
    network_.to_client = [this](std::uint32_t client, const Reply& reply) {
      caller(client).receive(reply);
    };
    network_.broken_to_client = [this](std::uint32_t client, CallId call, std::uint32_t attempt) {
      caller(client).broken(call, attempt);
    };
  }

  Caller& caller(std::uint32_t client) {
    return client < workers_.size() ? workers_[client]->caller() : operator_->caller();
  }

  void plan_restart() {
    if (sim_.plan.between_restarts == Micros::zero()) return;
    sim_.events.after(sim_.random.between(milliseconds(1), sim_.plan.between_restarts * 2), [this] {
      if (sim_.healed) return;
      sim_.stats.add(Count::restarts);
      service_.stop();
      sim_.events.after(sim_.random.between(milliseconds(1), sim_.plan.longest_stop), [this] {
        if (!service_.up()) service_.start();
        plan_restart();
      });
    });
  }

  // Everything works from here on. Life goes on for a while, then nobody begins anything new, and
  // whoever still waits must be answered.
  void heal() {
    sim_.healed = true;
    healed_ = sim_.now();
    if (!service_.up()) service_.start();
    for (const auto& worker : workers_) worker->heal();
    while (sim_.events.step(healed_ + kHealthyTime)) {
    }
    sim_.closing = true;
    const Micros end = healed_ + kHealthyTime + sim_.plan.longest_wait + kAnswerBound + seconds(1);
    while (!all_at_rest() && sim_.events.step(end)) {
    }
    ended_ = all_at_rest() ? end : std::max(sim_.now(), end);
  }

  bool all_at_rest() const {
    return std::all_of(workers_.begin(), workers_.end(),
                       [](const auto& worker) { return worker->at_rest(); });
  }

  SimResult judge(std::uint64_t seed) {
    SimResult result;
    result.seed = seed;
    result.judged_by.drift_ppm = kMostDriftPpm;
    result.judged_by.healed = healed_;
    result.judged_by.ended = ended_;
    result.judged_by.answer_bound = kAnswerBound;
    result.judged_by.retention = sim_.plan.limits.retention;
    result.violations = check(sim_.history, result.judged_by);
    service_.check_state();
    result.broken_state = service_.broken();
    sim_.stats.seeds = 1;
    sim_.stats.simulated = sim_.now();
    sim_.stats.operations = sim_.history.operations.size();
    sim_.stats.add(Count::plain_lost, lost_updates(sim_.history, OpKind::plain_write));
    result.stats = sim_.stats;
    result.history = std::move(sim_.history);
    return result;
  }

  Sim sim_;
  SimOptions options_;
  Network network_;
  std::vector<ResourceKind> resources_;
  Service service_;
  Registers registers_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<Operator> operator_;
  Micros healed_{0};
  Micros ended_{0};
};

}  // namespace

SimResult simulate(std::uint64_t seed, const SimOptions& options) {
  const SeedOnAbort note(seed);
  return World(seed, options).run(seed);
}

}  // namespace pawl::testing
