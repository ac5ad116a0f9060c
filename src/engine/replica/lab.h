// SPDX-License-Identifier: Apache-2.0
// One node in a test's hands: virtual time, a disk in memory, and writes that end when the test
// says so. For the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/data_folder.h"
#include "engine/replica/replica.h"
#include "support/random.h"
#include "support/sim_disk.h"

namespace pawl::engine {

using namespace std::chrono_literals;

struct LabClock final : ports::Clock {
  ports::Ticks now() const override { return time; }
  ports::Ticks time{1'000'000};
};

class LabLoop final : public ports::Loop {
 public:
  explicit LabLoop(LabClock& clock) : clock_(clock) {}
  void post(ports::Action action) override { posted_.push_back(std::move(action)); }
  std::unique_ptr<ports::Timer> make_timer(ports::Action action) override {
    return std::make_unique<LabTimer>(*this, std::move(action));
  }
  // Everything that can happen without time going on.
  void settle() {
    for (;;) {
      if (!posted_.empty()) {
        const ports::Action action = std::move(posted_.front());
        posted_.pop_front();
        action();
      } else if (LabTimer* due = first_due(); due != nullptr) {
        due->fire();
      } else {
        return;
      }
    }
  }
  std::optional<ports::Ticks> next_timer() const {
    std::optional<ports::Ticks> next;
    for (const LabTimer* timer : timers_) {
      if (timer->when && (!next || *timer->when < *next)) next = timer->when;
    }
    return next;
  }

 private:
  struct LabTimer final : ports::Timer {
    LabTimer(LabLoop& in, ports::Action what) : loop(in), action(std::move(what)) {
      loop.timers_.push_back(this);
    }
    ~LabTimer() override { std::erase(loop.timers_, this); }
    void set(ports::Ticks time) override { when = time; }
    void cancel() override { when.reset(); }
    void fire() {
      when.reset();
      action();
    }
    LabLoop& loop;
    ports::Action action;
    std::optional<ports::Ticks> when;
  };
  LabTimer* first_due() const {
    for (LabTimer* timer : timers_) {
      if (timer->when && *timer->when <= clock_.time) return timer;
    }
    return nullptr;
  }

  LabClock& clock_;
  std::deque<ports::Action> posted_;
  std::vector<LabTimer*> timers_;
};

// Does its jobs when told to; `eager` at once.
class LabWorker final : public ports::Worker {
 public:
  explicit LabWorker(LabLoop& loop) : loop_(loop) {}
  void run(ports::Action job, ports::Action done) override {
    jobs_.emplace_back(std::move(job), std::move(done));
    if (eager) work();
  }
  void stop() override { jobs_.clear(); }
  void work() {
    while (!jobs_.empty()) {
      auto [job, done] = std::move(jobs_.front());
      jobs_.pop_front();
      job();
      ++jobs_done;
      loop_.post(std::move(done));
    }
  }
  std::size_t waiting() const { return jobs_.size(); }

  bool eager = true;
  std::size_t jobs_done = 0;

 private:
  LabLoop& loop_;
  std::deque<std::pair<ports::Action, ports::Action>> jobs_;
};

struct LabRandom final : ports::Random {
  std::uint64_t next() override { return random.next(); }
  testing::Random random{7};
};

struct LabObserver final : ports::Observer {
  void event(ports::Severity, std::string_view name, std::span<const ports::Field>) override {
    ++seen[std::string(name)];
  }
  std::map<std::string, int> seen;
};

class Lab {
 public:
  Lab() {
    options.log.segment_bytes = std::uint64_t{256} << 10;
    options.max_entry_bytes = 16'000;
    const auto made =
        prepare_folder(disk, random, options.log, Membership{{{1, "one", Role::voter}}});
    EXPECT_TRUE(made) << to_text(made.fault());
  }

  // The process starts. False: `fault` says why not.
  bool start() {
    down();
    loop = std::make_unique<LabLoop>(clock);
    writer = std::make_unique<LabWorker>(*loop);
    preparer = std::make_unique<LabWorker>(*loop);
    background = std::make_unique<LabWorker>(*loop);
    const World world{disk, clock, random, *loop, *writer, *preparer, *background, observer, peers};
    auto opened = Replica::open(world, options, [this](const Fault& found) {
      fault = found;
      ++faults;
    });
    if (!opened) {
      fault = opened.fault();
      return false;
    }
    replica = std::move(opened.value());
    loop->settle();
    return true;
  }
  // The process is gone, as by kill -9.
  void down() {
    replica.reset();
    writer.reset();
    preparer.reset();
    background.reset();
    loop.reset();
  }

  // Time goes on, and everything that is due by then happens in its time.
  void pass(core::Duration time) {
    const ports::Ticks until = clock.time + time;
    for (;;) {
      loop->settle();
      const auto next = loop->next_timer();
      if (!next || *next > until) break;
      clock.time = std::max(clock.time, *next);
    }
    clock.time = until;
    loop->settle();
  }

  // What came of a command, once it has.
  struct Told {
    int times = 0;
    std::optional<core::Effects> effects;
    std::optional<ports::NotSubmitted> refused;
    bool unknown = false;
    template <class T>
    const T* reply() const {
      return effects ? std::get_if<T>(&effects->reply()) : nullptr;
    }
  };
  std::shared_ptr<Told> submit(core::CommandBody body) {
    auto told = std::make_shared<Told>();
    replica->submit(std::move(body), [told](const ports::Answer& answer) {
      ++told->times;
      if (const auto* applied = std::get_if<ports::Applied>(&answer)) {
        told->effects = applied->effects;
      } else if (const auto* refused = std::get_if<ports::NotSubmitted>(&answer)) {
        told->refused = *refused;
      } else {
        told->unknown = true;
      }
    });
    return told;
  }
  std::shared_ptr<Told> ask(core::CommandBody body) {
    auto told = submit(std::move(body));
    loop->settle();
    return told;
  }

  testing::Random chance{1};
  testing::SimDisk disk{chance};
  LabClock clock;
  LabRandom random;
  LabObserver observer;
  NoPeers peers;
  ReplicaOptions options;
  std::unique_ptr<LabLoop> loop;
  std::unique_ptr<LabWorker> writer, preparer, background;
  std::unique_ptr<Replica> replica;
  std::optional<Fault> fault;
  int faults = 0;
};

inline core::Acquire acquire(const std::string& resource, const std::string& id,
                             core::Duration ttl = 10s, core::Duration wait = 0s) {
  core::Acquire request;
  request.space = core::Namespace("default");
  request.id = core::LeaseId(id);
  request.terms.owner = core::OwnerId("worker");
  request.terms.resources = {core::ResourceName(resource)};
  request.terms.ttl = ttl;
  request.wait = wait;
  return request;
}
inline core::Renew renew(const std::string& id) {
  return {core::Namespace("default"), core::LeaseId(id), {}};
}
inline core::Release release(const std::string& id) {
  return {core::Namespace("default"), core::LeaseId(id)};
}

}  // namespace pawl::engine
