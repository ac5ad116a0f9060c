// SPDX-License-Identifier: Apache-2.0
// Renew, release, expiry, holds and delays, force-release.
#include "support/lab.h"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using namespace pawl::testing;

TEST(Renew, MovesTheDeadlineToNowPlusTtl) {
  Lab lab;
  lab.take(ask("a", "x"));
  lab.now += 9s;
  const Renewed renewed = reply<Renewed>(lab.renew("a"));
  EXPECT_EQ(renewed.valid_for, 10s);
  EXPECT_EQ(renewed.lease.token, FencingToken{1});
  lab.pass(9s);
  EXPECT_TRUE(lab.holds("a"));
  lab.pass(1s);
  EXPECT_FALSE(lab.holds("a"));
}

TEST(Renew, NeverShortens) {
  Lab lab;
  lab.take(ask("a", "x").ttl(60s));
  EXPECT_EQ(reply<Renewed>(lab.renew("a", 5s)).valid_for, 60s);
  EXPECT_EQ(reply<Renewed>(lab.renew("a", 90s)).valid_for, 90s);
  EXPECT_EQ(show_lease(lab.state, kSpace, id("a"))->lease.terms.ttl, 60s);
}

TEST(Renew, NeverGoesPastMaxHold) {
  Lab lab;
  lab.take(ask("a", "x").max_hold(15s));
  lab.now += 9s;
  EXPECT_EQ(reply<Renewed>(lab.renew("a")).valid_for, 6s);
  const auto ended = all<Ended>(lab.pass(6s));
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].cause, EndCause::max_hold_reached);
}

TEST(Renew, AtTheVeryDeadlineIsTooLate) {
  Lab lab;
  lab.take(ask("a", "x"));
  lab.now += 10s;
  EXPECT_EQ(reply<AlreadyEnded>(lab.renew("a")).cause, EndCause::expired);
}

TEST(Renew, ByAStrangerIsNotFoundAndByAWaiterNotHeld) {
  Lab lab;
  lab.take(ask("a", "x"));
  EXPECT_EQ(reply<Refused>(lab.renew("b")).code, RefusalCode::lease_not_found);  // P5
  lab.queue(ask("c", "x"));
  EXPECT_EQ(reply<Refused>(lab.renew("c")).code, RefusalCode::lease_not_held);
}

TEST(Release, CanBeRepeated) {
  Lab lab;
  lab.take(ask("a", "x"));
  EXPECT_EQ(reply<Ended>(lab.release("a")).cause, EndCause::released);
  EXPECT_EQ(reply<AlreadyEnded>(lab.release("a")).cause, EndCause::released);
}

TEST(Release, AfterALossTellsTheCauseAndTouchesNoLaterLease) {
  Lab lab;
  lab.take(ask("a", "x"));
  lab.pass(10s);
  lab.take(ask("b", "x"));
  EXPECT_EQ(reply<AlreadyEnded>(lab.release("a")).cause, EndCause::expired);
  EXPECT_TRUE(lab.holds("b"));
}

TEST(Release, OfAnUnknownIdRefusesItsDelayedAcquire) {
  Lab lab;
  EXPECT_EQ(reply<Refused>(lab.release("a")).code, RefusalCode::lease_not_found);
  EXPECT_EQ(reply<Refused>(lab.release("a")).code, RefusalCode::lease_not_found);
  EXPECT_EQ(reply<AlreadyEnded>(lab.acquire(ask("a", "x"))).cause, EndCause::never_acquired);
}

TEST(Release, OfAWaitingIdRemovesItAtOnce) {
  Lab lab;
  lab.take(ask("a", "x"));
  lab.queue(ask("b", "x"));
  const Ended ended = reply<Ended>(lab.release("b"));
  EXPECT_EQ(ended.cause, EndCause::released);
  EXPECT_FALSE(ended.held);
  EXPECT_TRUE(all<Granted>(lab.release("a")).empty());
}

TEST(MinHold, KeepsTheResourceClosedAfterAnEarlyRelease) {
  Lab lab;
  lab.take(ask("a", "cron").min_hold(30s));
  lab.now += 2s;
  EXPECT_EQ(reply<Ended>(lab.release("a")).closed_until, Time(30s));
  const Busy busy = reply<Busy>(lab.acquire(ask("b", "cron")));
  EXPECT_EQ(busy.reason, BusyReason::delayed);
  EXPECT_EQ(busy.retry_after, 28s);
  lab.queue(ask("c", "cron"));
  EXPECT_EQ(all<Granted>(lab.pass(28s))[0].lease.id, id("c"));
}

TEST(LockDelay, KeepsTheResourceClosedAfterALossButNotAfterARelease) {
  Lab lab;
  lab.take(ask("a", "x").lock_delay(5s));
  lab.release("a");
  lab.take(ask("b", "x").lock_delay(5s));
  EXPECT_EQ(all<Ended>(lab.pass(10s))[0].closed_until, Time(15s));
  EXPECT_EQ(reply<Busy>(lab.acquire(ask("c", "x").shared())).reason, BusyReason::delayed);
  lab.pass(5s);
  lab.take(ask("d", "x"));
}

