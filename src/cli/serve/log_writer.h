// SPDX-License-Identifier: Apache-2.0
// Writes log lines to a file descriptor in a thread of its own. Lines that come close together are
// written together: the thread rests for some milliseconds after each write, so that a busy service
// does not wake it for every line. So many bytes wait and no more: when nobody reads them, those
// that waited are dropped, and a line says how many. put() is thread-safe and never waits for the
// reader.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace pawl::cli {

struct LogWriterOptions {
  int fd = 2;
  std::size_t queue_bytes = std::size_t{4} << 20;
  // The line that says how many were dropped; called in the writer's thread.
  std::function<std::string(std::size_t dropped)> dropped_line;
};

class LogWriter {
 public:
  explicit LogWriter(const LogWriterOptions& options);
  // Everything that was put is written, or given up if nobody reads for kPatience.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // A line end is added.
  void put(std::string_view line);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::cli
