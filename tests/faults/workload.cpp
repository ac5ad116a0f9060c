// SPDX-License-Identifier: Apache-2.0
#include "faults/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kUnderWay = 12;
constexpr std::size_t kMostHeld = 40;
constexpr std::uint64_t kResources = 60;
constexpr milliseconds kHour = std::chrono::hours(1);

std::string numbered(const char* word, std::uint64_t number) {
  char text[32];
  static_cast<void>(
      std::snprintf(text, sizeof text, "%s-%06llu", word, static_cast<unsigned long long>(number)));
  return text;
}

// Of a record. Other threads make snapshots and the next segment meanwhile, aside, and remove old
// ones.
bool failed_for_the_log(const std::string& call) {
  return (call.starts_with("pwrite ") || call.starts_with("fdatasync ")) &&
         call.find("/log/") != std::string::npos && !call.ends_with(".tmp");
}

}  // namespace

Micros clock_now() {
  static const Moment start = Clock::now();
  return std::chrono::duration_cast<Micros>(Clock::now() - start);
}

Heard Clients::hear(Moment deadline) {
  std::string line;
  switch (child_.read_line(line, deadline)) {
    case ChildProcess::Read::line:
      // Nobody may have waited for this one until it came.
      if (line != "ready") ledger_.take(clock_now(), line);
      return Heard::answer;
    case ChildProcess::Read::timeout:
      return Heard::nothing;
    case ChildProcess::Read::closed:
      break;
  }
  ledger_.died();
  return Heard::end;
}

bool Clients::settle() {
  const Moment deadline = Clock::now() + kPatience;
  while (ledger_.under_way() > 0) {
    const Heard heard = hear(deadline);
    if (heard == Heard::end) return false;
    if (heard == Heard::answer) continue;
    ADD_FAILURE() << ledger_.under_way() << " commands are not answered";
    return false;
  }
  return true;
}

void Clients::last_words() {
  const Moment deadline = Clock::now() + kPatience;
  Heard heard = Heard::answer;
  while (heard == Heard::answer) heard = hear(deadline);
  EXPECT_EQ(heard, Heard::end) << "a dead child's pipe is still open";
}

bool Clients::audit() {
  send(ledger_.list(clock_now()));
  return settle();
}

bool Clients::ask_again() {
  for (const std::string& line : ledger_.ask_again(clock_now())) send(line);
  return settle();
}

// An engine whose snapshots can't keep up answers `overloaded` for a while.
bool Clients::works_on(const std::string& name) {
  const std::size_t before = ledger_.grants();
  const Moment deadline = Clock::now() + kPatience;
  std::string lease;
  for (int i = 1; ledger_.grants() == before && Clock::now() < deadline; ++i) {
    lease = name + "-" + std::to_string(i);
    send(ledger_.acquire(clock_now(), lease, "resource-of-" + lease, kHour));
    if (!settle()) return false;
  }
  EXPECT_EQ(ledger_.grants(), before + 1) << lease << " was not granted";
  send(ledger_.renew(clock_now(), lease));
  if (!settle()) return false;
  send(ledger_.release(clock_now(), lease));
  return settle();
}

std::string RandomLoad::next() {
  const Micros now = clock_now();
  const std::vector<std::string> held = ledger_.held();
  const bool full = held.size() >= kMostHeld;
  if (held.empty() || (!full && random_.percent(55))) {
    const milliseconds ttl = random_.percent(75) ? kHour : milliseconds(random_.between(100, 400));
    return ledger_.acquire(now, numbered("lease", ++leases_),
                           numbered("resource", random_.below(kResources)), ttl);
  }
  const std::string& lease = random_.pick(held);
  return random_.percent(full ? 20 : 50) ? ledger_.renew(now, lease) : ledger_.release(now, lease);
}

bool RandomLoad::run(Clients& clients, Moment moment) {
  for (;;) {
    while (ledger_.under_way() < kUnderWay) clients.send(next());
    const Heard heard = clients.hear(moment);
    if (heard == Heard::end) return false;
    if (heard == Heard::nothing || Clock::now() >= moment) return true;
  }
}

bool run_fixed_load(Clients& clients, Ledger& ledger, int rounds) {
  const auto lease = [](int i) { return numbered("lease", static_cast<std::uint64_t>(i)); };
  const auto resource = [](int i) { return numbered("resource", static_cast<std::uint64_t>(i)); };
  for (int i = 0; i < rounds; ++i) {
    const Micros now = clock_now();
    clients.send(ledger.acquire(now, lease(i), resource(i), kHour));
    if (i % 3 == 1) clients.send(ledger.acquire(now, lease(1000 + i), resource(1000 + i), kHour));
    if (i % 7 == 6) clients.send(ledger.acquire(now, lease(2000 + i), resource(i - 1), kHour));
    if (i % 4 == 3) clients.send(ledger.renew(now, lease(i - 1)));
    if (i % 5 == 4) clients.send(ledger.release(now, lease(i - 3)));
    if (!clients.settle()) return false;
  }
  return true;
}

bool acquire_one_by_one(Clients& clients, Ledger& ledger, int count, const StopAt* stop) {
  for (int i = 0; i < count; ++i) {
    const std::uint64_t number = 10'000 + ledger.grants();
    const std::size_t before = ledger.grants();
    clients.send(ledger.acquire(clock_now(), numbered("lease", number),
                                numbered("resource", number), kHour));
    const bool alive = clients.settle();
    if (ledger.grants() > before && stop != nullptr) {
      EXPECT_FALSE(failed_for_the_log(stop->stopped_call()))
          << "a grant was answered after the disk had failed at " << stop->stopped_call();
    }
    if (!alive) return false;
  }
  return true;
}

}  // namespace pawl::testing
