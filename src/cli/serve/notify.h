// SPDX-License-Identifier: Apache-2.0
// Tells the service manager how we are, over the socket that NOTIFY_SOCKET names (sd_notify(3)).
// Without one it does nothing. What can't be sent is not tried again: the manager's time-outs are
// there for that. One thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::cli {

class Notifier {
 public:
  // From the process' environment.
  Notifier();
  // `socket` is a path, or an abstract name after '@'; empty: nobody is told.
  explicit Notifier(std::string socket) : socket_(std::move(socket)) {}

  // Lines of "NAME=value". Whether it was sent.
  bool tell(std::string_view lines) const;

  // How often the manager wants a WATCHDOG=1 at the least, if it watches this process.
  std::optional<std::chrono::microseconds> watchdog() const { return watchdog_; }

 private:
  std::string socket_;
  std::optional<std::chrono::microseconds> watchdog_;
};

// WATCHDOG_USEC, unless WATCHDOG_PID says that it is meant for another process.
std::optional<std::chrono::microseconds> parse_watchdog(const char* microseconds, const char* pid,
                                                        long own_pid);

}  // namespace pawl::cli
