// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "support/lab.h"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using namespace pawl::testing;

TEST(Acquire, OfAFreeResourceIsGrantedWithAToken) {
  Lab lab;
  lab.now = Time(1s);
  const Granted granted = lab.take(ask("a", "db"));
  EXPECT_EQ(granted.lease.token, FencingToken{1});
  EXPECT_EQ(granted.valid_for, 10s);
  EXPECT_EQ(granted.lease.deadline, Time(11s));
  EXPECT_EQ(granted.lease.terms.owner, OwnerId("owner-a"));
  EXPECT_FALSE(granted.repeated);
  EXPECT_FALSE(granted.after_wait);
}

// Ids and owners stand in one text.
TEST(Acquire, WithTheLongestIdAndOwnerKeepsThemApart) {
  Lab lab;
  Ask longest = ask("a", "x");
  longest.Acquire::id = LeaseId(std::string(128, 'i'));
  longest.terms.owner = OwnerId(std::string(256, 'o'));
  const Granted granted = lab.take(longest);
  EXPECT_EQ(granted.lease.id, longest.Acquire::id);
  EXPECT_EQ(granted.lease.terms.owner, longest.terms.owner);
  EXPECT_TRUE(reply<Granted>(lab.acquire(longest)).repeated);
  reply<Renewed>(lab.run(Renew{kSpace, longest.Acquire::id, {}}));
  reply<Ended>(lab.run(Release{kSpace, longest.Acquire::id}));
}

TEST(Acquire, OfAHeldResourceIsBusyAndNamesTheHolders) {
  Lab lab;
  lab.take(ask("a", "db").ttl(7s));
  lab.now += 2s;
  const Busy busy = reply<Busy>(lab.acquire(ask("b", "db")));
  ASSERT_EQ(busy.holders.size(), 1U);
  EXPECT_EQ(busy.holders[0].id, id("a"));
  EXPECT_EQ(busy.holders[0].owner, OwnerId("owner-a"));
  EXPECT_EQ(busy.holders[0].token, FencingToken{1});
  EXPECT_EQ(busy.reason, BusyReason::held);
  EXPECT_EQ(busy.retry_after, 5s);
  EXPECT_EQ(busy.resource, ResourceName("db"));
}

TEST(Acquire, BusyShowsAtMostSixteenHoldersButCountsAll) {
  Lab lab;
  for (int i = 0; i < 20; ++i) lab.take(ask("r" + std::to_string(i), "db").shared());
  const Busy busy = reply<Busy>(lab.acquire(ask("w", "db")));
  EXPECT_EQ(busy.holders.size(), kShownHolders);
  EXPECT_EQ(busy.holder_count, 20U);
}

TEST(Acquire, WithAWaitQueuesAndIsGrantedInOrderOfArrival) {
  Lab lab;
  lab.take(ask("a", "db"));
  lab.queue(ask("b", "db"));
  EXPECT_EQ(lab.queue(ask("c", "db")).waiters, 2U);
  lab.now += 1s;
  const Effects effects = lab.release("a");
  const auto granted = all<Granted>(effects);
  ASSERT_EQ(granted.size(), 1U);  // P7: one release wakes exactly those that can now hold
  EXPECT_EQ(granted[0].lease.id, id("b"));
  EXPECT_TRUE(granted[0].after_wait);
  EXPECT_EQ(granted[0].waited, 1s);
  EXPECT_EQ(granted[0].valid_for, 10s);
  EXPECT_TRUE(lab.waits("c"));
}

TEST(Acquire, TheTokenIsTakenAtTheGrantNotAtTheAsking) {
  Lab lab;
  lab.take(ask("a", "db"));
  lab.queue(ask("b", "db"));
  EXPECT_EQ(lab.take(ask("c", "other")).lease.token, FencingToken{2});
  EXPECT_EQ(all<Granted>(lab.release("a"))[0].lease.token, FencingToken{3});  // P2
}

TEST(Acquire, AgainWhileLiveGivesTheSameGrantAndNoExtension) {
  Lab lab;
  lab.take(ask("a", "db"));
  lab.now += 4s;
  const Granted again = lab.take(ask("a", "db").attempt(2));
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.lease.token, FencingToken{1});
  EXPECT_EQ(again.valid_for, 6s);
  lab.pass(6s);
  EXPECT_FALSE(lab.holds("a"));
}

