// SPDX-License-Identifier: Apache-2.0
// I7 to I10, the record itself, and the checker's speed.
#include <thread>

#include "history/history_builder.h"

namespace pawl::testing {
namespace {

TEST(Register, AcceptsAnOlderToken) {
  Build b;
  b.write(5, 0, 1, 0, 10);
  b.write(6, 1, 2, 20, 30);
  b.write(6, 2, 3, 40, 50);
  EXPECT_EQ(b.found(), "");
  b.write(5, 3, 4, 60, 70);
  EXPECT_EQ(b.found(), "I7");
}

TEST(Register, WritesAtTheSameTimeHaveTheOrderThatTheRegisterSays) {
  Build b;
  b.write(6, 1, 2, 0, 100);
  b.write(5, 0, 1, 0, 100);
  EXPECT_EQ(b.found(), "");
  b.history.at(0).order = 1;
  b.history.at(1).order = 2;
  EXPECT_EQ(b.found(), "I7");
  b.history.at(0).order = 2;
  b.history.at(1).order = 1;
  EXPECT_EQ(b.found(), "");
}

TEST(Register, LosesAnUpdate) {
  Build b;
  b.write(5, 0, 1, 0, 10);
  b.write(6, 0, 2, 20, 30);
  EXPECT_EQ(b.found(), "I7");
  EXPECT_EQ(lost_updates(b.history, OpKind::fenced_write), 1U);
  b.history.at(0).order = 1;
  b.history.at(1).order = 2;
  EXPECT_EQ(b.found(), "I7");
}

TEST(Register, RejectedAndUnknownWritesAreNoUpdates) {
  Build b;
  b.write(6, 0, 1, 0, 10);
  b.write(5, 0, 2, 20, 30).outcome = Outcome::fail;
  lose(b.write(5, 0, 3, 20, 30));
  EXPECT_EQ(b.found(), "");
}

TEST(Register, UnknownWriteExplainsWhatWasComputedFromIt) {
  Build b;
  b.write(5, 0, 1, 0, 10).order = 1;
  lose(b.write(5, 1, 2, 20, 30));
  b.write(6, 2, 3, 40, 50).order = 3;
  EXPECT_EQ(b.found(), "");
}

TEST(Register, WithoutFencingIsCountedAndNotAViolation) {
  Build b;
  b.write(6, 0, 1, 0, 10).kind = OpKind::plain_write;
  b.write(5, 0, 2, 20, 30).kind = OpKind::plain_write;
  EXPECT_EQ(b.found(), "");
  EXPECT_EQ(lost_updates(b.history, OpKind::plain_write), 1U);
}

CheckerOptions healed(int at, int ended) {
  CheckerOptions options;
  options.healed = ms(at);
  options.ended = ms(ended);
  options.answer_bound = ms(500);
  return options;
}

TEST(Waits, AreAnsweredWithinTheBoundAfterTheFaultsHeal) {
  Build b;
  b.acquire("a", 1, 0, 2'499).wait = ms(1'000);
  EXPECT_EQ(b.found(healed(1'000, 9'000)), "");
  b.history.at(0).returned = ms(2'501);
  EXPECT_EQ(b.found(healed(1'000, 9'000)), "I8");
  EXPECT_EQ(b.found(healed(5'000, 9'000)), "");  // answered before
  EXPECT_EQ(b.found(), "");
}

TEST(Waits, WithoutAnAnswer) {
  Build b;
  lose(b.acquire("a", 1, 0, 0));
  b.history.at(0).wait = ms(1'000);
  EXPECT_EQ(b.found(healed(1'000, 9'000)), "I8");
  EXPECT_EQ(b.found(healed(1'000, 2'000)), "");  // the run ended too soon to tell
  b.history.at(0).listening = false;
  EXPECT_EQ(b.found(healed(1'000, 9'000)), "");
}

TEST(Waits, AreServedInOrderOfArrival) {
  Build b;
  b.acquire("a", 1, 0, 10);
  b.release("a", 100, 110);
  Operation& first = b.acquire("b", 3, 20, 200);
  first.waited = true;
  first.queued_by = ms(30);
  b.acquire("c", 2, 25, 150).waited = true;  // called before b was known to be queued
  b.release("c", 160, 170);
  EXPECT_EQ(b.found(healed(0, 9'000)), "");
  b.history.at(3).called = ms(31);
  EXPECT_EQ(b.found(healed(0, 9'000)), "I8");
  EXPECT_EQ(b.found(healed(25, 9'000)), "");  // b asked while there were faults
}

TEST(Waits, ANewRequestOvertakesTheQueue) {
  Build b;
  Operation& first = b.shared("a", 3, 0, 200);
  first.waited = true;
  first.queued_by = ms(10);
  b.shared("b", 2, 20, 30);
  EXPECT_EQ(b.found(healed(0, 9'000)), "I8");
  b.history.at(1).resources = {core::ResourceName("other")};
  EXPECT_EQ(b.found(healed(0, 9'000)), "");
}

TEST(States, AreTheSameAtTheSameIndex) {
  EXPECT_TRUE(check_same_states({{1, 1, 1, 7}, {2, 1, 1, 7}, {1, 2, 1, 8}, {3, 2, 1, 8}}).empty());
  const auto state = check_same_states({{1, 1, 1, 7}, {2, 2, 1, 7}, {3, 1, 1, 9}});
  ASSERT_EQ(state.size(), 1U);
  EXPECT_EQ(state.front().invariant, Invariant::I9);
  EXPECT_EQ(check_same_states({{1, 1, 1, 7}, {2, 1, 2, 7}}).size(), 1U);
}

using Kind = StateEvent::Kind;

TEST(Lengths, ExpiryBeforeTheLastRenewalPlusTtl) {
  Build b;
  b.event(Kind::granted, "a", 0, 1'000);
  b.event(Kind::renewed, "a", 500, 1'000);
  b.event(Kind::expired, "a", 1'500);
  EXPECT_EQ(b.found(), "");
  b.event(Kind::granted, "b", 0, 1'000);
  b.event(Kind::renewed, "b", 500, 1'000);
  b.event(Kind::expired, "b", 1'499);
  EXPECT_EQ(b.found(), "I10");
}

TEST(Lengths, ShorterRenewalDoesNotShorten) {
  Build b;
  b.event(Kind::granted, "a", 0, 1'000);
  b.event(Kind::renewed, "a", 100, 100);
  b.event(Kind::expired, "a", 999);
  EXPECT_EQ(b.found(), "I10");
}

TEST(Lengths, MaxHoldMayEndALeaseAndOnlyThen) {
  Build b;
  b.event(Kind::granted, "a", 0, 1'000, 1'200);
  b.event(Kind::renewed, "a", 1'000, 1'000);
  b.event(Kind::max_hold_over, "a", 1'200);
  b.event(Kind::granted, "b", 0, 1'000, 1'200);
  b.event(Kind::renewed, "b", 1'000, 1'000);
  b.event(Kind::doomed_over, "b", 1'200);
  EXPECT_EQ(b.found(), "");
  b.event(Kind::granted, "c", 0, 1'000, 1'200);
  b.event(Kind::max_hold_over, "c", 1'199);
  EXPECT_EQ(b.found(), "I10");
}

TEST(Lengths, OnlyAGrantThatNobodyTookUpIsAbandoned) {
  Build b;
  b.event(Kind::granted, "a", 0, 60'000);
  b.event(Kind::detached, "a", 100);
  b.event(Kind::detached, "a", 200);
  b.event(Kind::abandoned, "a", 5'100);
  EXPECT_EQ(b.found(), "");
  for (const Kind kind : {Kind::renewed, Kind::attached}) {
    Build taken;
    taken.event(Kind::granted, "a", 0, 60'000);
    taken.event(Kind::detached, "a", 100);
    taken.event(kind, "a", 200, 60'000);
    taken.event(Kind::abandoned, "a", 5'100);
    EXPECT_EQ(taken.found(), "I10");
  }
  Build early;
  early.event(Kind::granted, "a", 0, 60'000);
  early.event(Kind::detached, "a", 100);
  early.event(Kind::abandoned, "a", 5'099);
  EXPECT_EQ(early.found(), "I10");
}

TEST(Lengths, AnIdHasOneLife) {
  Build twice;
  twice.event(Kind::granted, "a", 0, 1'000);
  twice.event(Kind::granted, "a", 10, 1'000);
  EXPECT_EQ(twice.found(), "I1");
  Build after;  // a late duplicate of its acquire
  after.event(Kind::granted, "a", 0, 1'000);
  after.event(Kind::other_end, "a", 10);
  after.event(Kind::granted, "a", 60'009, 1'000);
  EXPECT_EQ(after.found(), "I6");
  Build never;  // one that was refused before
  never.event(Kind::other_end, "a", 10);
  never.event(Kind::granted, "a", 20, 1'000);
  EXPECT_EQ(never.found(), "I6");
}

TEST(Lengths, AForgottenIdMayLiveAgainUnlessItCarriesItsTime) {
  for (const auto& [id, found] : {std::pair{"plain", ""}, {"p1_0_00", "I6"}}) {
    Build b;
    b.event(Kind::granted, id, 0, 1'000);
    b.event(Kind::expired, id, 1'000);
    b.event(Kind::granted, id, 61'000, 1'000);
    EXPECT_EQ(b.found(), found);
  }
}

TEST(Lengths, ReleaseMayComeAtAnyTime) {
  Build b;
  b.event(Kind::granted, "a", 0, 1'000);
  b.event(Kind::other_end, "a", 1);
  EXPECT_EQ(b.found(), "");
}

TEST(Record, DigestTellsHistoriesApart) {
  Build a;
  a.acquire("a", 1, 0, 10);
  Build b;
  b.acquire("a", 1, 0, 10);
  EXPECT_EQ(a.history.digest(), b.history.digest());
  b.history.at(0).waited = true;
  EXPECT_NE(a.history.digest(), b.history.digest());
}

TEST(Record, SharedByThreads) {
  SharedHistory shared;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (std::uint32_t client = 0; client < 4; ++client) {
    threads.emplace_back([&shared, client] {
      for (int i = 0; i < 250; ++i) {
        Operation op;
        op.kind = OpKind::release;
        op.client = client;
        const std::size_t index = shared.call(op);
        shared.answer(index, [](Operation& answered) { answered.outcome = Outcome::ok; });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const History history = shared.take();
  EXPECT_EQ(history.operations.size(), 1'000U);
  for (const Operation& op : history.operations) EXPECT_EQ(op.outcome, Outcome::ok);
  EXPECT_TRUE(shared.take().operations.empty());
}

TEST(Record, LineIsReadable) {
  Build b;
  const std::string line = to_line(b.acquire("lease-a", 17, 3'120, 3'140));
  EXPECT_NE(line.find("3.120000s"), std::string::npos) << line;
  EXPECT_NE(line.find("acquire exclusive stock [lease-a] -> ok token 17"), std::string::npos)
      << line;
}

// A hundred thousand operations, many on one resource and many on one lease.
TEST(Checker, IsFast) {
  Build b;
  int now = 0;
  std::uint64_t token = 0;
  for (int i = 0; i < 20'000; ++i, now += 10) {
    const std::string id = "lease-" + std::to_string(i);
    b.acquire(id, ++token, now, now + 1);
    b.renew(id, token, now + 2, now + 3);
    b.release(id, now + 4, now + 5);
    b.permit("permit-" + id, ++token, 1, now + 6, now + 7).resources = {core::ResourceName("p")};
    b.release("permit-" + id, now + 8, now + 9);
  }
  std::uint64_t last = ++token;
  b.shared("long", last, now, now + 1);
  for (int i = 0; i < 10'000; ++i, now += 10) {
    b.upgrade("long", last, token + 1, now + 2, now + 3);
    last = ++token;
    b.downgrade("long", last, now + 4, now + 5);
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(b.found(), "");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));  // 0.3 s unhurried
}

}  // namespace
}  // namespace pawl::testing
