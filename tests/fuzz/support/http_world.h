// SPDX-License-Identifier: Apache-2.0
// A whole server but for its sockets, and a disk: the HTTP API over the service over the core, in a
// time that passes when it is told to. Keeps an eye on every call: answered once, or hung up and
// never answered; nobody waits who is not there any more. Test code, one thread.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "doors/http/api.h"
#include "service/metrics.h"
#include "service/service.h"
#include "support/manual_loop.h"
#include "support/memory_store.h"

namespace pawl::fuzz {

class HttpWorld {
 public:
  HttpWorld();

  void ask(const doors::http::Request& request);
  void refuse(const service::Problem& problem);  // what did not become a request
  void pass(ports::Ticks by);

  // The client of the call that waits longest, or of one after it, goes away.
  void hang_up(std::size_t which);
  // The last answer that somebody had to hear was not written.
  void lose_answer();
  // The store keeps commands to itself, takes them up again, or forgets what became of them. Who
  // does not know that, or does not lead, will take over when it leads again.
  void hold_up();
  void go_on();
  void lose_commands();
  // Refuses from now on; nothing: takes again.
  void refuse_commands(std::optional<ports::NotSubmitted> why);
  void leave_office();
  void take_office();
  void drain();

  // Everybody goes away; what must be true of every run is.
  void end();

 private:
  struct Quiet final : ports::Observer {
    void event(ports::Severity, std::string_view, std::span<const ports::Field>) override {}
  };
  struct Chance final : ports::Random {
    std::uint64_t next() override { return ++count; }
    std::uint64_t count = 0;
  };
  struct Counter final : ports::Secrets {
    void fill(std::span<std::byte> out) override {
      ++count;
      for (std::byte& byte : out) byte = static_cast<std::byte>(count);
    }
    std::uint8_t count = 0;
  };
  struct Call {
    std::string method;
    service::CallId id = 0;
    bool answered = false;
    bool hung_up = false;
    bool open() const { return !answered && !hung_up; }
  };

  void take_reply(Call& call, const doors::http::Reply& reply);
  void check_feed();

  testing::ManualLoop loop_;
  testing::MemoryStore store_{loop_.clock};
  Quiet observer_;
  Chance random_;
  Counter secrets_;
  service::Metrics metrics_{4};
  service::Service service_;
  doors::http::Api api_;
  std::deque<Call> calls_;
  std::optional<service::Receipt> receipt_;
  bool must_take_over_ = false;
};

}  // namespace pawl::fuzz
