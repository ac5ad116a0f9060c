// SPDX-License-Identifier: Apache-2.0
#include "http_generator.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "scratch.h"

namespace pawl::bench {
namespace {

constexpr std::size_t kMostAnswerBytes = 16 * 1024;
constexpr auto kSilence = std::chrono::seconds(30);
constexpr int kLookUpMs = 10;

}  // namespace

struct Generator::Connection {
  Connection(Socket the_socket, Client& its_client)
      : socket(std::move(the_socket)), client(its_client) {}
  Socket socket;
  Client& client;
  std::string received;  // of an answer that came in parts
};

Generator::Generator() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ < 0) throw CannotMeasure("no epoll");
}

Generator::~Generator() { ::close(epoll_); }

void Generator::add(std::uint16_t port, Client& client) {
  auto connection = std::make_unique<Connection>(connect_to(port), client);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = connection.get();
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, connection->socket.get(), &event) != 0)
    throw CannotMeasure("epoll takes no more connections");
  connections_.push_back(std::move(connection));
}

void Generator::begin() {
  for (; begun_ < connections_.size(); ++begun_) {
    Connection& connection = *connections_[begun_];
    say(connection, connection.client.first(steady_now()));
  }
}

// One small request at a time always fits into the socket's buffer.
void Generator::say(Connection& connection, std::string_view request) {
  if (request.empty()) return;
  const ssize_t sent =
      ::send(connection.socket.get(), request.data(), request.size(), MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(request.size()))
    throw CannotMeasure("a request could not be sent: " + std::generic_category().message(errno));
  ++due_;
}

void Generator::hear(Connection& connection) {
  std::array<char, kMostAnswerBytes> bytes;
  const ssize_t got = ::recv(connection.socket.get(), bytes.data(), bytes.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) throw CannotMeasure("the server closed a connection");
  std::string_view received(bytes.data(), static_cast<std::size_t>(got));
  if (!connection.received.empty()) received = connection.received.append(received);
  const auto answer = parse_answer(received);
  if (!answer) {
    if (received.size() > kMostAnswerBytes) throw CannotMeasure("an answer that never ends");
    if (connection.received.empty()) connection.received = received;
    return;
  }
  if (answer->bytes != received.size())
    throw CannotMeasure("more was answered than was asked: " + std::string(received));
  --due_;
  const std::string_view next = connection.client.heard(*answer, steady_now());
  connection.received.clear();
  say(connection, next);
}

void Generator::run(const std::function<bool(SteadyTime)>& done) {
  std::array<epoll_event, 256> events;
  SteadyTime last_heard = steady_now();
  while (true) {
    const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), kLookUpMs);
    if (count < 0 && errno != EINTR) throw CannotMeasure("epoll_wait failed");
    for (int i = 0; i < count; ++i)
      hear(*static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr));
    const SteadyTime now = steady_now();
    if (count > 0) last_heard = now;
    if (done(now)) return;
    if (due_ > 0 && now - last_heard > kSilence)
      throw CannotMeasure("nothing was answered for 30 s");
  }
}

void Generator::run_dry() {
  if (due_ == 0) return;
  run([this](SteadyTime) { return due_ == 0; });
}

double thread_cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

}  // namespace pawl::bench
