// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/logger.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>

namespace pawl::cli {

bool is_normal_life(std::string_view event) {
  constexpr std::array<std::string_view, 7> kNames = {
      "lock_acquired", "lock_waiting",    "lock_released",    "wait_ended",
      "lock_upgraded", "lock_downgraded", "upgrade_withdrawn"};
  return std::ranges::find(kNames, event) != kNames.end();
}

Logger::Logger(const LoggerOptions& options, const ports::WallClock& wall,
               service::Metrics& metrics)
    : options_(options), wall_(wall), metrics_(metrics) {
  const auto dropped_line = [style = options.style, &wall](std::size_t dropped) {
    const ports::Field lines{"lines", static_cast<std::int64_t>(dropped)};
    return log_line(style,
                    {ports::Severity::warning, "log_lines_dropped", {&lines, 1}, wall.now()});
  };
  writer_ =
      std::make_unique<LogWriter>(LogWriterOptions{options.fd, options.queue_bytes, dropped_line});
}

void Logger::event(ports::Severity severity, std::string_view name,
                   std::span<const ports::Field> fields) {
  if (severity < options_.least) return;
  if (!options_.locks && is_normal_life(name)) return;
  say(log_line(options_.style, {severity, name, fields, wall_.now()}));
}

void Logger::say(std::string_view text) {
  const std::shared_lock lock(mutex_);
  if (writer_) writer_->put(text);
}

void Logger::close() {
  const std::unique_lock lock(mutex_);
  writer_.reset();
}

}  // namespace pawl::cli
