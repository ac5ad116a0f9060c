// SPDX-License-Identifier: Apache-2.0
#include "doors/raw_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace pawl::testing {
namespace {

using Clock = std::chrono::steady_clock;

bool wait_for(int socket, short what) {
  pollfd one{socket, what, 0};
  const auto patience = std::chrono::milliseconds(kPatience).count();
  const bool ready = ::poll(&one, 1, static_cast<int>(patience)) == 1;
  EXPECT_TRUE(ready) << "the server neither answers nor closes";
  return ready;
}

Response parse_head(std::string_view head) {
  Response response;
  const std::size_t blank = head.find(' ');
  EXPECT_TRUE(head.starts_with("HTTP/1.1 ")) << head;
  response.status = std::atoi(std::string(head.substr(blank + 1, 3)).c_str());
  std::size_t at = head.find("\r\n");
  while (at != std::string_view::npos) {
    head.remove_prefix(at + 2);
    at = head.find("\r\n");
    const std::string_view line = head.substr(0, at);
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    response.headers.emplace(line.substr(0, colon), line.substr(colon + 2));
  }
  return response;
}

}  // namespace

RawClient::RawClient(std::uint16_t port, int receive_buffer_bytes)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  EXPECT_GE(socket_, 0);
  if (receive_buffer_bytes > 0) {
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes,
                 sizeof receive_buffer_bytes);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
}

RawClient::RawClient(RawClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), in_(std::move(other.in_)) {}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!wait_for(socket_, POLLOUT)) return false;
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) return false;
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool RawClient::fill() {
  if (!wait_for(socket_, POLLIN)) return false;
  std::array<char, 64 * 1024> buffer;
  const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), 0);
  if (got > 0) in_.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

Response RawClient::response(bool to_head) {
  std::size_t end = 0;
  while ((end = in_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return {};
  }
  Response response = parse_head(std::string_view(in_).substr(0, end + 2));
  in_.erase(0, end + 4);
  if (to_head || response.status == 100) return response;
  const auto length = static_cast<std::size_t>(std::stoul(response.header("Content-Length")));
  while (in_.size() < length) {
    if (!fill()) return {};
  }
  response.body = in_.substr(0, length);
  in_.erase(0, length);
  return response;
}

std::string RawClient::read_until(std::string_view text) {
  while (in_.find(text) == std::string::npos) {
    if (!fill()) break;
  }
  return std::exchange(in_, {});
}

std::string RawClient::read_to_end() {
  while (fill()) {
  }
  return std::exchange(in_, {});
}

void RawClient::half_close() { ::shutdown(socket_, SHUT_WR); }

void RawClient::reset() {
  const linger at_once{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

void RawClient::close() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

std::string get(std::string_view target, std::string_view more_headers) {
  std::string text = "GET ";
  text += target;
  text += " HTTP/1.1\r\nHost: pawl\r\n";
  text += more_headers;
  return text + "\r\n";
}

std::string post(std::string_view target, std::string_view body) {
  std::string text = "POST ";
  text += target;
  text += " HTTP/1.1\r\nHost: pawl\r\nContent-Type: application/json\r\nContent-Length: ";
  text += std::to_string(body.size()) + "\r\n\r\n";
  text += body;
  return text;
}

}  // namespace pawl::testing