TEST(LockDelay, OfASharedLeaseKeepsOutOnlyExclusiveRequests) {
  Lab lab;
  const Granted other = lab.take(ask("r0", "x").shared().ttl(60s));
  lab.take(ask("r1", "x").shared().lock_delay(5s));
  lab.pass(10s);
  lab.take(ask("r2", "x").shared());
  lab.release("r2");
  EXPECT_EQ(reply<Busy>(lab.upgrade("r0", other.lease.token)).reason, BusyReason::delayed);
  reply<UpgradeQueued>(lab.upgrade("r0", other.lease.token, 30s, {2, 0}));
  EXPECT_EQ(all<Upgraded>(lab.pass(5s)).size(), 1U);
}

TEST(LockDelay, OfAPermitKeepsOutOnlyItsOwnCount) {
  Lab lab;
  lab.take(ask("a", "api").permits(3, 2).lock_delay(5s));
  lab.pass(10s);
  lab.take(ask("b", "api").permits(3, 1));
  const Busy busy = reply<Busy>(lab.acquire(ask("c", "api").permits(3, 1)));
  EXPECT_EQ(busy.reason, BusyReason::delayed);
  EXPECT_EQ(busy.retry_after, 5s);
  lab.pass(5s);
  lab.take(ask("d", "api").permits(3, 2));
}

TEST(ForceRelease, NowEndsAllHoldersAndLeavesAnAuditRecord) {
  Lab lab;
  lab.take(ask_all("r1", {"x", "y"}).shared());
  lab.take(ask("r2", "x").shared());
  lab.queue(ask("w", "y"));
  const Effects effects = lab.force("x");
  const auto ended = all<Ended>(effects);
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[0].lease.id, id("r1"));
  EXPECT_EQ(ended[0].cause, EndCause::force_released);
  EXPECT_EQ(ended[0].actor, ActorId("ops"));
  EXPECT_EQ(ended[0].reason, "stuck");
  const AuditRecord record = reply<ForceReleased>(effects).record;
  EXPECT_EQ(record.id, AuditId{1});
  EXPECT_EQ(record.holder_count, 2U);
  EXPECT_EQ(record.holders[1].id, id("r2"));
  EXPECT_EQ(all<Granted>(effects)[0].lease.id, id("w"));  // it ended on all its resources
  const AlreadyEnded told = reply<AlreadyEnded>(lab.renew("r1"));
  EXPECT_EQ(told.actor, ActorId("ops"));  // P8
  EXPECT_EQ(told.reason, "stuck");
}

TEST(ForceRelease, OfANamedLeaseOrTokenOnlyIfItStillHolds) {
  Lab lab;
  const Granted a = lab.take(ask("a", "x").shared());
  lab.take(ask("b", "x").shared());
  ForceRelease force{kSpace, ResourceName("x"), ActorId("ops"), "why", id("c"), {}, ForceWhen::now,
                     0};
  EXPECT_EQ(reply<Refused>(lab.run(force)).code, RefusalCode::not_holder);
  force.only_lease = id("b");
  EXPECT_EQ(all<Ended>(lab.run(force)).size(), 1U);
  EXPECT_TRUE(lab.holds("a"));
  force.only_lease.reset();
  force.only_token = FencingToken{2};
  EXPECT_EQ(reply<Refused>(lab.run(force)).field, "fencingToken");
  force.only_token = a.lease.token;
  EXPECT_EQ(all<Ended>(lab.run(force))[0].lease.id, id("a"));
  EXPECT_EQ(reply<Refused>(lab.run(force)).code, RefusalCode::not_held);
}

TEST(ForceRelease, AtDeadlineRefusesRenewalsAndEndsWhenTheHolderKnows) {
  Lab lab;
  lab.take(ask("a", "x"));
  lab.now += 4s;
  EXPECT_TRUE(all<Ended>(lab.force("x", ForceWhen::at_deadline)).empty());
  const RenewalRefused refused = reply<RenewalRefused>(lab.renew("a"));
  EXPECT_EQ(refused.valid_for, 6s);
  EXPECT_EQ(refused.actor, ActorId("ops"));
  EXPECT_TRUE(lab.holds("a"));
  const auto ended = all<Ended>(lab.pass(6s));
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].cause, EndCause::force_released);
  EXPECT_EQ(ended[0].audit, AuditId{1});
}

TEST(ForceRelease, NeedsAnActorAndAReason) {
  Lab lab;
  lab.take(ask("a", "x"));
  ForceRelease force{kSpace, ResourceName("x"), ActorId(""), "why", {}, {}, ForceWhen::now, 0};
  EXPECT_EQ(reply<Refused>(lab.run(force)).field, "actorId");
  force.actor = ActorId("ops");
  force.reason = "";
  EXPECT_EQ(reply<Refused>(lab.run(force)).field, "reason");
  EXPECT_TRUE(lab.holds("a"));
}

TEST(ForceRelease, TheTrailIsBoundedAndKeepsTheNewest) {
  Lab lab;
  SetLimits set;
  set.limits.max_audit = 2;
  lab.run(set);
  for (int i = 0; i < 3; ++i) {
    lab.take(ask("a" + std::to_string(i), "x"));
    lab.force("x");
  }
  ASSERT_EQ(lab.state.audit.size(), 2U);
  EXPECT_EQ(lab.state.audit.back().id, AuditId{3});
  EXPECT_EQ(reply<AlreadyEnded>(lab.renew("a0")).actor, ActorId(""));  // its record is gone
  EXPECT_EQ(reply<AlreadyEnded>(lab.renew("a0")).cause, EndCause::force_released);
}

}  // namespace
}  // namespace pawl::core
