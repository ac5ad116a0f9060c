// SPDX-License-Identifier: Apache-2.0
// What operators are told, as lines on stderr; how long log writes take goes on to the metrics.
// event() from any thread, never blocks; log_written() in the loop.
#pragma once

#include <cstddef>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string_view>

#include "cli/serve/log_format.h"
#include "cli/serve/log_writer.h"
#include "ports/observer.h"
#include "ports/wall_clock.h"
#include "service/metrics.h"

namespace pawl::cli {

struct LoggerOptions {
  LogStyle style = LogStyle::json;
  ports::Severity least = ports::Severity::info;
  bool locks = true;  // the normal life of locks too
  int fd = 2;
  std::size_t queue_bytes = std::size_t{4} << 20;
};

class Logger final : public ports::Observer {
 public:
  // Both must outlive it.
  Logger(const LoggerOptions& options, const ports::WallClock& wall, service::Metrics& metrics);

  void event(ports::Severity severity, std::string_view name,
             std::span<const ports::Field> fields) override;
  using ports::Observer::event;
  void log_written(ports::Ticks took) override { metrics_.log_written(took); }

  bool is_text() const { return options_.style != LogStyle::json; }
  // Text for people, between the lines.
  void say(std::string_view text);
  // Everything so far is written, or given up if nobody reads it. What comes later is dropped.
  void close();

 private:
  LoggerOptions options_;
  const ports::WallClock& wall_;
  service::Metrics& metrics_;
  std::shared_mutex mutex_;  // held alone only by close()
  std::unique_ptr<LogWriter> writer_;
};

// Whether an event is part of the normal life of a lock: there may be thousands a second.
bool is_normal_life(std::string_view event);

}  // namespace pawl::cli
