// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/daemon.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/serve/file_limit.h"
#include "cli/serve/greeting.h"
#include "cli/text.h"

namespace pawl::cli {
namespace {

using ports::Severity;

constexpr std::chrono::milliseconds kLookEvery{10};     // whether it may grant by now
constexpr std::chrono::milliseconds kFlushTime{2'000};  // for clients to read their last answer

bool colours_are_welcome() {
  const char* refusal = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (refusal == nullptr || *refusal == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

LogStyle style_of(LogFormat format, bool on_terminal) {
  const bool text = format == LogFormat::text || (format == LogFormat::automatic && on_terminal);
  if (!text) return LogStyle::json;
  return on_terminal && colours_are_welcome() ? LogStyle::coloured_text : LogStyle::text;
}

Severity severity_of(LogLevel level) {
  switch (level) {
    case LogLevel::info:
      return Severity::info;
    case LogLevel::warning:
      return Severity::warning;
    case LogLevel::error:
      return Severity::error;
  }
  return Severity::info;
}

LoggerOptions logger_options(const Config& config, bool on_terminal) {
  LoggerOptions options;
  options.style = style_of(config.log_format, on_terminal);
  options.least = severity_of(config.log_level);
  options.locks = config.log_locks;
  return options;
}

}  // namespace

Daemon::Daemon(const Loaded& loaded)
    : loaded_(loaded),
      config_(loaded.config),
      metrics_(config_.service.metric_prefixes, PAWL_VERSION),
      on_terminal_(::isatty(STDERR_FILENO) == 1),
      logger_(logger_options(config_, on_terminal_), wall_, metrics_),
      loop_(io_, clock_),
      signals_(io_, [this](int signal) { stop(signal); }) {}

int Daemon::run() {
  look_around();
  if (open()) wait_until_ready();
  io_.run();
  // From the doors inwards; nothing is asked of what is already gone.
  server_.reset();
  service_.reset();
  engine_.reset();
  end(exit_code_, last_words_);
  return exit_code_;
}

// What an operator should know before anything goes wrong.
void Daemon::look_around() {
  for (const UnknownVariable& variable : loaded_.unknown_variables) {
    logger_.event(Severity::warning, "unknown_variable",
                  {{"variable", variable.name}, {"nearest", variable.nearest}});
  }
  if (!is_loopback(config_.http)) {
    logger_.event(Severity::warning, "no_authentication",
                  {{"http", to_text(config_.http)},
                   {"detail",
                    "whoever can reach this address can take and end every lock: keep it to a "
                    "trusted network"}});
  }
  const std::uint64_t files = raise_file_limit();
  const std::uint64_t wanted = config_.server.max_connections + kOwnFiles;
  if (files < wanted) {
    logger_.event(Severity::warning, "file_limit_low",
                  {{"limit", static_cast<std::int64_t>(files)},
                   {"wanted", static_cast<std::int64_t>(wanted)},
                   {"detail", "raise RLIMIT_NOFILE, or lower max-connections"}});
  }
}

// Whether it serves from now on; if not, the exit code is set and the loop comes to an end.
bool Daemon::open() {
  engine::EngineOptions options;
  options.data_folder = config_.data_dir;
  auto opened = engine::Engine::open(io_, options, logger_, [this](const engine::Fault& fault) {
    // Nothing may be answered any more, not even what is half written (P9).
    end(engine::exit_code(fault.kind), engine::to_text(fault));
    std::_Exit(exit_code_);
  });
  if (!opened) {
    exit_code_ = engine::exit_code(opened.fault().kind);
    last_words_ = engine::to_text(opened.fault());
    io_.stop();
    return false;
  }
  engine_ = std::move(opened).value();
  service_ = std::make_unique<service::Service>(
      service::World{engine_->store(), loop_, clock_, wall_, random_, secrets_, logger_, metrics_},
      config_.service);

  doors::http::ApiOptions api;
  api.version = PAWL_VERSION;
  auto listening = doors::http::Server::open(io_, *service_, config_.server, api);
  if (!listening) {
    exit_code_ = kCannotListen;
    last_words_ = listening.fault() + "; name another address with --http";
    close_folder();
    return false;
  }
  server_ = std::move(listening).value();
  return true;
}

void Daemon::wait_until_ready() {
  if (stopping_) return;
  if (service_->ready()) return serve();
  ready_timer_.expires_after(kLookEvery);
  ready_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) wait_until_ready();
  });
}

void Daemon::serve() {
  const std::string address = server_->address();
  logger_.event(Severity::info, "serving",
                {{"http", address}, {"dataDir", config_.data_dir}, {"version", PAWL_VERSION}});
  if (on_terminal_ && logger_.is_text()) {
    std::error_code unknown;  // then the path as it was given will do
    const auto folder = std::filesystem::absolute(config_.data_dir, unknown);
    logger_.say(
        to_text(Greeting{PAWL_VERSION, address, unknown ? config_.data_dir : folder.native()}));
  }
  notifier_.tell("READY=1\nSTATUS=Serving HTTP on " + address);
  feed_watchdog();
}

// From the loop: a loop that is stuck is what the watchdog is for.
void Daemon::feed_watchdog() {
  if (!notifier_.watchdog()) return;
  notifier_.tell("WATCHDOG=1");
  watchdog_timer_.expires_after(*notifier_.watchdog() / 2);
  watchdog_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) feed_watchdog();
  });
}

void Daemon::stop(int signal) {
  if (std::exchange(stopping_, true) || !server_) return;
  ready_timer_.cancel();
  logger_.event(Severity::info, "stopping", {{"signal", signal == SIGINT ? "SIGINT" : "SIGTERM"}});
  notifier_.tell("STOPPING=1\nSTATUS=Draining");
  service_->drain(config_.drain_timeout, [this] { close_doors(); });
}

void Daemon::close_doors() {
  server_->close(kFlushTime, [this] { close_folder(); });
}

void Daemon::close_folder() {
  stopping_ = true;
  engine_->stop([this] { io_.stop(); });
}

void Daemon::end(int exit_code, std::string last_words) {
  exit_code_ = exit_code;
  if (last_words.empty()) logger_.event(Severity::info, "stopped", {});
  logger_.close();
  if (!last_words.empty()) {
    static_cast<void>(std::fprintf(stderr, "pawl serve: %s\n", printable(last_words).c_str()));
  }
}

}  // namespace pawl::cli
