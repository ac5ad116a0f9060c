// SPDX-License-Identifier: Apache-2.0
// `pawl serve`: engine, service and doors put together on one loop, from the start to a clean stop.
//
//   open the data folder -> listen -> take office -> serve -> drain -> close the doors -> close it
//
// One thread, the caller's; one of these in a process.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "cli/serve/config_load.h"
#include "cli/serve/logger.h"
#include "cli/serve/notify.h"
#include "cli/serve/signals.h"
#include "doors/http/server.h"
#include "engine/engine.h"
#include "engine/host/asio_loop.h"
#include "engine/host/system_clock.h"
#include "engine/host/system_random.h"
#include "engine/host/system_secrets.h"
#include "engine/host/system_wall_clock.h"
#include "service/metrics.h"
#include "service/service.h"

namespace pawl::cli {

// Beside those of engine::exit_code(); docs/operations.md lists them all.
inline constexpr int kCannotListen = 25;

class Daemon {
 public:
  explicit Daemon(const Loaded& loaded);
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Until a signal asks it to stop. Returns the exit code; a fault ends the process from within.
  int run();

 private:
  bool open();
  void look_around();
  void wait_until_ready();
  void serve();
  void feed_watchdog();
  void stop(int signal);
  void close_doors();
  void close_folder();
  void end(int exit_code, std::string last_words);

  const Loaded& loaded_;
  const Config& config_;
  boost::asio::io_context io_{1};
  engine::SystemClock clock_;
  engine::SystemWallClock wall_;
  engine::SystemRandom random_;
  engine::SystemSecrets secrets_;
  service::Metrics metrics_;
  bool on_terminal_;
  Logger logger_;
  Notifier notifier_;
  engine::AsioLoop loop_;
  boost::asio::steady_timer ready_timer_{io_};
  boost::asio::steady_timer watchdog_timer_{io_};
  Signals signals_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<service::Service> service_;
  std::unique_ptr<doors::http::Server> server_;
  bool stopping_ = false;
  int exit_code_ = 0;
  std::string last_words_;
};

}  // namespace pawl::cli
