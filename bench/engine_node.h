// SPDX-License-Identifier: Apache-2.0
// An engine with the loop it lives in, and the clients that load it: they run in the loop's own
// thread, as the doors do, and each has one request under way. Not thread-safe. What cannot be
// measured is thrown as CannotMeasure out of run().
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "latencies.h"

namespace pawl::bench {

class Node final : public ports::StoreListener, private ports::Observer {
 public:
  // Opens the data folder; it is not in office yet.
  explicit Node(const std::filesystem::path& folder, engine::ReplicaOptions replica = {});
  // Without stop() it ends as if it was killed.
  ~Node() override;

  void wait_for_office();
  void set_limits(const core::Limits& limits);
  void stop();

  // The loop, until finish() or fail() is called in it.
  void run();
  void finish() { io_.stop(); }
  void fail(std::string why);

  ports::LockStore& store() { return engine_->store(); }
  // What became of a request that was submitted then; nullptr: it failed, and so does the run.
  const core::Effects* effects_of(const ports::Answer& answer, SteadyTime submitted);
  // The state's time at that moment, by the clock of the last answer.
  core::Time state_time(SteadyTime at) const;
  // Handlers of the loop in which something was answered: about one a write.
  std::uint64_t bursts() const { return bursts_; }
  int snapshots() const { return snapshots_.load(); }

  std::function<void(const core::Effects&)> on_applied;

 private:
  void applied(ports::LogPosition, const core::Command&, const core::Effects& effects) override {
    if (on_applied) on_applied(effects);
  }
  void office_changed(const ports::Office& office) override;
  void event(ports::Severity severity, std::string_view name,
             std::span<const ports::Field> fields) override;

  boost::asio::io_context io_{1};
  boost::asio::steady_timer watchdog_{io_};
  std::unique_ptr<engine::Engine> engine_;
  std::string failure_;
  bool awaiting_office_ = false;
  std::chrono::microseconds state_ahead_{0};  // of the steady clock
  std::uint64_t bursts_ = 0;
  bool in_burst_ = false;
  std::atomic<int> snapshots_{0};
};

// Lease ids as clients make them: with the state's time, never the same twice.
core::LeaseId next_lease_id(core::Time now);

// Clients that take their own lock and let it go, in turn.
class Cycle {
 public:
  Cycle(Node& node, unsigned clients);
  ~Cycle();

  // Until `over` says so and all is released. Answers from `begin` until then count.
  void run(SteadyTime begin, std::function<bool(SteadyTime now)> over);

  Latencies all;     // acquires and releases
  Latencies grants;  // acquires

 private:
  struct Client;
  void submit(Client& client);
  void answered(Client& client, const ports::Answer& answer);

  Node& node_;
  std::vector<std::unique_ptr<Client>> clients_;
  SteadyTime begin_;
  std::function<bool(SteadyTime)> over_;
  std::size_t under_way_ = 0;
};

// Takes `count` leases on resources of their own, so many at once, each with the TTL that `ttl`
// gives for the moment of asking.
void hold(Node& node, long count, unsigned in_flight,
          const std::function<core::Duration(SteadyTime)>& ttl);

}  // namespace pawl::bench
