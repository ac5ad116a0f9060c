// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <csignal>
#include <utility>

#include "core/assert.h"

namespace pawl::cli {
namespace {

// A signal handler has nothing but globals to go by.
std::atomic<int> pipe_to_loop{-1};
std::atomic<bool> asked_before{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

extern "C" void on_signal(int number) {
  if (asked_before.exchange(true)) ::_exit(128 + number);
  const int saved = errno;
  const auto byte = static_cast<unsigned char>(number);
  static_cast<void>(!::write(pipe_to_loop.load(), &byte, 1));  // the pipe is empty
  errno = saved;
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  PAWL_ASSERT(::sigaction(number, &action, nullptr) == 0);
}

}  // namespace

class Signals::Impl {
 public:
  Impl(boost::asio::io_context& io, std::function<void(int)> asked)
      : reader_(io), asked_(std::move(asked)) {
    std::array<int, 2> ends{};
    PAWL_ASSERT(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0);
    reader_.assign(ends[0]);
    writer_ = ends[1];
    asked_before = false;
    pipe_to_loop = writer_;
    handle(SIGTERM, on_signal);
    handle(SIGINT, on_signal);
    handle(SIGHUP, SIG_IGN);
    handle(SIGPIPE, SIG_IGN);
    handle(SIGXFSZ, SIG_IGN);  // a file that may not grow is a failed write, and told as one
    reader_.async_read_some(boost::asio::buffer(&number_, 1),
                            [this](const boost::system::error_code& error, std::size_t) {
                              if (!error) asked_(number_);
                            });
  }
  ~Impl() {
    handle(SIGTERM, SIG_DFL);
    handle(SIGINT, SIG_DFL);
    pipe_to_loop = -1;
    ::close(writer_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

 private:
  boost::asio::posix::stream_descriptor reader_;
  std::function<void(int)> asked_;
  int writer_ = -1;
  unsigned char number_ = 0;
};

Signals::Signals(boost::asio::io_context& io, std::function<void(int signal)> asked)
    : impl_(std::make_unique<Impl>(io, std::move(asked))) {}
Signals::~Signals() = default;

}  // namespace pawl::cli
