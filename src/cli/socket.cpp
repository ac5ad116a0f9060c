// SPDX-License-Identifier: Apache-2.0
#include "cli/socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>
#include <system_error>
#include <utility>

namespace pawl::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::string text_of(int error) { return std::system_category().message(error); }

// Zero when the descriptor is ready, else an errno.
int wait_for(int fd, short events, Socket::Deadline deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return ETIMEDOUT;
    pollfd ready{fd, events, 0};
    const auto patience = std::min<std::chrono::milliseconds::rep>(left.count(), INT_MAX);
    const int found = ::poll(&ready, 1, static_cast<int>(patience));
    if (found > 0) return 0;
    if (found < 0 && errno != EINTR) return errno;
  }
}

// Zero or an errno.
int connect_one(int fd, const addrinfo& address, Socket::Deadline deadline) {
  if (::connect(fd, address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS && errno != EINTR) return errno;
  if (const int error = wait_for(fd, POLLOUT, deadline)) return error;
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

}  // namespace

ports::Result<Socket, std::string> Socket::connect(const Address& address, Deadline deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const std::string port = std::to_string(address.port);
  if (const int error = ::getaddrinfo(address.host.c_str(), port.c_str(), &hints, &list))
    return "the host is not known (" + std::string(::gai_strerror(error)) + ")";
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);

  int last_error = ETIMEDOUT;
  for (const addrinfo* found = list; found != nullptr; found = found->ai_next) {
    Socket socket(
        ::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
    if (socket.fd_ < 0) {
      last_error = errno;
      continue;
    }
    // A silent address must leave time for the next one.
    const auto now = Clock::now();
    const bool is_last = found->ai_next == nullptr;
    last_error = connect_one(socket.fd_, *found, is_last ? deadline : now + (deadline - now) / 2);
    if (last_error != 0) continue;
    const int on = 1;
    ::setsockopt(socket.fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    // A wait can be long: notice a service that vanished without a word.
    ::setsockopt(socket.fd_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    const int idle_s = 5;
    const int probes = 3;
    ::setsockopt(socket.fd_, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    ::setsockopt(socket.fd_, IPPROTO_TCP, TCP_KEEPINTVL, &idle_s, sizeof idle_s);
    ::setsockopt(socket.fd_, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
    return socket;
  }
  return text_of(last_error);
}

Socket::Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

Socket::Done Socket::send(std::string_view bytes, Deadline deadline) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n >= 0) {
      sent += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      if (const int error = wait_for(fd_, POLLOUT, deadline)) return text_of(error);
    } else if (errno != EINTR) {
      return text_of(errno);
    }
  }
  return sent;
}

Socket::Done Socket::receive(std::span<char> into, Deadline deadline) {
  for (;;) {
    const ssize_t n = ::recv(fd_, into.data(), into.size(), 0);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno == EAGAIN) {
      if (const int error = wait_for(fd_, POLLIN, deadline)) return text_of(error);
    } else if (errno != EINTR) {
      return text_of(errno);
    }
  }
}

}  // namespace pawl::cli
