// SPDX-License-Identifier: Apache-2.0
// Waiters are state: cancel, detach, takeover, and the order inside a step.
#include "support/lab.h"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using namespace pawl::testing;

TEST(CancelWait, TimeoutRemovesAWaiter) {
  Lab lab;
  lab.take(ask("a", "x"));
  lab.queue(ask("b", "x"));
  EXPECT_EQ(reply<Ended>(lab.cancel("b", CancelReason::timeout)).cause, EndCause::timed_out);
  EXPECT_EQ(reply<AlreadyEnded>(lab.acquire(ask("b", "x").waiting())).cause, EndCause::timed_out);
}

TEST(CancelWait, TimeoutLeavesAGrantAloneWhichIsTheAnswer) {
  Lab lab;
  lab.take(ask("a", "x"));
  lab.queue(ask("b", "x"));
  lab.release("a");
  EXPECT_TRUE(reply<Granted>(lab.cancel("b", CancelReason::timeout)).repeated);
  EXPECT_TRUE(lab.holds("b"));
}

TEST(CancelWait, ActsOnTheCurrentAttemptOnly) {
  Lab lab;
  lab.take(ask("a", "x"));
  lab.queue(ask("b", "x").attempt(1, 7));
  lab.queue(ask("b", "x").attempt(1, 8));  // re-sent through another door
  EXPECT_EQ(reply<Refused>(lab.cancel("b", CancelReason::gone, {1, 7})).code,
            RefusalCode::superseded);
  EXPECT_EQ(reply<Refused>(lab.cancel("b", CancelReason::timeout, {1, 7})).code,
            RefusalCode::superseded);
  EXPECT_TRUE(lab.waits("b"));
}

TEST(Detached, AWaiterHoldsBackForOneSecondThenIsPassedOverThenEnds) {
  Lab lab;
  lab.take(ask("a", "x"));
  lab.queue(ask("b", "x"));
  lab.queue(ask("c", "x"));
  reply<Detached>(lab.cancel("b", CancelReason::gone));
  EXPECT_TRUE(all<Granted>(lab.release("a")).empty());  // b's turn, but nobody is there
  const auto granted = all<Granted>(lab.pass(1s));
  ASSERT_EQ(granted.size(), 1U);
  EXPECT_EQ(granted[0].lease.id, id("c"));
  EXPECT_TRUE(lab.waits("b"));
  const auto ended = all<Ended>(lab.pass(4s));
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].lease.id, id("b"));
  EXPECT_EQ(ended[0].cause, EndCause::abandoned);
}

TEST(Detached, AWaiterThatComesBackHasItsOldPlace) {
  Lab lab;
  lab.take(ask("a", "x"));
  lab.queue(ask("b", "x"));
  lab.queue(ask("c", "x"));
  lab.cancel("b", CancelReason::gone);
  lab.pass(3s);  // passed over, not ended
  lab.queue(ask("b", "x").attempt(2));
  EXPECT_EQ(all<Granted>(lab.release("a"))[0].lease.id, id("b"));
}

TEST(Detached, AWaiterThatComesBackToAFreeResourceIsGrantedInThatStep) {
  Lab lab;
  lab.take(ask("a", "x"));
  lab.queue(ask("b", "x"));
  lab.cancel("b", CancelReason::gone);
  lab.release("a");
  const Effects effects = lab.acquire(ask("b", "x").waiting().attempt(2, 3));
  reply<Queued>(effects);
  ASSERT_EQ(all<Granted>(effects).size(), 1U);
  EXPECT_EQ(all<Granted>(effects)[0].ticket, (Ticket{2, 3}));
}

TEST(Detached, AGrantThatNobodyTookUpEndsAfterFiveSeconds) {
  Lab lab;
  lab.take(ask("a", "x").ttl(60s));
  reply<Detached>(lab.cancel("a", CancelReason::gone));
  EXPECT_TRUE(all<Ended>(lab.pass(4999ms)).empty());
  EXPECT_EQ(all<Ended>(lab.pass(1ms))[0].cause, EndCause::abandoned);
}

TEST(Detached, AGrantThatIsRenewedOrAskedForAgainStays) {
  Lab lab;
  lab.take(ask("a", "x").ttl(60s));
  lab.cancel("a", CancelReason::gone);
  lab.renew("a");
  EXPECT_TRUE(all<Ended>(lab.pass(6s)).empty());
  reply<Present>(lab.cancel("a", CancelReason::gone));  // confirmed: it runs its time
  EXPECT_TRUE(all<Ended>(lab.pass(6s)).empty());
  lab.take(ask("b", "y").ttl(60s));
  lab.cancel("b", CancelReason::gone);
  lab.take(ask("b", "y").ttl(60s).attempt(2));
  EXPECT_TRUE(all<Ended>(lab.pass(6s)).empty());
}

