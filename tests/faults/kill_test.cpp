// SPDX-License-Identifier: Apache-2.0
// The engine is killed at any moment, again and again, and every answer it ever gave stays true
// (P9). PAWL_SEED=N replays the choices, though not the moments, of a run; PAWL_TEST_LONG=1 kills
// ten times as often.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <string>

#include "faults/test_size.h"
#include "faults/workload.h"

namespace pawl::testing {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

struct Tally {
  int while_starting = 0;
  int under_load = 0;
  int clean_stops = 0;
};

// A data folder with its clients, through many lives of the service.
class Lives {
 public:
  Lives(std::uint64_t seed, Tally& tally)
      : random_(seed), load_(random_.next(), ledger_), tally_(tally) {
    options_.folder = scratch_.path() / "data";
    options_.segment_bytes = 32'768;
    options_.snapshot_log_bytes = 20'000;
    options_.padding_bytes = 100;
  }

  // Ends with a kill at a random moment, or now and then with a clean stop.
  void live_once() {
    ChildProcess child(options_);
    Clients clients(child, ledger_);
    const Moment begin = Clock::now();
    if (random_.percent(25)) {
      if (!child.ready(begin + random_.between(microseconds(0), start_takes_))) {
        end(child, clients, tally_.while_starting);
        return;
      }
    } else {
      ASSERT_TRUE(child.ready()) << to_text(child.wait()) << "\n" << child.errors();
      start_takes_ = std::chrono::duration_cast<microseconds>(Clock::now() - begin);
    }
    const Moment moment = Clock::now() + random_.between(microseconds(0), milliseconds(30));
    ASSERT_TRUE(clients.audit() && clients.ask_again()) << child.errors();
    ASSERT_TRUE(load_.run(clients, moment)) << to_text(child.wait()) << "\n" << child.errors();
    if (random_.percent(5)) {
      stop(child, clients);
    } else {
      end(child, clients, tally_.under_load);
    }
  }

  // Without further faults, leases that nobody renews end, and everything that was seen fits.
  void judge() {
    ChildProcess child(options_);
    Clients clients(child, ledger_);
    ASSERT_TRUE(child.ready()) << to_text(child.wait()) << "\n" << child.errors();
    ASSERT_TRUE(clients.audit() && clients.ask_again() && clients.audit()) << child.errors();
    for (const std::string& lease : ledger_.held()) {
      clients.send(ledger_.renew(clock_now(), lease));
      ASSERT_TRUE(clients.settle()) << child.errors();
    }
    ASSERT_TRUE(clients.works_on("lease-at-the-end") && clients.audit()) << child.errors();
    for (const std::string& problem : ledger_.judge()) ADD_FAILURE() << problem;
    EXPECT_GT(ledger_.grants(), 0U);
    stop(child, clients);
  }

  bool good() const { return ledger_.problems().empty() && !::testing::Test::HasFailure(); }
  std::size_t grants() const { return ledger_.grants(); }

 private:
  void end(ChildProcess& child, Clients& clients, int& count) {
    child.kill();
    clients.last_words();
    EXPECT_EQ(to_text(child.wait()), to_text(Exit{SIGKILL, 0})) << child.errors();
    ++count;
  }
  void stop(ChildProcess& child, Clients& clients) {
    child.terminate();
    clients.last_words();
    EXPECT_EQ(to_text(child.wait()), to_text(Exit{0, 0})) << child.errors();
    ++tally_.clean_stops;
  }

  Scratch scratch_;
  ChildOptions options_;
  Random random_;
  Ledger ledger_;
  RandomLoad load_;
  Tally& tally_;
  microseconds start_takes_ = milliseconds(10);
};

TEST(Kill, AtAnyMomentLosesNothingThatWasAnswered) {
  const std::uint64_t seed = seed_of_run();
  Tally tally;
  std::size_t grants = 0;
  for (std::uint64_t folder = 0; folder < 4; ++folder) {
    SCOPED_TRACE("PAWL_SEED=" + std::to_string(seed) + ", folder " + std::to_string(folder));
    Lives lives(seed + folder, tally);
    for (int i = 0; i < scaled(35) && lives.good(); ++i) lives.live_once();
    lives.judge();
    grants += lives.grants();
    if (HasFailure()) break;
  }
  std::printf(
      "killed %d times under load and %d times while it started, stopped %d times: "
      "%zu grants answered, none lost (PAWL_SEED=%llu)\n",
      tally.under_load, tally.while_starting, tally.clean_stops, grants,
      static_cast<unsigned long long>(seed));
}

}  // namespace
}  // namespace pawl::testing
