// SPDX-License-Identifier: Apache-2.0
#include "simulation/machine.h"

#include <algorithm>
#include <utility>

namespace pawl::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

Machine::Machine(Sim& sim, std::int64_t drift_ppm, OnCrash crashed)
    : sim_(sim), rate_(drift_ppm), booted_(sim.now()), crashed_(std::move(crashed)) {}

Machine::~Machine() = default;

ports::Ticks Machine::now() const {
  return rate_.read((clock_stopped_ ? fell_asleep_ : sim_.now()) - booted_);
}

Micros Machine::shows(ports::Ticks reading) const { return booted_ + rate_.reaches(reading); }

Micros Machine::lateness() {
  if (sim_.healed) return sim_.random.between(Micros(0), milliseconds(1));
  if (!sim_.random.chance(sim_.plan.late_timer)) return sim_.random.between(Micros(0), Micros(300));
  return sim_.random.between(Micros(0), sim_.plan.lateness);
}

void Machine::run(const ports::Action& action) {
  if (!alive_) return;
  if (asleep_) {
    backlog_.push_back(action);
    return;
  }
  try {
    action();
  } catch (const SimCrash& crash) {
    crashed_(crash);
  }
}

void Machine::after(Micros delay, ports::Action action) {
  sim_.events.after(delay, guard(std::move(action)));
}

ports::Action Machine::guard(ports::Action action) {
  return [this, alive = std::weak_ptr<int>(alive_), action = std::move(action)] {
    if (!alive.expired()) run(action);
  };
}

void Machine::later(Micros delay, ports::Action action) {
  after(std::max(Micros::zero(), shows(now() + delay) - sim_.now()), std::move(action));
}

void Machine::post(ports::Action action) { after(Micros::zero(), std::move(action)); }

void Machine::sleep(bool clock_stops) {
  asleep_ = true;
  clock_stopped_ = clock_stops;
  fell_asleep_ = sim_.now();
}

void Machine::wake() {
  if (!asleep_) return;
  asleep_ = false;
  if (std::exchange(clock_stopped_, false)) booted_ += sim_.now() - fell_asleep_;
  for (ports::Action& action : std::exchange(backlog_, {})) post(std::move(action));
}

class Machine::OneTimer final : public ports::Timer {
 public:
  OneTimer(Machine& machine, ports::Action action)
      : machine_(machine), setting_(std::make_shared<Setting>()) {
    setting_->action = std::move(action);
  }
  ~OneTimer() override { cancel(); }

  void set(ports::Ticks when) override {
    const std::uint64_t turn = ++setting_->turn;
    plan(machine_, setting_, turn, when, machine_.lateness());
  }
  void cancel() override { ++setting_->turn; }

 private:
  struct Setting {
    ports::Action action;
    std::uint64_t turn = 0;
  };
  using Shared = std::shared_ptr<Setting>;

  static void plan(Machine& machine, const Shared& setting, std::uint64_t turn, ports::Ticks when,
                   Micros late) {
    const Micros delay = std::max(Micros::zero(), machine.shows(when) - machine.sim_.now()) + late;
    machine.after(delay, [&machine, setting, turn, when] {
      if (setting->turn != turn) return;
      // The clock stood still meanwhile.
      if (machine.now() < when) return plan(machine, setting, turn, when, Micros::zero());
      ++setting->turn;
      setting->action();
    });
  }

  Machine& machine_;
  Shared setting_;
};

std::unique_ptr<ports::Timer> Machine::make_timer(ports::Action action) {
  return std::make_unique<OneTimer>(*this, std::move(action));
}

void Hand::run(ports::Action job, ports::Action done) {
  if (stopped_) return;
  jobs_.push_back({std::move(job), std::move(done)});
  if (jobs_.size() == 1) begin();
}

void Hand::begin() {
  Micros time = sim_.random.between(Micros(10), sim_.plan.commit);
  if (sim_.healed) {
    time = sim_.random.between(Micros(10), milliseconds(2));
  } else if (sim_.random.chance(sim_.plan.slow_commit)) {
    sim_.stats.add(Count::slow_writes);
    time = sim_.random.between(milliseconds(100), sim_.plan.slow_write);
  }
  machine_.after(time, [this] { work(); });
}

void Hand::work() {
  if (stopped_) return;
  jobs_.front().job();
  machine_.post(std::move(jobs_.front().done));
  jobs_.pop_front();
  if (!jobs_.empty()) begin();
}

void Hand::stop() {
  stopped_ = true;
  if (!jobs_.empty()) jobs_.front().job();
  jobs_.clear();
}

void Hand::drop() {
  stopped_ = true;
  jobs_.clear();
}

bool Hand::interrupt(CrashKind kind) {
  stopped_ = true;
  const std::deque<Job> jobs = std::exchange(jobs_, {});
  const std::uint64_t fate = jobs.empty() ? 0 : sim_.random.below(3);
  if (fate == 0) return false;
  if (fate == 1) disk_.crash_at(1 + sim_.random.below(8), kind);
  try {
    jobs.front().job();
    return false;
  } catch (const SimCrash&) {
    sim_.stats.add(Count::cut_off);
    return true;
  }
}

}  // namespace pawl::testing
