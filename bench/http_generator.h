// SPDX-License-Identifier: Apache-2.0
// The load: many connections, one thread, epoll. Each connection has a client that says the next
// request as soon as it has heard the answer to the one before. Requests are bytes made beforehand,
// answers are looked at no more than needed: the server should be what is measured.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http_wire.h"
#include "latencies.h"

namespace pawl::bench {

class Client {
 public:
  virtual ~Client() = default;
  // The request to send now; empty: none. Valid until the next call.
  virtual std::string_view first(SteadyTime now) = 0;
  virtual std::string_view heard(const HttpAnswer& answer, SteadyTime now) = 0;
};

class Generator {
 public:
  Generator();
  ~Generator();
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  // The client must outlive the connection, which lasts as long as the generator.
  void add(std::uint16_t port, Client& client);
  // Lets those that were added since say their first request.
  void begin();
  // Until `done`, which is asked after each round of events and at least every 10 ms. Throws
  // CannotMeasure if a connection breaks, or nothing is heard for 30 s while answers are due.
  void run(const std::function<bool(SteadyTime)>& done);
  // As run(), until every request is answered and nobody has said another.
  void run_dry();

 private:
  struct Connection;
  void say(Connection& connection, std::string_view request);
  void hear(Connection& connection);

  int epoll_ = -1;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::size_t begun_ = 0;
  std::size_t due_ = 0;  // answers
};

// What this thread has used of the processors.
double thread_cpu_seconds();

}  // namespace pawl::bench
