// SPDX-License-Identifier: Apache-2.0
// Concurrent clients over real HTTP against the real binary, which is killed and restarted under
// them; what they saw is judged by the history checker (I1 to I7, I10). PAWL_SEED=N replays the
// choices, though not the moments, of a run; PAWL_TEST_LONG=1 kills ten times as often.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "e2e/history/run.h"
#include "e2e/history/server_process.h"
#include "e2e/history/worker.h"
#include "faults/test_size.h"
#include "faults/workload.h"
#include "history/checker.h"

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;

// A data folder, the lives of the service on it, and its clients.
class Story {
 public:
  explicit Story(std::uint64_t seed) : random_(seed) {}
  ~Story() { join(); }

  void start() {
    log_ = scratch_.path() / ("log-" + std::to_string(++lives_));
    server_ = std::make_unique<ServerProcess>(scratch_.path() / "data", log_);
    const std::uint16_t port = server_->port();
    ASSERT_NE(port, 0) << server_->log_text();
    run_.port = port;
  }

  void begin(std::uint32_t workers) {
    for (std::uint32_t i = 0; i < workers; ++i) {
      threads_.emplace_back([this, i, seed = random_.next()] { Worker(run_, i, seed).work(); });
    }
    threads_.emplace_back([this, seed = random_.next()] { Operator(run_, seed).work(); });
  }

  void let_run(milliseconds least, milliseconds most) {
    std::this_thread::sleep_for(random_.between(least, most));
  }

  void end_life(bool cleanly) {
    server_->send(cleanly ? SIGTERM : SIGKILL);
    const Exit expected = cleanly ? Exit{0, 0} : Exit{SIGKILL, 0};
    EXPECT_EQ(to_text(server_->wait()), to_text(expected)) << server_->log_text();
    run_.notes.take_log(server_->log_text());
    server_.reset();
  }

  // The clients finish what they are at, with a service that answers.
  History finish() {
    join();
    end_life(true);
    ends_ = run_.notes.ends();
    History history = run_.history.take();
    history.state_events = run_.notes.take();
    return history;
  }

  Random& random() { return random_; }
  Run& run() { return run_; }
  std::size_t ends() const { return ends_; }

