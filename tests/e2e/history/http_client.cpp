// SPDX-License-Identifier: Apache-2.0
#include "e2e/history/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace pawl::testing {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

std::string bytes_of(const HttpRequest& request) {
  std::string bytes(request.method);
  bytes += " " + request.target + " HTTP/1.1\r\nHost: pawl\r\n";
  if (!request.body.empty()) {
    bytes +=
        "Content-Type: application/json\r\nContent-Length: " + std::to_string(request.body.size()) +
        "\r\n";
  }
  return bytes + "\r\n" + request.body;
}

bool wait_for(int socket, short what, Moment deadline) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd waits{socket, what, 0};
    const int found = ::poll(&waits, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (found > 0) return true;
    if (found == 0 || errno != EINTR) return false;
  }
}

// Of the head; lower case in the search, as header names have none.
std::optional<std::size_t> content_length(std::string head) {
  std::ranges::transform(head, head.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  constexpr std::string_view kName = "\r\ncontent-length: ";
  const std::size_t at = head.find(kName);
  if (at == std::string::npos) return std::nullopt;
  std::size_t length = 0;
  const char* from = head.data() + at + kName.size();
  const auto [end, error] = std::from_chars(from, head.data() + head.size(), length);
  if (error != std::errc{} || length > kMostBytes) return std::nullopt;
  return length;
}

}  // namespace

void HttpClient::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

bool HttpClient::connect() {
  if (socket_ >= 0) return true;
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return false;
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port_.load());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // To a port of the same machine this does not block.
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return true;
  close();
  return false;
}

bool HttpClient::send(std::string_view bytes, Moment deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (!wait_for(socket_, POLLOUT, deadline)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool HttpClient::receive(std::string& received, Moment deadline) {
  if (received.size() > 2 * kMostBytes || !wait_for(socket_, POLLIN, deadline)) return false;
  char bytes[16384];
  const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
  if (got <= 0) return got < 0 && errno == EINTR;
  received.append(bytes, static_cast<std::size_t>(got));
  return true;
}

std::optional<HttpAnswer> HttpClient::read_answer(Moment deadline) {
  std::string received;
  std::size_t head = std::string::npos;
  while ((head = received.find("\r\n\r\n")) == std::string::npos) {
    if (!receive(received, deadline)) return std::nullopt;
  }
  const std::optional<std::size_t> length = content_length(received.substr(0, head + 2));
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  HttpAnswer answer;
  if (!length || !received.starts_with(kVersion)) return std::nullopt;
  std::from_chars(received.data() + kVersion.size(), received.data() + head, answer.status);
  while (received.size() < head + 4 + *length) {
    if (!receive(received, deadline)) return std::nullopt;
  }
  answer.body = received.substr(head + 4);
  return answer;
}

std::optional<HttpAnswer> HttpClient::exchange(const HttpRequest& request, Moment deadline) {
  std::optional<HttpAnswer> answer;
  if (connect() && send(bytes_of(request), deadline)) answer = read_answer(deadline);
  if (!answer) close();
  return answer;
}

void HttpClient::send_and_leave(const HttpRequest& request, Moment deadline) {
  if (connect()) static_cast<void>(send(bytes_of(request), deadline));
  close();
}

}  // namespace pawl::testing
