// SPDX-License-Identifier: Apache-2.0
// A blocking HTTP/1.1 client on a plain socket, for tests that must know exactly when a request was
// sent and whether its answer came: it never sends anything twice by itself. Keeps its connection.
// What it reads is bounded, every wait has a deadline. One thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "faults/child_process.h"

namespace pawl::testing {

struct HttpRequest {
  std::string_view method;
  std::string target;
  std::string body;  // empty: none
};

struct HttpAnswer {
  int status = 0;
  std::string body;
};

class HttpClient {
 public:
  // On 127.0.0.1; the port is looked up at each new connection, and must outlive the client.
  explicit HttpClient(const std::atomic<std::uint16_t>& port) : port_(port) {}
  ~HttpClient() { close(); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Nothing: no whole answer came, and nobody knows what became of the request.
  std::optional<HttpAnswer> exchange(const HttpRequest& request, Moment deadline);
  // Sends it and hangs up at once.
  void send_and_leave(const HttpRequest& request, Moment deadline);
  void close();

 private:
  bool connect();
  bool send(std::string_view bytes, Moment deadline);
  bool receive(std::string& received, Moment deadline);
  std::optional<HttpAnswer> read_answer(Moment deadline);

  const std::atomic<std::uint16_t>& port_;
  int socket_ = -1;
};

}  // namespace pawl::testing
