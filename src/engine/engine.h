// SPDX-License-Identifier: Apache-2.0
// The durable engine on this machine: a data folder, the threads and clocks behind the ports, and
// the replica on top of them. What `pawl serve` and the tests of real processes open.
//
// Made, used and destroyed in the thread that runs the given io_context, which is the doors' own
// and must outlive it. While there is an Engine, the io_context has work and its run() does not
// return.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "engine/fault.h"
#include "engine/replica/options.h"
#include "ports/lock_store.h"
#include "ports/loop.h"
#include "ports/observer.h"

namespace boost::asio {
class io_context;
}

namespace pawl::engine {

struct EngineOptions {
  std::filesystem::path data_folder = "pawl-data";
  ReplicaOptions replica;
};

class Engine {
 public:
  using OnFault = std::function<void(const Fault&)>;

  // Makes the data folder if there is none. `failed` is told of a fault later on, once; the process
  // must then exit with exit_code(fault.kind) and answer nothing more.
  [[nodiscard]] static ports::Result<std::unique_ptr<Engine>, Fault> open(
      boost::asio::io_context& io, const EngineOptions& options, ports::Observer& observer,
      OnFault failed);
  ~Engine();

  ports::LockStore& store();
  // Logs the time and lets what is under way end, then calls `done`.
  void stop(ports::Action done);

 private:
  class Impl;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::engine
