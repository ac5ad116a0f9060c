// SPDX-License-Identifier: Apache-2.0
// As much of HTTP/1.1 as a load generator needs: sockets on the loopback, requests as bytes,
// answers with a Content-Length. Plain functions; what goes wrong throws CannotMeasure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::bench {

// An open socket or nothing; closes it.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(other.release()) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();
  int get() const { return descriptor_; }

 private:
  int release();
  int descriptor_ = -1;
};

// Blocks until the connection is there; afterwards it is non-blocking, and without delay.
Socket connect_to(std::uint16_t port);
// Non-blocking, on any free port of the loopback, which it says.
Socket listen_anywhere(std::uint16_t& port);

std::string get_request(std::string_view target);
std::string delete_request(std::string_view target);
std::string post_request(std::string_view target, std::string_view json);

struct HttpAnswer {
  int status = 0;
  std::string_view body;
  std::size_t bytes = 0;  // with the header
};
// Nothing: it is not whole yet.
std::optional<HttpAnswer> parse_answer(std::string_view received);

// What stands between the quotes after `"name":"`. Throws if there is no such member.
std::string_view text_member(std::string_view json, std::string_view name);
// The number after `"name":` or `"name":"`; nothing: there is no such member.
std::optional<std::uint64_t> number_member(std::string_view json, std::string_view name);

std::string base64(std::string_view bytes);

struct WholeAnswer {
  int status = 0;
  std::string body;
};

// One request after the other, each waited for.
class Asker {
 public:
  explicit Asker(std::uint16_t port) : port_(port) {}
  WholeAnswer ask(std::string_view request);  // on one connection, which is made as needed

 private:
  std::uint16_t port_;
  Socket socket_;
};

}  // namespace pawl::bench
