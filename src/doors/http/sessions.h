// SPDX-License-Identifier: Apache-2.0
// All connections of a server, and what they share: the handler, the options, the time-outs and the
// buffers that only one can need at a time. Connections reach it while they are open; it closes
// them all before it goes. Owned by the loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "doors/http/handler.h"
#include "doors/http/phases.h"
#include "doors/http/server_options.h"
#include "doors/http/socket.h"

namespace pawl::doors::http {

class Session;

class Sessions : public std::enable_shared_from_this<Sessions> {
 public:
  using SessionPhases = Phases<std::shared_ptr<Session>>;
  using Moment = SessionPhases::Moment;

  // `left` is called each time a connection has gone.
  Sessions(boost::asio::io_context& io, std::shared_ptr<Handler> handler,
           const ServerOptions& options, std::function<void()> left);
  ~Sessions();

  void open(Socket socket);
  std::size_t size() const { return phases_.size(); }
  std::size_t event_readers() const { return event_readers_; }

  // No more requests; see Server::close().
  void wind_down();
  void cut_all();

  // For sessions.
  Handler& handler() { return *handler_; }
  const ServerOptions& options() const { return options_; }
  boost::asio::io_context& io() { return io_; }
  bool winding_down() const { return winding_down_; }
  static Moment now() { return std::chrono::steady_clock::now(); }
  void enter(SessionPhases::Place place, Phase phase, Moment now);
  void leave(SessionPhases::Place place);
  bool add_event_reader();
  void remove_event_reader();
  // Used up before anybody else runs.
  std::span<char> read_buffer() { return read_buffer_; }
  std::string& head_buffer() { return head_buffer_; }
  // The present second, for heads.
  std::string_view date();
  // What waits to be written to clients that don't read, all of it; false: too much.
  bool add_unwritten(std::size_t bytes);
  void remove_unwritten(std::size_t bytes) { unwritten_ -= bytes; }

 private:
  std::vector<std::shared_ptr<Session>> all() const;
  void watch_time();
  void sweep();

  boost::asio::io_context& io_;
  const std::shared_ptr<Handler> handler_;
  const ServerOptions options_;
  const std::function<void()> left_;
  SessionPhases phases_;
  const std::chrono::milliseconds sweep_every_;
  boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                    boost::asio::wait_traits<std::chrono::steady_clock>,
                                    boost::asio::io_context::executor_type>
      sweeper_;
  bool sweeping_ = false;
  bool winding_down_ = false;
  std::size_t event_readers_ = 0;
  std::vector<char> read_buffer_;
  std::string head_buffer_;
  std::time_t date_second_ = 0;
  std::string date_;
  std::size_t unwritten_ = 0;
};

}  // namespace pawl::doors::http
