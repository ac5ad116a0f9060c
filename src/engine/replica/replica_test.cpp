// SPDX-License-Identifier: Apache-2.0
// What one node promises those who ask it.
#include "engine/replica/replica.h"

#include <gtest/gtest.h>

#include "core/read.h"
#include "engine/replica/lab.h"

namespace pawl::engine {
namespace {

using core::Granted;
using ports::NotSubmitted;

core::FencingToken token_of(const Lab::Told& told) {
  const auto* granted = told.reply<Granted>();
  return granted == nullptr ? core::kNoToken : granted->lease.token;
}

TEST(Replica, AnswersAGrantOnlyOnceItIsOnDisk) {
  Lab lab;
  ASSERT_TRUE(lab.start());
  lab.writer->eager = false;
  const auto told = lab.ask(acquire("stock", "lease-0001"));
  EXPECT_EQ(told->times, 0);
  lab.writer->work();
  lab.loop->settle();
  EXPECT_EQ(told->times, 1);
  EXPECT_NE(told->reply<Granted>(), nullptr);
}

TEST(Replica, WritesALoneCommandAtOnce) {
  Lab lab;
  ASSERT_TRUE(lab.start());
  const std::size_t before = lab.writer->jobs_done;
  EXPECT_NE(lab.ask(acquire("stock", "lease-0001"))->reply<Granted>(), nullptr);
  EXPECT_EQ(lab.writer->jobs_done, before + 1);
}

TEST(Replica, MakesOneWriteOfWhatArrivesDuringAnother) {
  Lab lab;
  ASSERT_TRUE(lab.start());
  lab.writer->eager = false;
  lab.ask(acquire("first", "lease-0000"));
  std::vector<std::shared_ptr<Lab::Told>> told;
  for (int i = 0; i < 500; ++i)
    told.push_back(lab.ask(acquire("r" + std::to_string(i), "lease-1" + std::to_string(i) + "00")));
  EXPECT_EQ(lab.writer->waiting(), 1U);
  const std::size_t before = lab.writer->jobs_done;
  lab.writer->work();
  lab.loop->settle();
  lab.writer->work();
  lab.loop->settle();
  EXPECT_EQ(lab.writer->jobs_done, before + 2);
  for (const auto& one : told) EXPECT_EQ(one->times, 1);
}

TEST(Replica, RefusesWhatIsBeyondItsBoundAndTakesMoreOnceThereIsRoom) {
  Lab lab;
  lab.options.max_pending_commands = 10;
  ASSERT_TRUE(lab.start());
  lab.writer->eager = false;
  std::vector<std::shared_ptr<Lab::Told>> told;
  for (int i = 0; i < 12; ++i)
    told.push_back(lab.ask(acquire("r" + std::to_string(i), "lease-1" + std::to_string(i) + "00")));
  EXPECT_EQ(told[9]->times, 0);
  ASSERT_TRUE(told[10]->refused);
  EXPECT_EQ(told[10]->refused->why, NotSubmitted::Why::overloaded);
  lab.writer->eager = true;
  lab.writer->work();
  lab.loop->settle();
  EXPECT_NE(token_of(*told[9]), core::kNoToken);
  EXPECT_NE(token_of(*lab.ask(acquire("r11", "lease-2000"))), core::kNoToken);
}

TEST(Replica, ReadsWhatWasAnswered) {
  Lab lab;
  ASSERT_TRUE(lab.start());
  lab.ask(acquire("stock", "lease-0001"));
  bool found = false;
  lab.replica->read([&](const ports::ReadAnswer& answer) {
    const auto* readable = std::get_if<ports::Readable>(&answer);
    ASSERT_NE(readable, nullptr);
    found =
        core::show_lease(readable->state, core::Namespace("default"), core::LeaseId("lease-0001"))
            .has_value();
  });
  EXPECT_TRUE(found);
}

struct Listener final : ports::StoreListener {
  void applied(ports::LogPosition, const core::Command&, const core::Effects& effects) override {
    for (const core::Effect& effect : effects.all) seen.push_back(effect);
  }
  void office_changed(const ports::Office& office) override { offices.push_back(office.in_office); }
  template <class T>
  std::size_t count() const {
    std::size_t found = 0;
    for (const core::Effect& effect : seen) found += std::holds_alternative<T>(effect) ? 1 : 0;
    return found;
  }
  std::vector<core::Effect> seen;
  std::vector<bool> offices;
};

TEST(Replica, TellsItsListenerOfGrantsToThoseWhoWait) {
  Lab lab;
  ASSERT_TRUE(lab.start());
  Listener listener;
  lab.replica->listen(&listener);
  lab.ask(acquire("stock", "lease-0001"));
  EXPECT_NE(lab.ask(acquire("stock", "lease-0002", 10s, 60s))->reply<core::Queued>(), nullptr);
  lab.ask(release("lease-0001"));
  EXPECT_EQ(listener.count<Granted>(), 2U);
}

TEST(Replica, EndsALeaseWhenItsTimeHasRunAndNotBefore) {
  Lab lab;
  ASSERT_TRUE(lab.start());
  Listener listener;
  lab.replica->listen(&listener);
  lab.ask(acquire("stock", "lease-0001", 10s));
  lab.pass(10s - 1us);
  EXPECT_EQ(listener.count<core::Ended>(), 0U);
  lab.pass(1us);
  EXPECT_EQ(listener.count<core::Ended>(), 1U);
}

TEST(Replica, LogsTheTimeAtLeastEveryFiveSecondsWhileAnythingIsLive) {
  Lab lab;
  ASSERT_TRUE(lab.start());
  lab.ask(acquire("stock", "lease-0001", 3600s));
  for (int i = 0; i < 100; ++i) {
    const core::Time before = lab.replica->state().now;
    lab.pass(5s);
    EXPECT_GT(lab.replica->state().now, before);
  }
}

TEST(Replica, WritesNothingWhileNothingIsLive) {
  Lab lab;
  ASSERT_TRUE(lab.start());
  lab.ask(acquire("stock", "lease-0001"));
  lab.ask(release("lease-0001"));
  const std::uint64_t before = lab.disk.operations();
  lab.pass(3600s);
  EXPECT_EQ(lab.disk.operations(), before);
}

TEST(Replica, GoesOnAfterARestartWithTheTokenAndTheTimeThatWasLeft) {
  Lab lab;
  ASSERT_TRUE(lab.start());
  const auto first = token_of(*lab.ask(acquire("stock", "lease-0001", 60s)));
  lab.pass(20s);
  lab.disk.crash(testing::CrashKind::power_loss);
  lab.down();
  lab.clock.time += 3600s;  // nobody counts while it is down
  ASSERT_TRUE(lab.start());
  const auto* again = lab.ask(acquire("stock", "lease-0001", 60s))->reply<Granted>();
  const auto repeated = lab.ask(acquire("stock", "lease-0001", 60s));
  again = repeated->reply<Granted>();
  ASSERT_NE(again, nullptr);
  EXPECT_TRUE(again->repeated);
  EXPECT_EQ(again->lease.token, first);
  EXPECT_GE(again->valid_for, 40s);
  EXPECT_LE(again->valid_for, 45s);
  EXPECT_GT(token_of(*lab.ask(acquire("other", "lease-0002"))), first);
}

TEST(Replica, LogsTheTimeWhenItStopsSoThatARestartAddsNothing) {
  Lab lab;
  ASSERT_TRUE(lab.start());
  lab.ask(acquire("stock", "lease-0001", 60s));
  lab.pass(3s);
  bool stopped = false;
  lab.replica->stop([&] { stopped = true; });
  lab.loop->settle();
  EXPECT_TRUE(stopped);
  EXPECT_EQ(lab.ask(acquire("late", "lease-0009"))->refused->why, NotSubmitted::Why::stopping);
  ASSERT_TRUE(lab.start());
  const auto again = lab.ask(acquire("stock", "lease-0001", 60s));
  ASSERT_NE(again->reply<Granted>(), nullptr);
  EXPECT_EQ(again->reply<Granted>()->valid_for, 57s);
}

TEST(Replica, DetachesThoseWhoWaitedWhenItRestartsAndLetsThemComeBack) {
  Lab lab;
  ASSERT_TRUE(lab.start());
  lab.ask(acquire("stock", "lease-0001", 60s));
  lab.ask(acquire("stock", "lease-0002", 60s, 600s));
  lab.ask(acquire("stock", "lease-0003", 60s, 600s));
  ASSERT_TRUE(lab.start());
  core::Acquire back = acquire("stock", "lease-0003", 60s, 600s);
  back.ticket.attempt = 2;
  const auto again = lab.ask(back);
  ASSERT_NE(again->reply<core::Queued>(), nullptr);
  EXPECT_TRUE(again->reply<core::Queued>()->repeated);
  Listener listener;
  lab.replica->listen(&listener);
  lab.pass(6s);  // lease-0002 did not come back
  lab.ask(release("lease-0001"));
  ASSERT_EQ(listener.count<Granted>(), 1U);
}

// Else an entry that was lost with a torn write, and perhaps sent to others before, could come
// again under the same (index, term) with other contents.
TEST(Replica, LeadsEachTimeInATermThatItNeverUsedBefore) {
  Lab lab;
  Term last = 0;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(lab.start());
    EXPECT_GT(lab.replica->progress().term, last);
    last = lab.replica->progress().term;
    lab.writer->eager = false;
    lab.ask(acquire("stock", "lease-000" + std::to_string(i)));
    lab.disk.crash(testing::CrashKind::power_loss);
  }
}

TEST(Replica, StopsAtAFailedSyncWithoutAnAnswerAndStartsAgainWithAllThatWasAnswered) {
  for (const bool full : {false, true}) {
    Lab lab;
    ASSERT_TRUE(lab.start());
    const auto first = token_of(*lab.ask(acquire("stock", "lease-0001", 60s)));
    lab.disk.fail_at(1, full);
    const auto told = lab.ask(acquire("other", "lease-0002"));
    EXPECT_EQ(told->times, 0);
    EXPECT_EQ(lab.faults, 1);
    ASSERT_TRUE(lab.fault);
    EXPECT_EQ(lab.fault->kind, FaultKind::disk);
    EXPECT_EQ(lab.ask(acquire("third", "lease-0003"))->times, 0);
    lab.disk.heal();
    lab.disk.crash(testing::CrashKind::power_loss);
    ASSERT_TRUE(lab.start()) << to_text(*lab.fault);
    EXPECT_EQ(token_of(*lab.ask(acquire("stock", "lease-0001", 60s))), first);
  }
}

TEST(Replica, MakesSnapshotsCutsTheLogAndStartsFromThem) {
  Lab lab;
  lab.options.snapshot_log_bytes = 20'000;
  ASSERT_TRUE(lab.start());
  lab.ask(acquire("stock", "lease-0001", 24h));
  for (int i = 0; i < 2'000; ++i) {
    const std::string id = "lease-1" + std::to_string(1000 + i);
    ASSERT_NE(lab.ask(acquire("other", id))->reply<Granted>(), nullptr);
    lab.ask(release(id));
  }
  EXPECT_GT(lab.observer.seen["snapshot_taken"], 5);
  const Index snapshot = lab.replica->progress().snapshot;
  const std::uint64_t hash = core::state_hash(lab.replica->state());
  EXPECT_GT(snapshot, 1'000U);
  ASSERT_TRUE(lab.start());
  EXPECT_EQ(lab.replica->progress().snapshot, snapshot);
  EXPECT_EQ(core::state_hash(lab.replica->state()),
            hash);  // nobody waited: Takeover changed nothing
}

// Put back from an older copy, say. What the snapshot does not have would be lost without a word.
TEST(Replica, RefusesALogThatDoesNotReachToItsSnapshot) {
  Lab lab;
  lab.options.snapshot_log_bytes = 20'000;
  ASSERT_TRUE(lab.start());
  const auto cycle = [&](int i) {
    lab.ask(acquire("other", "lease-1" + std::to_string(1000 + i)));
    lab.ask(release("lease-1" + std::to_string(1000 + i)));
  };
  for (int i = 0; i < 10; ++i) cycle(i);
  lab.down();
  std::map<std::string, std::string> old;
  for (const std::string& file : lab.disk.files())
    if (file.starts_with("log/")) old[file] = lab.disk.contents(file);
  ASSERT_TRUE(lab.start());
  for (int i = 10; lab.observer.seen["snapshot_taken"] == 0; ++i) cycle(i);
  lab.down();
  for (const std::string& file : lab.disk.files())
    if (file.starts_with("log/")) lab.disk.erase(file);
  for (const auto& [file, bytes] : old) lab.disk.overwrite(file, bytes);
  EXPECT_FALSE(lab.start());
  ASSERT_TRUE(lab.fault);
  EXPECT_EQ(lab.fault->kind, FaultKind::damaged);
  EXPECT_EQ(lab.disk.contents(old.begin()->first), old.begin()->second);
}

// Its checksum is right, so the disk kept it; a build that writes something else put it there.
TEST(Replica, RefusesToStartOnAnEntryThatItCannotRead) {
  Lab lab;
  ASSERT_TRUE(lab.start());
  lab.ask(acquire("stock", "lease-0001"));
  lab.down();
  {
    auto opened = Log::open(lab.disk, lab.random, lab.options.log, false);
    ASSERT_TRUE(opened);
    const LogContents& found = opened.value().contents;
    Append append{found.term, found.vote, std::nullopt, found.first + found.entries.size(), {}};
    append.entries.push_back(
        {found.term, EntryKind::command, std::make_shared<const std::string>("garbage.")});
    ASSERT_FALSE(opened.value().log->append(append));
  }
  EXPECT_FALSE(lab.start());
  ASSERT_TRUE(lab.fault);
  EXPECT_EQ(lab.fault->kind, FaultKind::damaged);
  EXPECT_EQ(lab.faults, 0);  // open() has said it
}

// A stray message of a later term makes it a follower, and libraft would make it the leader of that
// term, which another may have led.
TEST(Replica, LeadsAgainInANewTermWhenTheOnlyVoterWasMadeAFollower) {
  Lab lab;
  ASSERT_TRUE(lab.start());
  const auto first = token_of(*lab.ask(acquire("stock", "lease-0001", 60s)));
  lab.writer->eager = false;
  const auto under_way = lab.ask(acquire("other", "lease-0002", 60s));
  const Term later = lab.replica->progress().term + 7;
  lab.replica->receive({2, RequestVote{later, 2, 1'000, later - 1, true, false}});
  lab.loop->settle();
  EXPECT_TRUE(under_way->unknown);  // P11: it was logged, and nobody can tell
  EXPECT_FALSE(lab.replica->office().in_office);
  lab.writer->eager = true;
  lab.writer->work();
  lab.pass(10s);
  EXPECT_TRUE(lab.replica->office().in_office);
  EXPECT_GT(lab.replica->progress().term, later);
  EXPECT_EQ(token_of(*lab.ask(acquire("stock", "lease-0001", 60s))), first);
  EXPECT_GT(token_of(*lab.ask(acquire("third", "lease-0003"))), first);
  lab.disk.crash(testing::CrashKind::power_loss);
  ASSERT_TRUE(lab.start());
  EXPECT_EQ(token_of(*lab.ask(acquire("stock", "lease-0001", 60s))), first);
}

TEST(Replica, CallsEveryoneWhoAskedItToStop) {
  Lab lab;
  ASSERT_TRUE(lab.start());
  int stopped = 0;
  lab.replica->stop([&] { ++stopped; });
  lab.replica->stop([&] { ++stopped; });
  lab.loop->settle();
  EXPECT_EQ(stopped, 2);
}

TEST(Replica, GoesOnGrantingWhileASnapshotIsBeingMade) {
  Lab lab;
  lab.options.snapshot_log_bytes = 5'000;
  ASSERT_TRUE(lab.start());
  lab.background->eager = false;
  for (int i = 0; i < 100; ++i)
    ASSERT_NE(lab.ask(acquire("r" + std::to_string(i), "lease-1" + std::to_string(1000 + i)))
                  ->reply<Granted>(),
              nullptr);
  EXPECT_EQ(lab.background->waiting(), 1U);
  lab.background->eager = true;
  lab.background->work();
  lab.loop->settle();
  EXPECT_GE(lab.observer.seen["snapshot_taken"], 1);
}

// A snapshot that never ends must not make the log grow for ever.
TEST(Replica, RefusesMoreWhenSnapshotsDoNotKeepUp) {
  Lab lab;
  lab.options.snapshot_log_bytes = 2'000;
  ASSERT_TRUE(lab.start());
  lab.background->eager = false;
  bool refused = false;
  for (int i = 0; i < 1'000 && !refused; ++i) {
    const auto told =
        lab.ask(acquire("r" + std::to_string(i), "lease-1" + std::to_string(1000 + i)));
    refused = told->refused && told->refused->why == NotSubmitted::Why::overloaded;
  }
  EXPECT_TRUE(refused);
  lab.background->eager = true;
  lab.background->work();
  lab.loop->settle();
  EXPECT_NE(lab.ask(acquire("again", "lease-9999"))->reply<Granted>(), nullptr);
}

TEST(Replica, AnswersFromItsCallbacksDoNotConfuseIt) {
  Lab lab;
  ASSERT_TRUE(lab.start());
  int granted = 0;
  std::function<void(int)> next = [&](int left) {
    if (left == 0) return;
    lab.replica->submit(
        acquire("r" + std::to_string(left), "lease-1" + std::to_string(1000 + left)),
        [&, left](const ports::Answer& answer) {
          granted += std::holds_alternative<ports::Applied>(answer) ? 1 : 0;
          next(left - 1);
        });
  };
  next(50);
  lab.loop->settle();
  EXPECT_EQ(granted, 50);
}

}  // namespace
}  // namespace pawl::engine
