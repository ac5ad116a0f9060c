// SPDX-License-Identifier: Apache-2.0
#include "http_wire.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

#include "scratch.h"

namespace pawl::bench {
namespace {

constexpr int kAskTimeoutMs = 30'000;

[[noreturn]] void fail(const std::string& what) {
  throw CannotMeasure(what + ": " + std::generic_category().message(errno));
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

std::optional<std::uint64_t> number_at(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

bool same_letters(std::string_view text, std::string_view lower_case) {
  for (std::size_t i = 0; i < lower_case.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) | 0x20U) != static_cast<unsigned char>(lower_case[i]))
      return false;
  return true;
}

// Of the header that ends with an empty line.
std::optional<std::size_t> content_length(std::string_view header) {
  constexpr std::string_view kName = "content-length: ";  // with bit 5 set, ' ' and ':' stay
  for (auto line = header.find("\r\n"); line != std::string_view::npos;
       line = header.find("\r\n", line + 2)) {
    const std::string_view rest = header.substr(line + 2);
    if (rest.size() < kName.size() || !same_letters(rest, kName)) continue;
    return number_at(rest.substr(kName.size()));
  }
  return std::nullopt;
}

std::string_view after_member(std::string_view json, std::string_view name) {
  for (auto at = json.find(name); at != std::string_view::npos; at = json.find(name, at + 1)) {
    const auto end = at + name.size();
    if (at > 0 && json[at - 1] == '"' && json.substr(end).starts_with("\":"))
      return json.substr(end + 2);
  }
  return {};
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int Socket::release() { return std::exchange(descriptor_, -1); }

Socket connect_to(std::uint16_t port) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) fail("no socket");
  const sockaddr_in address = loopback(port);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail("no connection to port " + std::to_string(port));
  const int on = 1;
  (void)setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (fcntl(socket.get(), F_SETFL, O_NONBLOCK) != 0) fail("O_NONBLOCK");
  return socket;
}

Socket listen_anywhere(std::uint16_t& port) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) fail("no socket");
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.get(), any, size) != 0 || ::listen(socket.get(), SOMAXCONN) != 0 ||
      ::getsockname(socket.get(), any, &size) != 0)
    fail("no port to listen on");
  port = ntohs(address.sin_port);
  return socket;
}

std::string get_request(std::string_view target) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: bench\r\n\r\n";
}

std::string delete_request(std::string_view target) {
  return "DELETE " + std::string(target) + " HTTP/1.1\r\nHost: bench\r\n\r\n";
}

std::string post_request(std::string_view target, std::string_view json) {
  return "POST " + std::string(target) +
         " HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(json.size()) + "\r\n\r\n" + std::string(json);
}

std::optional<HttpAnswer> parse_answer(std::string_view received) {
  const auto end = received.find("\r\n\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view header = received.substr(0, end + 2);
  const auto status = header.size() > 12 ? number_at(header.substr(9, 3)) : std::nullopt;
  if (!status || !header.starts_with("HTTP/1.1 "))
    throw CannotMeasure("not an HTTP answer: " + std::string(header));
  const auto length = content_length(header);
  if (!length) throw CannotMeasure("an answer without a Content-Length: " + std::string(received));
  const std::size_t whole = end + 4 + *length;
  if (received.size() < whole) return std::nullopt;
  return HttpAnswer{static_cast<int>(*status), received.substr(end + 4, *length), whole};
}

std::string_view text_member(std::string_view json, std::string_view name) {
  const std::string_view value = after_member(json, name);
  const auto end = value.find('"', 1);
  if (value.empty() || value.front() != '"' || end == std::string_view::npos)
    throw CannotMeasure("no text '" + std::string(name) + "' in " + std::string(json));
  return value.substr(1, end - 1);
}

std::optional<std::uint64_t> number_member(std::string_view json, std::string_view name) {
  std::string_view value = after_member(json, name);
  if (value.starts_with('"')) value.remove_prefix(1);
  return number_at(value);
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8U | (k < group.size() ? static_cast<unsigned char>(group[k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= group.size() ? kDigits[bits >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

WholeAnswer Asker::ask(std::string_view request) {
  if (socket_.get() < 0) socket_ = connect_to(port_);
  if (::send(socket_.get(), request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size())) {
    socket_ = Socket();
    fail("a request could not be sent");
  }
  std::string received;
  while (true) {
    pollfd wanted{socket_.get(), POLLIN, 0};
    if (::poll(&wanted, 1, kAskTimeoutMs) != 1) throw CannotMeasure("no answer for a long time");
    char bytes[16 * 1024];
    const ssize_t got = ::recv(socket_.get(), bytes, sizeof bytes, 0);
    if (got <= 0) {
      socket_ = Socket();
      throw CannotMeasure("the connection was closed before an answer came");
    }
    received.append(bytes, static_cast<std::size_t>(got));
    if (const auto answer = parse_answer(received))
      return {answer->status, std::string(answer->body)};
  }
}

}  // namespace pawl::bench