TEST(Detached, AGrantIsNeverSaidToBeValidForLongerThanItMayLast) {
  Lab lab;
  lab.take(ask("a", "x").ttl(60s).attempt(2));
  lab.cancel("a", CancelReason::gone, {2, 0});
  lab.now += 1s;
  const Granted old = reply<Granted>(lab.acquire(ask("a", "x").ttl(60s).attempt(1)));
  EXPECT_EQ(old.valid_for, 4s);  // P4: a lower attempt does not take it up
}

TEST(Detached, AGrantThatWasAnsweredTwiceIsNotGivenUpBecauseOneAnswerWasLost) {
  Lab lab;
  lab.take(ask("a", "x").ttl(60s).attempt(1, 7));  // this answer was heard
  lab.take(ask("a", "x").ttl(60s).attempt(1, 8));  // the same request through another door
  reply<Present>(lab.cancel("a", CancelReason::gone, {1, 8}));
  EXPECT_TRUE(all<Ended>(lab.pass(6s)).empty());  // P1, P4
}

TEST(Detached, AGrantWhoseHolderActsOnItIsTakenUp) {
  Lab lab;
  const Granted held = lab.take(ask("a", "x").shared().ttl(60s));
  lab.cancel("a", CancelReason::gone);
  EXPECT_EQ(reply<Upgraded>(lab.upgrade("a", held.lease.token)).valid_for, 60s);
  EXPECT_TRUE(all<Ended>(lab.pass(6s)).empty());
  lab.take(ask("b", "y").ttl(60s));
  lab.force("y", ForceWhen::at_deadline);
  lab.cancel("b", CancelReason::gone);
  EXPECT_EQ(reply<RenewalRefused>(lab.renew("b")).valid_for, 60s);
  EXPECT_TRUE(all<Ended>(lab.pass(6s)).empty());
}

TEST(Takeover, DetachesAllWaitersAndNoHolder) {
  Lab lab;
  lab.take(ask("a", "x").ttl(60s));
  lab.queue(ask("b", "x"));
  lab.queue(ask("c", "x"));
  const Granted r = lab.take(ask("r", "y").shared().ttl(60s));
  lab.take(ask("s", "y").shared().ttl(60s));
  reply<UpgradeQueued>(lab.upgrade("r", r.lease.token, 60s));
  EXPECT_EQ(reply<TakenOver>(lab.run(Takeover{})).detached, 3U);
  lab.pass(500ms);
  lab.queue(ask("c", "x").attempt(2));
  const Effects effects = lab.pass(4500ms);
  ASSERT_EQ(all<Ended>(effects).size(), 1U);
  EXPECT_EQ(all<Ended>(effects)[0].lease.id, id("b"));
  EXPECT_EQ(all<UpgradeWithdrawn>(effects)[0].cause, EndCause::abandoned);
  EXPECT_TRUE(lab.holds("a"));
  EXPECT_TRUE(lab.waits("c"));
  EXPECT_TRUE(lab.holds("r"));
}

TEST(Step, EndsAllThatIsDueInOrderBeforeAnythingIsGranted) {
  Lab lab;
  lab.take(ask("late", "x").ttl(9s));
  lab.take(ask("early", "y").ttl(5s));
  lab.queue(ask_all("w", {"x", "y"}));
  const Effects effects = lab.pass(20s);
  ASSERT_EQ(effects.all.size(), 4U);
  EXPECT_EQ(std::get<Ended>(effects.all[0]).lease.id, id("early"));
  EXPECT_EQ(std::get<Ended>(effects.all[1]).lease.id, id("late"));
  EXPECT_TRUE(std::holds_alternative<Advanced>(effects.all[2]));
  EXPECT_EQ(std::get<Granted>(effects.all[3]).lease.granted_at,
            Time(20s));  // dated now, never back
}

TEST(Step, EqualDeadlinesEndInOrderOfArrival) {
  Lab lab;
  lab.take(ask("b", "x"));
  lab.take(ask("a", "y"));
  const auto ended = all<Ended>(lab.pass(10s));
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[0].lease.id, id("b"));
}

