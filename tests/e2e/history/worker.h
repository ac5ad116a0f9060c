// SPDX-License-Identifier: Apache-2.0
// Clients over real HTTP, each in a thread of its own: a Worker takes locks of every kind, holds,
// renews, changes and releases them, or forgets to; an Operator force-releases. Whoever gets no
// answer asks again with the same lease id (P6), also when it hung up itself. Everything goes into
// the history.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "e2e/history/api.h"
#include "e2e/history/run.h"
#include "support/random.h"

namespace pawl::testing {

class Worker {
 public:
  Worker(Run& run, std::uint32_t number, std::uint64_t seed)
      : run_(run), number_(number), random_(seed), http_(run.port) {}

  // Until the run is over.
  void work();

 private:
  struct Held {
    Wish wish;
    core::Mode mode = core::Mode::exclusive;
    core::FencingToken token{};
    int upgrades = 0;  // attempts so far
  };
  // The last sending and what it was answered; nothing: it never was.
  struct Told {
    Micros sent{0};
    LockAnswer answer;
  };

  Wish make_wish();
  void live_once();
  void hold(Held& held);
  bool one_step(Held& held);  // false: it is over, or unknown

  std::optional<Held> acquire(const Wish& wish);
  bool renew(const Held& held);
  bool upgrade(Held& held);
  bool downgrade(Held& held);
  void release(const Held& held);
  void write(const Held& held);

  Operation operation(OpKind kind, const core::LeaseId& lease) const;
  std::optional<Told> ask(const std::function<HttpRequest(int attempt)>& request, int first = 1);
  // Fills in what was answered; whether that was a yes.
  bool record(std::size_t op, const std::optional<Told>& told);
  void pause(Micros longest);

  Run& run_;
  std::uint32_t number_;
  Random random_;
  HttpClient http_;
  std::uint64_t leases_ = 0;
  int attempts_ = 0;  // of the last request
};

class Operator {
 public:
  Operator(Run& run, std::uint64_t seed) : run_(run), random_(seed), http_(run.port) {}
  void work();

 private:
  void force(const core::ResourceName& resource, const core::LeaseId& lease);

  Run& run_;
  Random random_;
  HttpClient http_;
};

}  // namespace pawl::testing