TEST(Acquire, AgainMayDifferInWaitAttemptAndMetadataOnly) {
  Lab lab;
  lab.take(ask("a", "db"));
  Ask again = ask("a", "db").waiting(5s).attempt(3);
  again.metadata = {{"host", "x"}};
  EXPECT_TRUE(lab.take(again).repeated);
  for (const Ask& other :
       {ask("a", "db2"), ask("a", "db").shared(), ask("a", "db").ttl(11s),
        ask("a", "db").max_hold(1s), ask("a", "db").min_hold(1s), ask("a", "db").lock_delay(1s),
        ask_all("a", {"db", "e"}), ask("a", "db").permits(2, 1)}) {
    EXPECT_EQ(reply<Refused>(lab.acquire(other)).code, RefusalCode::lease_id_conflict);
  }
  Ask stranger = ask("a", "db");
  stranger.terms.owner = OwnerId("stranger");
  EXPECT_EQ(reply<Refused>(lab.acquire(stranger)).code, RefusalCode::lease_id_conflict);
}

TEST(Acquire, AgainWhileWaitingKeepsItsPlaceAndTheNewerAttemptCounts) {
  Lab lab;
  lab.take(ask("a", "db"));
  lab.queue(ask("b", "db").attempt(1, 7));
  lab.queue(ask("c", "db"));
  const Effects effects = lab.acquire(ask("b", "db").waiting().attempt(2, 8));
  EXPECT_TRUE(reply<Queued>(effects).repeated);
  ASSERT_EQ(all<Superseded>(effects).size(), 1U);
  EXPECT_EQ(all<Superseded>(effects)[0].ticket, (Ticket{1, 7}));
  const auto granted = all<Granted>(lab.release("a"));
  ASSERT_EQ(granted.size(), 1U);
  EXPECT_EQ(granted[0].lease.id, id("b"));
  EXPECT_EQ(granted[0].ticket, (Ticket{2, 8}));
}

TEST(Acquire, ALowerAttemptNeverBecomesCurrentAndEqualOnesCountInLogOrder) {
  Lab lab;
  lab.take(ask("a", "db"));
  lab.queue(ask("b", "db").attempt(2, 1));
  EXPECT_EQ(reply<Refused>(lab.acquire(ask("b", "db").waiting().attempt(1, 9))).code,
            RefusalCode::superseded);
  lab.queue(ask("b", "db").attempt(2, 5));
  EXPECT_EQ(all<Granted>(lab.release("a"))[0].ticket, (Ticket{2, 5}));
}

TEST(Acquire, AgainWithoutAWaitGivesUpTheWait) {
  Lab lab;
  lab.take(ask("a", "db"));
  lab.queue(ask("b", "db"));
  EXPECT_EQ(reply<Ended>(lab.acquire(ask("b", "db").attempt(2))).cause, EndCause::timed_out);
  EXPECT_FALSE(lab.waits("b"));
}

TEST(Acquire, OfAnEndedIdTellsHowItEnded) {
  Lab lab;
  lab.take(ask("a", "db"));
  lab.release("a");
  EXPECT_EQ(reply<AlreadyEnded>(lab.acquire(ask("a", "db"))).cause, EndCause::released);
  lab.take(ask("b", "db"));
  lab.pass(10s);
  const AlreadyEnded ended = reply<AlreadyEnded>(lab.acquire(ask("b", "db")));
  EXPECT_EQ(ended.cause, EndCause::expired);
  EXPECT_EQ(ended.token, FencingToken{2});
}

TEST(Acquire, ThatWasBusyIsRememberedSoThatALateDuplicateDoesNotGrant) {
  Lab lab;
  lab.take(ask("a", "db"));
  reply<Busy>(lab.acquire(ask("b", "db")));
  lab.release("a");
  EXPECT_EQ(reply<AlreadyEnded>(lab.acquire(ask("b", "db"))).cause, EndCause::busy);  // P6
}

TEST(Acquire, ThatADoorSubmitsOnceLeavesNoMemoryOfARefusal) {
  Lab lab;
  lab.take(ask("a", "db"));
  Ask once = ask("b", "db");
  once.submitted_once = true;
  reply<Busy>(lab.acquire(once));
  EXPECT_EQ(lab.state.ends.used(), 0U);
}

