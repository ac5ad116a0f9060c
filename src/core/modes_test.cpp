// SPDX-License-Identifier: Apache-2.0
// Shared, permit, upgrade and downgrade.
#include "support/lab.h"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using namespace pawl::testing;

TEST(Shared, ManyReadersOrOneWriter) {
  Lab lab;
  lab.take(ask("r1", "db").shared());
  lab.take(ask("r2", "db").shared());
  reply<Busy>(lab.acquire(ask("w", "db")));
  lab.release("r1");
  lab.release("r2");
  lab.take(ask("w2", "db"));
  reply<Busy>(lab.acquire(ask("r3", "db").shared()));
}

TEST(Shared, ANewReaderDoesNotOvertakeAWaitingWriter) {
  Lab lab;
  lab.take(ask("r1", "db").shared());
  lab.queue(ask("w", "db"));
  reply<Busy>(lab.acquire(ask("r2", "db").shared()));
  lab.queue(ask("r3", "db").shared());
  lab.queue(ask("r4", "db").shared());
  EXPECT_EQ(all<Granted>(lab.release("r1"))[0].lease.id, id("w"));
  EXPECT_EQ(all<Granted>(lab.release("w")).size(), 2U);  // one release admits both readers
}

TEST(Permit, NeverMoreThanTheLimit) {
  Lab lab;
  lab.take(ask("a", "api").permits(3, 2));
  lab.take(ask("b", "api").permits(3, 1));
  reply<Busy>(lab.acquire(ask("c", "api").permits(3, 1)));
  lab.release("a");
  lab.take(ask("d", "api").permits(3, 2));
}

TEST(Permit, WaitersAreServedInOrderEvenIfALaterOneWouldFit) {
  Lab lab;
  lab.take(ask("a", "api").permits(3, 2));
  lab.queue(ask("big", "api").permits(3, 3));
  lab.queue(ask("small", "api").permits(3, 1));
  EXPECT_TRUE(lab.waits("small"));
  EXPECT_EQ(all<Granted>(lab.release("a"))[0].lease.id, id("big"));
}

TEST(Permit, TheLimitStandsWhileItIsInUse) {
  Lab lab;
  lab.take(ask("a", "api").permits(3, 1));
  EXPECT_EQ(reply<Refused>(lab.acquire(ask("b", "api").permits(4, 1))).code,
            RefusalCode::permit_limit_mismatch);
  EXPECT_EQ(reply<Refused>(lab.acquire(ask("c", "api"))).code, RefusalCode::mode_mismatch);
  EXPECT_EQ(reply<Refused>(lab.acquire(ask("d", "api").shared())).code, RefusalCode::mode_mismatch);
  lab.release("a");
  lab.take(ask("e", "api").permits(4, 4));
  lab.take(ask("f", "db"));
  EXPECT_EQ(reply<Refused>(lab.acquire(ask("g", "db").permits(2, 1))).code,
            RefusalCode::mode_mismatch);
  EXPECT_EQ(reply<AlreadyEnded>(lab.acquire(ask("g", "db").permits(2, 1))).cause,
            EndCause::refused);
}

TEST(Upgrade, AloneIsGrantedAtOnceWithANewToken) {
  Lab lab;
  const Granted held = lab.take(ask_all("a", {"x", "y"}).shared());
  lab.now += 1s;
  const Upgraded up = reply<Upgraded>(lab.upgrade("a", held.lease.token));
  EXPECT_GT(up.lease.token, held.lease.token);
  EXPECT_EQ(up.old_token, held.lease.token);
  EXPECT_EQ(up.lease.mode, Mode::exclusive);
  EXPECT_EQ(up.valid_for, 9s);  // not extended
  reply<Busy>(lab.acquire(ask("r", "x").shared()));
}

TEST(Upgrade, WithAnotherTokenTellsThePresentModeAndTokenAndChangesNothing) {
  Lab lab;
  const Granted held = lab.take(ask("a", "x").shared());
  const Present wrong = reply<Present>(lab.upgrade("a", FencingToken{99}));
  EXPECT_EQ(wrong.lease.mode, Mode::shared);
  const Upgraded up = reply<Upgraded>(lab.upgrade("a", held.lease.token));
  const Present again =
      reply<Present>(lab.upgrade("a", held.lease.token));  // P6: after a lost reply
  EXPECT_EQ(again.lease.token, up.lease.token);
  EXPECT_EQ(again.lease.mode, Mode::exclusive);
  lab.downgrade("a", up.lease.token);
  reply<Present>(lab.upgrade("a", held.lease.token));  // a late duplicate
  EXPECT_EQ(show_lease(lab.state, kSpace, id("a"))->lease.mode, Mode::shared);
}

TEST(Upgrade, WaitsAheadOfTheQueueWithNoNewHolderJoining) {
  Lab lab;
  const Granted a = lab.take(ask("a", "x").shared());
  lab.take(ask("b", "x").shared());
  lab.queue(ask("w", "x"));
  reply<UpgradeQueued>(lab.upgrade("a", a.lease.token, 30s, {1, 5}));
  reply<Busy>(lab.acquire(ask("c", "x").shared()));
  lab.now += 2s;
  const Effects effects = lab.release("b");
  const auto up = all<Upgraded>(effects);
  ASSERT_EQ(up.size(), 1U);
  EXPECT_TRUE(up[0].after_wait);
  EXPECT_EQ(up[0].waited, 2s);
  EXPECT_EQ(up[0].ticket, (Ticket{1, 5}));
  EXPECT_TRUE(all<Granted>(effects).empty());
  EXPECT_EQ(all<Granted>(lab.release("a"))[0].lease.id, id("w"));
}