 private:
  void join() {
    run_.over = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  Scratch scratch_;
  Random random_;
  Run run_;
  int lives_ = 0;
  std::filesystem::path log_;
  std::unique_ptr<ServerProcess> server_;
  std::vector<std::thread> threads_;
  std::size_t ends_ = 0;
};

void expect_good(const History& history, Run& run) {
  for (const std::string& problem : run.problems()) ADD_FAILURE() << problem;
  for (const Violation& violation : check(history)) {
    std::string lines;
    for (const std::size_t op : violation.operations)
      lines += "\n  " + to_line(history.operations[op]);
    ADD_FAILURE() << name_of(violation.invariant) << ": " << violation.what << lines;
  }
}

std::size_t count(const History& history, OpKind kind, Outcome outcome) {
  return static_cast<std::size_t>(std::ranges::count_if(
      history.operations,
      [&](const Operation& op) { return op.kind == kind && op.outcome == outcome; }));
}

TEST(HttpHistory, StaysTrueWhileTheServiceIsKilledAndRestartedUnderLoad) {
  const std::uint64_t seed = seed_of_run();
  SCOPED_TRACE("PAWL_SEED=" + std::to_string(seed));
  Story story(seed);
  ASSERT_NO_FATAL_FAILURE(story.start());
  story.begin(kSanitized ? 8 : 16);
  int killed = 0;
  int stopped = 0;
  for (int i = 0; i < std::max(scaled(16), 4) && !HasFailure(); ++i) {
    story.let_run(milliseconds(50), milliseconds(1500));
    const bool cleanly = story.random().percent(20);
    story.end_life(cleanly);
    ++(cleanly ? stopped : killed);
    ASSERT_NO_FATAL_FAILURE(story.start());
  }
  story.let_run(milliseconds(1500), milliseconds(1500));
  const History history = story.finish();
  expect_good(history, story.run());
  EXPECT_GT(count(history, OpKind::acquire, Outcome::ok), 50U);
  EXPECT_GT(count(history, OpKind::renew, Outcome::ok), 0U);
  EXPECT_GT(count(history, OpKind::fenced_write, Outcome::ok), 0U);
  EXPECT_GT(count(history, OpKind::force_release, Outcome::ok), 0U);
  if (!kSanitized) {
    EXPECT_GT(story.run().repeats, 0U);
  }
  EXPECT_GT(story.ends(), 50U);
  std::printf(
      "killed %d times, stopped %d times: %llu grants (%llu of them repeated for a lost answer), "
      "%llu answers lost, %zu upgrades, %zu force releases, %zu ends in the log, %llu writes "
      "refused by the fence (PAWL_SEED=%llu)\n",
      killed, stopped, static_cast<unsigned long long>(story.run().grants),
      static_cast<unsigned long long>(story.run().repeats),
      static_cast<unsigned long long>(story.run().lost),
      count(history, OpKind::upgrade, Outcome::ok),
      count(history, OpKind::force_release, Outcome::ok), story.ends(),
      static_cast<unsigned long long>(story.run().registers.refused()),
      static_cast<unsigned long long>(seed));
}

// A way to tamper with a good record, so that it is what clients of a service that breaks its word
// would have seen. False: there is nothing in it to tamper with.
struct Tampering {
  const char* what;
  Invariant breaks;
  bool (*tamper)(History&);
};

bool finds(const History& history, Invariant invariant) {
  return std::ranges::any_of(
      check(history), [&](const Violation& violation) { return violation.invariant == invariant; });
}

template <class Fits>
Operation* find(History& history, Fits fits) {
  const auto at = std::ranges::find_if(history.operations, fits);
  return at == history.operations.end() ? nullptr : &*at;
}

bool is_grant(const Operation& op) {
  return op.kind == OpKind::acquire && op.outcome == Outcome::ok;
}
bool is_good_release(const Operation& op) {
  return op.kind == OpKind::release && op.outcome == Outcome::ok;
}

bool use_a_token_twice(History& history) {
  Operation* first = find(history, is_grant);
  Operation* second =
      find(history, [&](const Operation& op) { return is_grant(op) && op.lease != first->lease; });
  if (second == nullptr) return false;
  second->token = first->token;
  return true;
}

bool go_back_with_a_token(History& history) {
  Operation* first = find(history, [&](const Operation& op) {
    return is_grant(op) && op.mode == core::Mode::exclusive &&
           find(history, [&](const Operation& later) {
             return is_grant(later) && later.resources == op.resources &&
                    later.called > op.returned;
           }) != nullptr;
  });
  if (first == nullptr) return false;
  for (Operation& op : history.operations) {
    if (op.lease == first->lease && op.token == first->token && &op != first)
      op.token = core::FencingToken{1'000'000'000};
  }
  first->token = core::FencingToken{1'000'000'000};
  return true;
}

// Somebody who was refused was granted it after all, while another held it for certain.
bool grant_to_two(History& history) {
  for (Operation& op : history.operations) {
    if (op.kind != OpKind::acquire || op.over != Over::otherwise) continue;
    const Operation before = op;
    op.outcome = Outcome::ok;
    op.over = Over::no;
    op.token = core::FencingToken{1'000'000'000};
    op.valid_for = op.ttl;
    op.waited = false;
    if (finds(history, Invariant::I3)) return true;
    op = before;
  }
  return false;
}

// As `op`, but later than `other` was answered.
Operation after(Operation op, const Operation& other) {
  op.called = other.returned + Micros(1);
  op.sent = op.called;
  op.returned = op.called + Micros(100);
  return op;
}

bool renew_what_is_over(History& history) {
  const Operation* release = find(history, is_good_release);
  if (release == nullptr) return false;
  Operation renewal = after(*release, *release);
  renewal.kind = OpKind::renew;
  renewal.valid_for = std::chrono::seconds(1);
  history.operations.push_back(renewal);
  return true;
}

// A holder is granted the lock, somebody else too; then the first renews.
bool renew_beside_the_next(History& history) {
  for (const Operation& first : history.operations) {
    if (!is_grant(first) || first.mode != core::Mode::exclusive) continue;
    const Operation* next = find(history, [&](const Operation& op) {
      return is_grant(op) && op.resources == first.resources && op.token > first.token;
    });
    const Operation* told_over = find(history, [&](const Operation& op) {
      return op.lease == first.lease && (op.over != Over::no || is_good_release(op));
    });
    if (next == nullptr || told_over != nullptr) continue;
    Operation renewal = after(first, *next);
    renewal.kind = OpKind::renew;
    history.operations.push_back(renewal);
    return true;
  }
  return false;
}

bool grant_what_is_over(History& history) {
  const Operation* release = find(history, is_good_release);
  if (release == nullptr) return false;
  const Operation* acquire = find(history, [&](const Operation& op) {
    return op.kind == OpKind::acquire && op.lease == release->lease;
  });
  history.operations.push_back(after(*acquire, *release));
  return true;
}

bool accept_a_stale_write(History& history) {
  Operation* write = find(history, [](const Operation& op) {
    return op.kind == OpKind::fenced_write && op.outcome == Outcome::ok && op.order > 1;
  });
  if (write == nullptr) return false;
  write->token = core::kNoToken;
  return true;
}

bool end_early(History& history) {
  const auto expired = std::ranges::find_if(history.state_events, [](const StateEvent& event) {
    return event.kind == StateEvent::Kind::expired;
  });
  if (expired == history.state_events.end()) return false;
  expired->at -= milliseconds(50);
  return true;
}

constexpr Tampering kTamperings[] = {
    {"a token is used twice", Invariant::I1, use_a_token_twice},
    {"a token goes back", Invariant::I2, go_back_with_a_token},
    {"two hold it", Invariant::I3, grant_to_two},
    {"a lease that is over is renewed", Invariant::I4, renew_what_is_over},
    {"a lease is renewed beside the next", Invariant::I5, renew_beside_the_next},
    {"a lease that is over is granted", Invariant::I6, grant_what_is_over},
    {"a stale write is accepted", Invariant::I7, accept_a_stale_write},
    {"a lease ends early", Invariant::I10, end_early},
};

TEST(HttpHistory, RecordThatIsTamperedWithIsFound) {
  Story story(seed_of_run());
  ASSERT_NO_FATAL_FAILURE(story.start());
  story.begin(8);
  story.let_run(milliseconds(3000), milliseconds(3000));
  const History good = story.finish();
  expect_good(good, story.run());
  for (const Tampering& tampering : kTamperings) {
    History bad = good;
    EXPECT_TRUE(tampering.tamper(bad)) << "nothing to try it on: " << tampering.what;
    EXPECT_TRUE(finds(bad, tampering.breaks)) << tampering.what;
  }
}

}  // namespace
}  // namespace pawl::testing
