// SPDX-License-Identifier: Apache-2.0
// The machine that a node runs on, as the engine's ports: a clock that errs, a loop, threads that
// work, chance. It can sleep (SIGSTOP, a VM that is paused): whatever would happen to it meanwhile
// happens when it wakes. All of it belongs to one process: a new one gets a new Machine.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "ports/clock.h"
#include "ports/loop.h"
#include "ports/random.h"
#include "simulation/sim.h"
#include "support/sim_disk.h"

namespace pawl::testing {

class Machine final : public ports::Clock, public ports::Loop, public ports::Random {
 public:
  using OnCrash = std::function<void(const SimCrash&)>;

  // `crashed` is told when the disk took the machine down; it must not destroy this at once.
  Machine(Sim& sim, std::int64_t drift_ppm, OnCrash crashed);
  ~Machine() override;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  ports::Ticks now() const override;
  void post(ports::Action action) override;
  std::unique_ptr<ports::Timer> make_timer(ports::Action action) override;
  std::uint64_t next() override { return sim_.random.next(); }

  // Something reaches the machine: now, or when it wakes, and never once it is gone.
  void run(const ports::Action& action);
  void after(Micros delay, ports::Action action);
  // The same as an action that may outlive the machine.
  ports::Action guard(ports::Action action);
  // By the machine's own clock.
  void later(Micros delay, ports::Action action);

  // `clock_stops`: as in a suspended machine.
  void sleep(bool clock_stops);
  void wake();
  bool asleep() const { return asleep_; }
  // Nothing happens here any more.
  void go_down() { alive_.reset(); }

 private:
  class OneTimer;
  // When the clock shows this, if it never stops.
  Micros shows(ports::Ticks reading) const;
  Micros lateness();

  Sim& sim_;
  DriftingClock rate_;
  Micros booted_;
  OnCrash crashed_;
  bool asleep_ = false;
  bool clock_stopped_ = false;
  Micros fell_asleep_{0};
  std::vector<ports::Action> backlog_;  // what happened while it slept
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

// A thread: its jobs take a while, and happen at one moment within it.
class Hand final : public ports::Worker {
 public:
  Hand(Sim& sim, Machine& machine, SimDisk& disk) : sim_(sim), machine_(machine), disk_(disk) {}

  void run(ports::Action job, ports::Action done) override;
  void stop() override;
  // The process ends now: the job under way may have come to nothing, to its end, or to a part, and
  // then the disk is down (true).
  bool interrupt(CrashKind kind);
  // What was not begun never will be.
  void drop();

 private:
  struct Job {
    ports::Action job;
    ports::Action done;
  };
  void begin();
  void work();

  Sim& sim_;
  Machine& machine_;
  SimDisk& disk_;
  std::deque<Job> jobs_;  // the first is under way
  bool stopped_ = false;
};

}  // namespace pawl::testing
