// SPDX-License-Identifier: Apache-2.0
#include "cli/test_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

#include "core/assert.h"

namespace pawl::cli {
namespace {

// Until the header is there and as much body as it announces.
bool read_request(int connection, PeerRequest& request) {
  std::string bytes;
  for (;;) {
    const std::size_t end = bytes.find("\r\n\r\n");
    if (end != std::string::npos) {
      request.head = bytes.substr(0, end + 2);
      request.body = bytes.substr(end + 4);
      const std::string name = "Content-Length: ";
      const std::size_t at = request.head.find(name);
      const std::size_t wanted =
          at == std::string::npos ? 0 : std::strtoul(&request.head[at + name.size()], nullptr, 10);
      if (request.body.size() >= wanted) break;
    }
    char piece[4096];
    const ssize_t n = ::recv(connection, piece, sizeof piece, 0);
    if (n <= 0) return false;
    bytes.append(piece, static_cast<std::size_t>(n));
  }
  const std::size_t first = request.head.find(' ');
  const std::size_t second = request.head.find(' ', first + 1);
  request.method = request.head.substr(0, first);
  request.target = request.head.substr(first + 1, second - first - 1);
  return true;
}

}  // namespace

TestPeer::TestPeer(PeerAnswer answer, bool v6)
    : answer_(std::move(answer)),
      v6_(v6),
      listener_(::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in6 any6{};
  any6.sin6_family = AF_INET6;
  any6.sin6_addr = in6addr_loopback;
  sockaddr_in any4{};
  any4.sin_family = AF_INET;
  any4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* address = v6 ? reinterpret_cast<sockaddr*>(&any6) : reinterpret_cast<sockaddr*>(&any4);
  socklen_t size = v6 ? sizeof any6 : sizeof any4;
  PAWL_ASSERT(::bind(listener_, address, size) == 0);
  PAWL_ASSERT(::listen(listener_, 16) == 0);
  PAWL_ASSERT(::getsockname(listener_, address, &size) == 0);
  port_ = ntohs(v6 ? any6.sin6_port : any4.sin_port);
  thread_ = std::thread([this] { serve(); });
}

TestPeer::~TestPeer() {
  stopping_ = true;
  ::shutdown(listener_, SHUT_RDWR);  // wakes accept()
  thread_.join();
  ::close(listener_);
}

std::string TestPeer::url() const {
  return std::string("http://") + (v6_ ? "[::1]" : "127.0.0.1") + ":" + std::to_string(port_);
}

std::vector<PeerRequest> TestPeer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void TestPeer::serve() {
  while (!stopping_) {
    const int connection = ::accept(listener_, nullptr, nullptr);
    if (connection < 0) continue;
    serve_one(connection);
    ::close(connection);
  }
}

void TestPeer::serve_one(int connection) {
  PeerRequest request;
  if (!read_request(connection, request)) return;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
  }
  const std::string bytes = answer_(request);
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = ::send(connection, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return;
    sent += static_cast<std::size_t>(n);
  }
}

std::string raw_answer(int status, const std::string& type, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" +
         body;
}

std::string json_answer(int status, const std::string& body) {
  return raw_answer(status, status < 400 ? "application/json" : "application/problem+json", body);
}

}  // namespace pawl::cli
