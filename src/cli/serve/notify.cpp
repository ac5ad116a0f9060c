// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace pawl::cli {
namespace {

std::optional<std::int64_t> parse_positive(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number <= 0) return {};
  return number;
}

struct SocketAddress {
  sockaddr_un address{};
  socklen_t length = 0;  // zero: the name is none
};

SocketAddress address_of(std::string_view name) {
  SocketAddress to;
  if (name.size() < 2 || name.size() >= sizeof to.address.sun_path) return to;
  if (name.front() != '/' && name.front() != '@') return to;
  to.address.sun_family = AF_UNIX;
  std::memcpy(to.address.sun_path, name.data(), name.size());
  std::size_t length = offsetof(sockaddr_un, sun_path) + name.size();
  if (name.front() == '@') {
    to.address.sun_path[0] = '\0';  // abstract: exactly these bytes
  } else {
    ++length;  // a path ends with its zero
  }
  to.length = static_cast<socklen_t>(length);
  return to;
}

}  // namespace

std::optional<std::chrono::microseconds> parse_watchdog(const char* microseconds, const char* pid,
                                                        long own_pid) {
  if (microseconds == nullptr) return {};
  if (pid != nullptr && parse_positive(pid) != own_pid) return {};
  const auto every = parse_positive(microseconds);
  if (!every) return {};
  return std::chrono::microseconds(*every);
}

Notifier::Notifier() {
  if (const char* name = std::getenv("NOTIFY_SOCKET")) socket_ = name;
  watchdog_ = parse_watchdog(std::getenv("WATCHDOG_USEC"), std::getenv("WATCHDOG_PID"), ::getpid());
}

bool Notifier::tell(std::string_view lines) const {
  const SocketAddress to = address_of(socket_);
  if (to.length == 0) return false;
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  const ssize_t sent = ::sendto(fd, lines.data(), lines.size(), MSG_NOSIGNAL,
                                reinterpret_cast<const sockaddr*>(&to.address), to.length);
  ::close(fd);
  return sent == static_cast<ssize_t>(lines.size());
}

}  // namespace pawl::cli
