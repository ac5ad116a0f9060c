// SPDX-License-Identifier: Apache-2.0
#include "simulation/simulation.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "simulation/chaos.h"
#include "simulation/cluster.h"
#include "simulation/network.h"
#include "simulation/operator.h"
#include "simulation/registers.h"
#include "simulation/seed_on_abort.h"
#include "simulation/sim.h"
#include "simulation/worker.h"

namespace pawl::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr Micros kLongestRun = std::chrono::hours(1);
constexpr Micros kSettleTime = seconds(6);    // longer than the slowest message
constexpr Micros kSettleBound = seconds(30);  // until somebody leads, once the faults heal
constexpr Micros kHealthyTime = seconds(8);
constexpr Micros kAnswerBound =
    seconds(10);  // the disk may still be slow for what was written before

class World {
 public:
  World(std::uint64_t seed, const SimOptions& options)
      : sim_(seed), options_(options), network_(sim_) {
    Plan& plan = sim_.plan;
    if (options.nodes != 0) plan.nodes = options.nodes;
    if (options.clients != 0) plan.clients = options.clients;
    if (options.resources != 0) plan.resources = options.resources;
    for (std::uint32_t i = 0; i < plan.resources; ++i) {
      const bool semaphore = sim_.random.chance(plan.permit);
      const auto permits = static_cast<std::uint32_t>(semaphore ? sim_.random.between(1, 5) : 0);
      resources_.push_back({core::ResourceName("resource-" + std::to_string(i)), permits});
    }
    cluster_ = std::make_unique<Cluster>(sim_, network_, resources_);
    chaos_ = std::make_unique<Chaos>(sim_, *cluster_);
    for (std::uint32_t i = 0; i < plan.clients; ++i) {
      workers_.push_back(
          std::make_unique<Worker>(sim_, network_, *cluster_, registers_, resources_, i));
    }
    operator_ = std::make_unique<Operator>(sim_, network_, *cluster_, resources_, plan.clients);
    network_.to_client = [this](std::uint32_t client, const Reply& reply) {
      caller(client).receive(reply);
    };
    network_.broken_to_client = [this](std::uint32_t client, const Broken& broken) {
      caller(client).broken(broken);
    };
  }

  SimResult run(std::uint64_t seed) {
    chaos_->begin();
    for (const auto& worker : workers_) worker->begin();
    operator_->begin();
    while (sim_.stats.of(Count::commands) < options_.steps && !broken() &&
           sim_.events.step(kLongestRun)) {
    }
    heal();
    return judge(seed);
  }

 private:
  bool broken() const {
    return cluster_->ledger().broken() || !cluster_->ledger().violations().empty();
  }

  Caller& caller(std::uint32_t client) {
    return client < workers_.size() ? workers_[client]->caller() : operator_->caller();
  }

  // Everything works from here on, and before long somebody leads. Life goes on for a while, then
  // nobody begins anything new, and whoever still waits must be answered.
  void heal() {
    sim_.healed = true;
    for (const auto& worker : workers_) worker->heal();
    chaos_->heal();
    settle();
    healed_ = sim_.now();
    run_until(healed_ + kHealthyTime);
    sim_.closing = true;
    const Micros end = healed_ + kHealthyTime + sim_.plan.longest_wait + kAnswerBound + seconds(1);
    while (!broken() && !all_at_rest() && sim_.events.step(end)) {
    }
    ended_ = all_at_rest() ? end : std::max(sim_.now(), end);
  }

  void settle() {
    const Micros start = sim_.now();
    run_until(start + kSettleTime);
    while (!broken() && !cluster_->settled() && sim_.events.step(start + kSettleBound)) {
    }
    if (!broken() && !cluster_->settled()) {
      cluster_->ledger().break_with("nobody leads " + to_seconds(kSettleBound) +
                                    " after all faults have healed");
    }
  }

  void run_until(Micros when) {
    while (!broken() && sim_.events.step(when)) {
    }
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
    result.broken_state = cluster_->ledger().broken();
    result.violations = cluster_->ledger().violations();
    if (result.violations.empty()) result.violations = check(sim_.history, result.judged_by);
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
  Registers registers_;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<Chaos> chaos_;
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
