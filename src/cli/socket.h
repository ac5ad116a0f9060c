// SPDX-License-Identifier: Apache-2.0
// One TCP connection with a deadline on every step. Owns its descriptor; not thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "cli/url.h"
#include "ports/result.h"

namespace pawl::cli {

class Socket {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  using Done = ports::Result<std::size_t, std::string>;  // bytes, or a sentence

  // Tries each address of the host in turn.
  static ports::Result<Socket, std::string> connect(const Address& address, Deadline deadline);

  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  // All of it.
  Done send(std::string_view bytes, Deadline deadline);
  // What is there, at least a byte; zero: the other side has ended.
  Done receive(std::span<char> into, Deadline deadline);

 private:
  int fd_;
};

}  // namespace pawl::cli