TEST(Acquire, WithAnIdOlderThanTheRetentionIsStale) {
  Lab lab;
  const std::string random(32, 'a');
  lab.pass(100s);
  const auto try_at = [&](long ms) {
    Ask request = ask("a", "db");
    char text[64];
    std::snprintf(text, sizeof text, "p1_%lx_%s", ms, random.c_str());
    request.id = LeaseId(text);
    return lab.acquire(request);
  };
  EXPECT_EQ(reply<Refused>(try_at(40'000)).code, RefusalCode::lease_id_stale);
  reply<Granted>(try_at(40'001));
}

TEST(Acquire, OfSeveralResourcesIsAllOrNothingWithOneToken) {
  Lab lab;
  lab.take(ask("a", "y"));
  const Busy busy = reply<Busy>(lab.acquire(ask_all("b", {"x", "y", "z"})));
  EXPECT_EQ(busy.resource, ResourceName("y"));
  EXPECT_FALSE(show_resource(lab.state, kSpace, ResourceName("x"), 1).has_value());
  lab.release("a");
  const Granted granted = lab.take(ask_all("c", {"x", "y", "z"}));
  EXPECT_EQ(granted.lease.terms.resources.size(), 3U);
  for (const char* name : {"x", "y", "z"}) {
    EXPECT_TRUE(holds_token(lab.state, kSpace, ResourceName(name), granted.lease.token));
  }
  lab.release("c");
  EXPECT_TRUE(list_resources(lab.state, kSpace, "", "", 10).empty());
}

TEST(Acquire, WithAResourceTwiceIsAnError) {
  Lab lab;
  const Refused refused = reply<Refused>(lab.acquire(ask_all("a", {"x", "y", "x"})));
  EXPECT_EQ(refused.code, RefusalCode::invalid);
  EXPECT_EQ(refused.field, "resources");
  EXPECT_THAT(refused.why, ::testing::HasSubstr("'x' twice"));
}

TEST(Acquire, AWaiterBlockedElsewhereHoldsBackThoseBehindIt) {
  Lab lab;
  lab.take(ask("a", "x"));
  lab.take(ask("b", "y"));
  lab.queue(ask_all("both", {"x", "y"}));
  lab.queue(ask("behind", "y"));
  EXPECT_TRUE(all<Granted>(lab.release("b")).empty());  // y is free, but "both" stands first
  reply<Busy>(lab.acquire(ask("new", "y")));
  const auto granted = all<Granted>(lab.release("a"));
  ASSERT_EQ(granted.size(), 1U);
  EXPECT_EQ(granted[0].lease.id, id("both"));
  EXPECT_EQ(all<Granted>(lab.release("both"))[0].lease.id, id("behind"));
}

TEST(Acquire, NamespacesDoNotMeet) {
  Lab lab;
  lab.take(ask("a", "db"));
  Ask other = ask("a", "db");
  other.space = Namespace("tenant2");
  EXPECT_EQ(lab.take(other).lease.token, FencingToken{2});  // one counter for all
  lab.release("a");
  EXPECT_TRUE(show_lease(lab.state, Namespace("tenant2"), id("a")).has_value());
}

TEST(Acquire, BeyondTheLimitsIsOverloadedAndNamesTheLimit) {
  Lab lab;
  SetLimits set;
  set.limits.max_leases = 3;
  set.limits.max_waiters = 1;
  set.limits.max_records = 5;
  lab.run(set);
  lab.take(ask("a", "x"));
  lab.queue(ask("b", "x"));
  const Refused crowded = reply<Refused>(lab.acquire(ask("c", "x").waiting()));
  EXPECT_EQ(crowded.code, RefusalCode::overloaded);
  EXPECT_EQ(crowded.field, "waiters");
  lab.take(ask("d", "y"));
  EXPECT_EQ(reply<Refused>(lab.acquire(ask("e", "z"))).field, "leases");
  lab.release("d");
  lab.take(ask("f", "y"));
  lab.release("f");
  lab.take(ask("g", "y"));  // 3 leases and 2 ends: the records are full
  lab.release("g");
  const Refused full = reply<Refused>(lab.acquire(ask("h", "y")));
  EXPECT_EQ(full.code, RefusalCode::overloaded);
  EXPECT_EQ(full.field, "records");
  EXPECT_EQ(reply<Refused>(lab.release("nobody")).code, RefusalCode::overloaded);
  lab.renew("a");
  lab.pass(61s);  // the ends are forgotten, in time and not before
  lab.take(ask("i", "w"));
}

}  // namespace
}  // namespace pawl::core