TEST(Step, TimeNeverGoesBack) {
  Lab lab;
  lab.now = Time(10s);
  lab.take(ask("a", "x"));
  lab.now = Time(5s);
  EXPECT_EQ(lab.run(Advance{}).now, Time(10s));
  EXPECT_EQ(reply<Renewed>(lab.renew("a")).lease.deadline, Time(20s));
}

TEST(Step, AnAcquireDoesNotOvertakeAQueueThatIsServedInTheSameStep) {
  Lab lab;
  lab.take(ask("a", "x"));
  lab.queue(ask("b", "x"));
  lab.now += 10s;  // a expires in the step of c's request
  const Effects effects = lab.acquire(ask("c", "x"));
  reply<Busy>(effects);
  EXPECT_EQ(all<Granted>(effects)[0].lease.id, id("b"));
}

TEST(Step, AReleaseAnExpiryAndTheNextGrantAreOneStep) {
  Lab lab;
  lab.take(ask("a", "x").ttl(60s));
  lab.take(ask("b", "y"));
  lab.queue(ask_all("w", {"x", "y"}));
  lab.now += 10s;
  const Effects effects = lab.release("a");
  EXPECT_EQ(all<Ended>(effects).size(), 2U);
  EXPECT_EQ(all<Granted>(effects).size(), 1U);
}

TEST(Ends, AreForgottenAfterTheRetentionAndNotBefore) {
  Lab lab;
  lab.take(ask("a", "x"));
  lab.release("a");
  lab.pass(60s - 1us);
  reply<AlreadyEnded>(lab.renew("a"));
  lab.pass(1us);
  EXPECT_EQ(reply<Refused>(lab.renew("a")).code, RefusalCode::lease_not_found);
  EXPECT_EQ(lab.state.ends.used(), 0U);
}

TEST(Ends, OldOnesAreRemovedAFewAStepButUnseenAtOnce) {
  Lab lab;
  for (int i = 0; i < 600; ++i) {
    lab.take(ask(std::to_string(i), "x"));
    lab.release(std::to_string(i));
  }
  lab.pass(60s);
  EXPECT_EQ(lab.state.ends.used(), 600 - kForgetPerStep);
  EXPECT_EQ(reply<Refused>(lab.renew("599")).code, RefusalCode::lease_not_found);
  lab.pass(0s);
  EXPECT_EQ(lab.state.ends.used(), 0U);
}

TEST(Ends, ALongerRetentionDoesNotMakeForgottenIdsFreshAgain) {
  Lab lab;
  lab.pass(100s);
  SetLimits set;
  set.limits.retention = 1000s;
  lab.run(set);
  Ask old = ask("a", "x");
  old.id =
      LeaseId("p1_9c40_" + std::string(32, '0'));  // made at 40 s, when ends were kept for 60 s
  EXPECT_EQ(reply<Refused>(lab.acquire(old)).code, RefusalCode::lease_id_stale);
}

TEST(SetLimits, LoweredDoNotKeepARepeatFromItsAnswer) {
  Lab lab;
  lab.take(ask("a", "x").ttl(60s));
  lab.queue(ask("b", "x").ttl(60s));
  SetLimits set;
  set.limits.max_ttl = 20s;
  lab.run(set);
  EXPECT_TRUE(lab.take(ask("a", "x").ttl(60s)).repeated);  // P6
  EXPECT_TRUE(lab.queue(ask("b", "x").ttl(60s).attempt(2)).repeated);
  EXPECT_EQ(reply<Refused>(lab.acquire(ask("c", "x").ttl(60s))).field, "ttlSeconds");
  lab.release("a");
  reply<AlreadyEnded>(lab.acquire(ask("a", "x").ttl(60s)));
}

TEST(SetLimits, RefusesWhatCannotBeAndRuleVersionsItDoesNotKnow) {
  Lab lab;
  SetLimits set;
  set.limits.max_leases = 0;
  EXPECT_EQ(reply<Refused>(lab.run(set)).field, "maxLeases");
  set = {};
  set.rule_version = kRuleVersion + 1;
  EXPECT_EQ(reply<Refused>(lab.run(set)).code, RefusalCode::rule_version_unsupported);
  set = {};
  set.limits.max_ttl = 20s;
  reply<LimitsSet>(lab.run(set));
  EXPECT_EQ(reply<Refused>(lab.acquire(ask("a", "x").ttl(21s))).field, "ttlSeconds");
}

}  // namespace
}  // namespace pawl::core
