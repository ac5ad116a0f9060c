// SPDX-License-Identifier: Apache-2.0
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <map>
#include <thread>

#include "http_generator.h"
#include "http_servers.h"

namespace pawl::bench {
namespace {

std::string answer_of(std::string_view json) {
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(json.size()) + "\r\nCache-Control: no-store\r\n\r\n" + std::string(json);
}

const std::string kGranted = answer_of(
    R"({"acquired":true,"leaseId":"lse_0123456789abcdefghijklmnop","resource":"bench/1","namespace":)"
    R"("default","ownerId":"client-1","mode":"exclusive","fencingToken":123456,"ttlSeconds":60,)"
    R"("validForSeconds":60,"expiresAt":"2026-04-01T00:01:00.000Z","createdAt":)"
    R"("2026-04-01T00:00:00.000Z","waitedSeconds":0,"repeated":false,"stateTimeMs":123456789})");
const std::string kReleased = answer_of(
    R"({"released":true,"leaseId":"lse_0123456789abcdefghijklmnop","fencingToken":123456,)"
    R"("cause":"released","stateTimeMs":123456789})");

class FixedTalk final : public Talk {
 public:
  explicit FixedTalk(const Wish& wish)
      : acquire_(post_request(
            "/v1/locks/acquire",
            R"({"resource":")" + wish.lock + R"(","ownerId":"client-1","ttlSeconds":60})")) {}
  std::string_view acquire() override { return acquire_; }
  std::string_view granted(const HttpAnswer& answer) override {
    release_ = delete_request("/v1/locks/" + std::string(text_member(answer.body, "leaseId")));
    return release_;
  }
  void released(const HttpAnswer&) override {}

 private:
  std::string acquire_;
  std::string release_;
};

// One thread, epoll; a small request comes in one piece, and its first letter says which it is.
class FixedServer final : public LockServer {
 public:
  FixedServer()
      : listener_(listen_anywhere(port_)),
        stop_(eventfd(0, EFD_CLOEXEC)),
        thread_([this] { serve(); }) {}
  ~FixedServer() override {
    const std::uint64_t one = 1;
    (void)!::write(stop_.get(), &one, sizeof one);
    thread_.join();
  }
  FixedServer(const FixedServer&) = delete;
  FixedServer& operator=(const FixedServer&) = delete;

  std::string_view name() const override { return "fixed bytes"; }
  std::uint16_t port() const override { return port_; }
  std::unique_ptr<Talk> talk(const Wish& wish) override {
    return std::make_unique<FixedTalk>(wish);
  }
  std::size_t waiting_for(const std::string&, unsigned) override { return 0; }
  double cpu_seconds() const override { return cpu_seconds_; }

 private:
  void serve() {
    Socket epoll(epoll_create1(EPOLL_CLOEXEC));
    watch(epoll, listener_);
    watch(epoll, stop_);
    std::map<int, Socket> clients;
    std::array<epoll_event, 256> events;
    while (true) {
      const int count = epoll_wait(epoll.get(), events.data(), static_cast<int>(events.size()), -1);
      for (int i = 0; i < count; ++i) {
        const int ready = events[static_cast<std::size_t>(i)].data.fd;
        if (ready == stop_.get()) return;
        if (ready == listener_.get())
          accept_all(epoll, clients);
        else if (!answer(ready))
          clients.erase(ready);
      }
      cpu_seconds_ = thread_cpu_seconds();
    }
  }

  static void watch(const Socket& epoll, const Socket& socket) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = socket.get();
    (void)epoll_ctl(epoll.get(), EPOLL_CTL_ADD, socket.get(), &event);
  }

  void accept_all(const Socket& epoll, std::map<int, Socket>& clients) {
    while (true) {
      Socket client(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (client.get() < 0) return;
      watch(epoll, client);
      clients.emplace(client.get(), std::move(client));
    }
  }

  static bool answer(int client) {
    std::array<char, 4096> request;
    const ssize_t got = ::recv(client, request.data(), request.size(), 0);
    if (got <= 0) return false;
    const std::string& bytes = request.front() == 'P' ? kGranted : kReleased;
    return ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }

  std::uint16_t port_ = 0;
  Socket listener_;
  Socket stop_;
  std::atomic<double> cpu_seconds_ = 0;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<LockServer> start_fixed() { return std::make_unique<FixedServer>(); }

}  // namespace pawl::bench
