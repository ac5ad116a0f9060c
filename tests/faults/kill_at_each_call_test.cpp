// SPDX-License-Identifier: Apache-2.0
// The engine is killed at each call that changes the disk, in turn: from the making of its folder
// through log, roll-over, snapshot and cut; and so is the start that follows. PAWL_TEST_LONG=1: at
// each call in each of three ways.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include "faults/test_size.h"
#include "faults/workload.h"

namespace pawl::testing {
namespace {

constexpr int kRounds = 20;
constexpr const char* kHows[] = {"kill", "kill_after", "torn"};

// How often which call was stopped at: "fdatasync log".
using Tally = std::map<std::string, int>;

void note(Tally& tally, const std::string& call) {
  const std::string name = call.substr(0, call.find(' '));
  std::string place = "data folder";
  if (call.find("/data/log") != std::string::npos) place = "log";
  if (call.find("/data/snapshots") != std::string::npos) place = "snapshots";
  ++tally[name + " " + place];
}

int print(const char* what, const Tally& tally) {
  int all = 0;
  std::string text;
  for (const auto& [name, count] : tally) {
    all += count;
    text += "  " + name + ": " + std::to_string(count) + "\n";
  }
  std::printf("killed %d times %s\n%s", all, what, text.c_str());
  return all;
}

ChildOptions options_in(const Scratch& scratch, const StopAt* stop = nullptr) {
  ChildOptions options;
  options.folder = scratch.path() / "data";
  options.segment_bytes = 8'192;
  options.snapshot_log_bytes = 9'000;
  options.padding_bytes = 800;
  options.stop = stop;
  return options;
}

// Starts, and finds what was answered; goes on working if asked to.
void expect_kept(const Scratch& scratch, Ledger& ledger, bool work) {
  ChildProcess child(options_in(scratch));
  Clients clients(child, ledger);
  ASSERT_TRUE(child.ready()) << to_text(child.wait()) << "\n" << child.errors();
  ASSERT_TRUE(clients.audit()) << child.errors();
  if (work) {
    ASSERT_TRUE(clients.ask_again() && clients.works_on("lease-afterwards") && clients.audit())
        << child.errors();
  }
  child.kill();
  clients.last_words();
  for (const std::string& problem : ledger.judge()) ADD_FAILURE() << problem;
}

// The fixed load on a new folder, until it is killed. False: it was not.
bool run_until_killed(const Scratch& scratch, const StopAt& stop, Ledger& ledger) {
  ChildProcess child(options_in(scratch, &stop));
  Clients clients(child, ledger);
  const bool finished = child.ready() && run_fixed_load(clients, ledger, kRounds);
  if (finished) child.terminate();
  clients.last_words();
  const Exit exit = child.wait();
  EXPECT_EQ(to_text(exit), to_text(stop.stopped() ? Exit{SIGKILL, 0} : Exit{0, 0}))
      << child.errors();
  return stop.stopped();
}

std::uint64_t calls_of_fixed_load() {
  const Scratch scratch;
  const StopAt counting(scratch);
  Ledger ledger;
  EXPECT_FALSE(run_until_killed(scratch, counting, ledger));
  EXPECT_GT(ledger.grants(), static_cast<std::size_t>(kRounds));
  return counting.calls();
}

TEST(Kill, AtEachCallThatChangesTheDiskLosesNothingThatWasAnswered) {
  const std::uint64_t calls = calls_of_fixed_load();
  ASSERT_GT(calls, 100U);
  Tally tally;
  int not_reached = 0;
  const std::uint64_t step = kSanitized && !long_test() ? 5 : 1;
  for (std::uint64_t n = 1; n <= calls && !HasFailure(); n += step) {
    for (std::size_t how = 0; how < std::size(kHows); ++how) {
      if (!long_test() && how != n / step % std::size(kHows)) continue;
      const Scratch scratch;
      const StopAt stop(scratch, kHows[how], n);
      Ledger ledger;
      const bool killed = run_until_killed(scratch, stop, ledger);
      SCOPED_TRACE(std::string(kHows[how]) + " at call " + std::to_string(n) + ", " +
                   stop.stopped_call());
      killed ? note(tally, stop.stopped_call()) : void(++not_reached);
      expect_kept(scratch, ledger, true);
    }
  }
  print("at a call that changes the disk:", tally);
  // The threads take turns as they like, so that a few calls may be missing in a run.
  EXPECT_LT(not_reached, static_cast<int>(calls) / 10);
  if (step > 1 || HasFailure()) return;
  int of_snapshots = 0;
  int removed = 0;
  for (const auto& [name, count] : tally) {
    if (name.ends_with("snapshots")) of_snapshots += count;
    if (name.starts_with("unlink")) removed += count;
  }
  EXPECT_GT(of_snapshots, 0) << "no snapshot was made: the test does not test it";
  EXPECT_GT(removed, 0) << "the log was never cut: the test does not test it";
}

// Each start of a folder is killed one call later than the one before, until one gets through.
TEST(Kill, AtEachCallOfARestartLosesNothingThatWasAnswered) {
  const std::uint64_t calls = calls_of_fixed_load();
  Tally tally;
  const auto samples = static_cast<std::uint64_t>(scaled(10));
  for (std::uint64_t i = 0; i < samples && !HasFailure(); ++i) {
    const Scratch scratch;
    const std::uint64_t n = 1 + (2 * i + 1) * calls / (2 * samples);
    const StopAt first(scratch, kHows[i % std::size(kHows)], n);
    Ledger ledger;
    run_until_killed(scratch, first, ledger);
    for (std::uint64_t m = 1; !HasFailure(); ++m) {
      const StopAt again(scratch, kHows[(i + m) % std::size(kHows)], m);
      SCOPED_TRACE("after " + first.stopped_call() + ", call " + std::to_string(m) +
                   " of the restart");
      ChildProcess child(options_in(scratch, &again));
      Clients clients(child, ledger);
      const bool ready = child.ready() && clients.audit();
      child.kill();
      clients.last_words();
      if (ready) break;
      ASSERT_TRUE(again.stopped()) << to_text(child.wait()) << "\n" << child.errors();
      note(tally, again.stopped_call());
    }
    expect_kept(scratch, ledger, true);
  }
  print("at a call of a restart:", tally);
}

}  // namespace
}  // namespace pawl::testing