TEST(Upgrade, WhenAnotherWaitsIsAConflictAtOnce) {
  Lab lab;
  const Granted a = lab.take(ask_all("a", {"x", "y"}).shared());
  const Granted b = lab.take(ask_all("b", {"y", "z"}).shared());
  reply<UpgradeQueued>(lab.upgrade("a", a.lease.token, 30s));
  EXPECT_EQ(reply<Refused>(lab.upgrade("b", b.lease.token, 30s)).code,
            RefusalCode::upgrade_conflict);
  EXPECT_TRUE(lab.holds("b"));
}

TEST(Upgrade, WhoseLeaseEndsAnswersThatCause) {
  Lab lab;
  const Granted a = lab.take(ask("a", "x").shared());
  lab.take(ask("b", "x").shared().ttl(60s));
  reply<UpgradeQueued>(lab.upgrade("a", a.lease.token, 30s, {1, 5}));
  const auto ended = all<Ended>(lab.pass(10s));
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].cause, EndCause::expired);
  EXPECT_EQ(ended[0].waiting_upgrade, (Ticket{1, 5}));
}

TEST(Upgrade, WithoutAWaitIsBusyAndStaysShared) {
  Lab lab;
  const Granted a = lab.take(ask("a", "x").shared());
  lab.take(ask("b", "x").shared());
  const Busy busy = reply<Busy>(lab.upgrade("a", a.lease.token));
  ASSERT_EQ(busy.holders.size(), 1U);
  EXPECT_EQ(busy.holders[0].id, id("b"));
  EXPECT_EQ(busy.kind, WaitKind::upgrade);
  lab.take(ask("c", "x").shared());  // nobody waits, so others may join
}

TEST(Upgrade, ThatWasAnsweredIsNotTriedAgainByALateDuplicate) {
  Lab lab;
  const Granted a = lab.take(ask("a", "x").shared());
  lab.take(ask("b", "x").shared());
  reply<Busy>(lab.upgrade("a", a.lease.token));
  lab.release("b");
  EXPECT_EQ(reply<Refused>(lab.upgrade("a", a.lease.token)).code, RefusalCode::superseded);  // P6
  reply<Upgraded>(lab.upgrade("a", a.lease.token, 0s, {2, 0}));
}

TEST(Upgrade, OfAnExclusiveLeaseVoidsADowngradeThatIsStillOnItsWay) {
  Lab lab;
  const Granted held = lab.take(ask("a", "x"));
  const Upgraded up = reply<Upgraded>(lab.upgrade("a", held.lease.token));
  EXPECT_GT(up.lease.token, held.lease.token);
  EXPECT_EQ(reply<Present>(lab.upgrade("a", held.lease.token)).lease.token, up.lease.token);
  EXPECT_EQ(reply<Present>(lab.downgrade("a", held.lease.token)).lease.mode, Mode::exclusive);
}

TEST(Upgrade, CanBeWithdrawnAndTheLeaseGoesOn) {
  Lab lab;
  const Granted a = lab.take(ask("a", "x").shared());
  lab.take(ask("b", "x").shared());
  reply<UpgradeQueued>(lab.upgrade("a", a.lease.token, 30s, {1, 5}));
  lab.queue(ask("c", "x").shared());
  EXPECT_EQ(reply<Refused>(lab.cancel("a", CancelReason::timeout, {1, 6}, WaitKind::upgrade)).code,
            RefusalCode::superseded);
  const Effects effects = lab.cancel("a", CancelReason::timeout, {1, 5}, WaitKind::upgrade);
  EXPECT_EQ(reply<UpgradeWithdrawn>(effects).cause, EndCause::timed_out);
  EXPECT_EQ(all<Granted>(effects)[0].lease.id, id("c"));  // the queue moves again
  EXPECT_TRUE(lab.holds("a"));
}

TEST(Upgrade, OfAPermitIsRefused) {
  Lab lab;
  const Granted a = lab.take(ask("a", "x").permits(2, 1));
  EXPECT_EQ(reply<Refused>(lab.upgrade("a", a.lease.token)).code, RefusalCode::mode_mismatch);
  EXPECT_EQ(reply<Refused>(lab.downgrade("a", a.lease.token)).code, RefusalCode::mode_mismatch);
}

TEST(Downgrade, KeepsTheTokenAndLetsWaitersIn) {
  Lab lab;
  const Granted a = lab.take(ask("a", "x"));
  lab.queue(ask("r", "x").shared());
  const Effects effects = lab.downgrade("a", a.lease.token);
  EXPECT_EQ(reply<Downgraded>(effects).lease.token, a.lease.token);
  EXPECT_EQ(all<Granted>(effects)[0].lease.id, id("r"));
  reply<Present>(lab.downgrade("a", a.lease.token));
  reply<Present>(lab.downgrade("a", FencingToken{77}));
}

}  // namespace
}  // namespace pawl::core
