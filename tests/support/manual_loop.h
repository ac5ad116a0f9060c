// SPDX-License-Identifier: Apache-2.0
// A loop, its clock and the time of day, which pass only when a test says so. One thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "ports/clock.h"
#include "ports/loop.h"
#include "ports/wall_clock.h"

namespace pawl::testing {

class ManualLoop final : public ports::Loop {
 public:
  class Clock final : public ports::Clock {
   public:
    ports::Ticks now() const override { return shown; }
    ports::Ticks shown{0};
  };
  class WallClock final : public ports::WallClock {
   public:
    ports::WallTime now() const override { return shown; }
    ports::WallTime shown = std::chrono::sys_days(std::chrono::year(2026) / 4 / 1);
  };

  void post(ports::Action action) override { posted_.push_back(std::move(action)); }
  std::unique_ptr<ports::Timer> make_timer(ports::Action action) override {
    return std::make_unique<Alarm>(*this, std::move(action));
  }

  // Everything posted, what that posts in turn, and every timer that is due.
  void run() {
    while (true) {
      if (!posted_.empty()) {
        const ports::Action action = std::move(posted_.front());
        posted_.pop_front();
        action();
      } else if (!due_.empty() && due_.begin()->first <= clock.shown) {
        due_.begin()->second->ring();
      } else {
        return;
      }
    }
  }
  // Timers go off in order, each at its time.
  void pass(ports::Ticks by) {
    const ports::Ticks until = clock.shown + by;
    run();
    while (!due_.empty() && due_.begin()->first <= until) {
      move_to(due_.begin()->first);
      run();
    }
    move_to(until);
    run();
  }

  Clock clock;
  WallClock wall;

 private:
  class Alarm;
  using Due = std::multimap<ports::Ticks, Alarm*>;

  class Alarm final : public ports::Timer {
   public:
    Alarm(ManualLoop& loop, ports::Action action) : loop_(loop), action_(std::move(action)) {}
    ~Alarm() override { cancel(); }
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;
    void set(ports::Ticks when) override {
      cancel();
      at_ = loop_.due_.emplace(when, this);
      set_ = true;
    }
    void cancel() override {
      if (std::exchange(set_, false)) loop_.due_.erase(at_);
    }
    void ring() {
      cancel();
      const ports::Action action = action_;  // it may destroy its timer
      action();
    }

   private:
    ManualLoop& loop_;
    ports::Action action_;
    Due::iterator at_;
    bool set_ = false;
  };

  void move_to(ports::Ticks when) {
    if (when <= clock.shown) return;
    wall.shown += std::chrono::duration_cast<std::chrono::milliseconds>(when) -
                  std::chrono::duration_cast<std::chrono::milliseconds>(clock.shown);
    clock.shown = when;
  }

  std::deque<ports::Action> posted_;
  Due due_;
};

}  // namespace pawl::testing
