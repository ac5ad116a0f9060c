// SPDX-License-Identifier: Apache-2.0
// The HTTP/1.1 server: connections, time-outs, bounds. One session a connection reads one request
// at a time, gives it to the Handler and writes what comes back; a client that hangs up while its
// answer is not yet there is noticed (P7). Nothing here grows without bound: connections, headers,
// bodies, what is read ahead and what waits to be written. Made, used and destroyed in the thread
// that runs the io_context, or while none does.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "doors/http/api.h"
#include "doors/http/server_options.h"
#include "ports/loop.h"
#include "ports/result.h"
#include "service/service.h"

namespace boost::asio {
class io_context;
}

namespace pawl::doors::http {

class Handler;

class Server {
 public:
  // Listens, or says in a sentence why it can't. The service must outlive the server.
  static ports::Result<std::unique_ptr<Server>, std::string> open(boost::asio::io_context& io,
                                                                  service::Service& service,
                                                                  const ServerOptions& options,
                                                                  const ApiOptions& api);
  static ports::Result<std::unique_ptr<Server>, std::string> open(boost::asio::io_context& io,
                                                                  std::shared_ptr<Handler> handler,
                                                                  const ServerOptions& options);
  // Cuts every connection; whoever waited for an answer is hung up. Not from within the handler.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string address() const;  // host:port, the port that was really taken
  std::uint16_t port() const;
  std::size_t connections() const;
  std::size_t event_readers() const;

  // Takes no new connections and no new requests; idle connections and event streams are closed,
  // the others after their answer. `done` when all are gone, or after `patience`, when the rest are
  // cut; never before close() returns. May be called again, to be less patient.
  void close(std::chrono::milliseconds patience, ports::Action done);

 private:
  class Impl;
  explicit Server(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace pawl::doors::http
