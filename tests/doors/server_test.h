// SPDX-License-Identifier: Apache-2.0
// A real server on a free port, in a thread of its own, with a StandIn behind it. The test's thread
// is the clients'; it looks at the server's side through in_loop() and await() only.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>

#include "doors/http/server.h"
#include "doors/raw_client.h"
#include "doors/stand_in.h"

namespace pawl::testing {

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() { options.port = 0; }
  ~ServerTest() override { stop(); }

  // What `look` returns when it runs in the server's thread.
  template <class Look>
  auto in_loop(Look look) {
    using Value = std::invoke_result_t<Look>;
    std::promise<Value> promise;
    boost::asio::post(io, [&] {
      if constexpr (std::is_void_v<Value>) {
        look();
        promise.set_value();
      } else {
        promise.set_value(look());
      }
    });
    return promise.get_future().get();
  }
  void start() {
    auto opened = doors::http::Server::open(io, handler, options);
    ASSERT_TRUE(opened.ok()) << opened.fault();
    server = std::move(opened).value();
    port = server->port();
    thread = std::thread([this] { io.run(); });
  }
  void stop() {
    if (!thread.joinable()) return;
    in_loop([this] { server.reset(); });
    guard.reset();
    thread.join();
    // Nobody is told of, or counted, twice or never.
    EXPECT_EQ(handler->open_connections, 0U);
  }

  // Until `holds` does, in the server's thread.
  template <class Holds>
  void await(Holds holds) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!in_loop(holds)) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "it never came true";
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void await_waiting(std::size_t count) {
    await([=, this] { return handler->waiting.size() == count; });
  }
  void await_connections(std::size_t count) {
    await([=, this] { return server->connections() == count; });
  }
  void answer_all() {
    in_loop([this] { handler->answer_all(); });
  }

  RawClient client(int receive_buffer_bytes = 0) { return RawClient(port, receive_buffer_bytes); }
  // The server serves: the proof that what came before has done it no harm.
  void expect_well() {
    RawClient other(port);
    other.send(get("/echo"));
    EXPECT_EQ(other.response().status, 200);
  }

  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard{io.get_executor()};
  std::shared_ptr<StandIn> handler = std::make_shared<StandIn>(io);
  doors::http::ServerOptions options;
  std::unique_ptr<doors::http::Server> server;
  std::uint16_t port = 0;
  std::thread thread;
};

}  // namespace pawl::testing
