// SPDX-License-Identifier: Apache-2.0
// Calls and waits over the real core: who is told what, when, and what is logged about those who
// are gone.
#include "service/calls.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "support/lab.h"
#include "support/manual_loop.h"
#include "support/memory_store.h"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using core::EndCause;
using testing::ask;
using testing::id;
using testing::kSpace;

class Dice final : public ports::Random {
 public:
  std::uint64_t next() override { return value++ / 2; }  // every number comes twice
  std::uint64_t value = 0;
};

class CallsTest : public ::testing::Test, public ports::StoreListener {
 protected:
  CallsTest() { store.listen(this); }

  void applied(ports::LogPosition, const core::Command& command,
               const core::Effects& effects) override {
    log.push_back(command.body);
    calls.applied(effects);
  }
  void office_changed(const ports::Office& office) override {
    if (!office.in_office) calls.left_office();
  }

  CallId take(const std::string& name, core::CommandBody body) {
    return calls.take(std::move(body), [this, name](const Asked&, const Told& told) {
      ++times[name];
      if (const auto* decided = std::get_if<Decided>(&told)) answers[name] = decided->effect;
      kinds[name] = told.index();
    });
  }
  CallId release(const std::string& name) {
    return take("release " + name, core::Release{kSpace, id(name)});
  }

  template <class E>
  const E* answer(const std::string& name) {
    const auto at = answers.find(name);
    return at == answers.end() ? nullptr : std::get_if<E>(&at->second);
  }
  template <class T>
  bool told(const std::string& name) const {
    const auto at = kinds.find(name);
    return at != kinds.end() && at->second == Told(std::in_place_type<T>, make<T>()).index();
  }
  template <class T>
  static T make() {
    if constexpr (std::is_same_v<T, NotTaken>) {
      static const ports::NotSubmitted none;
      return {none};
    } else {
      return {};
    }
  }
  std::size_t logged_gone() const {
    std::size_t count = 0;
    for (const core::CommandBody& body : log) {
      const auto* cancel = std::get_if<core::CancelWait>(&body);
      if (cancel != nullptr && cancel->reason == core::CancelReason::gone) ++count;
    }
    return count;
  }

  testing::ManualLoop loop;
  testing::MemoryStore store{loop.clock};
  Dice dice;
  Calls calls{{store, loop, loop.clock, dice}};
  std::vector<core::CommandBody> log;
  std::map<std::string, core::Effect> answers;
  std::map<std::string, std::size_t> kinds;
  std::map<std::string, int> times;
};

TEST_F(CallsTest, ACallIsToldOnce) {
  EXPECT_EQ(take("a", ask("a", "x")), 0U);
  ASSERT_NE(answer<core::Granted>("a"), nullptr);
  EXPECT_EQ(times["a"], 1);
  EXPECT_EQ(calls.under_way(), 0U);
}

TEST_F(CallsTest, AWaiterIsToldTheMomentTheLockIsReleased) {
  take("a", ask("a", "x"));
  EXPECT_NE(take("b", ask("b", "x").waiting(10s)), 0U);
  EXPECT_EQ(times["b"], 0);
  release("a");
  ASSERT_NE(answer<core::Granted>("b"), nullptr);
  EXPECT_TRUE(answer<core::Granted>("b")->after_wait);
  EXPECT_EQ(times["b"], 1);
}

TEST_F(CallsTest, AWaitEndsAsTheLogSays) {
  take("a", ask("a", "x").ttl(60s));
  take("b", ask("b", "x").waiting(10s));
  loop.pass(9s);
  EXPECT_EQ(times["b"], 0);
  loop.pass(1s);
  ASSERT_NE(answer<core::Ended>("b"), nullptr);
  EXPECT_EQ(answer<core::Ended>("b")->cause, EndCause::timed_out);
}

TEST_F(CallsTest, AGrantThatWinsAgainstTheTimeoutIsTheAnswer) {
  take("a", ask("a", "x").ttl(60s));
  take("b", ask("b", "x").ttl(60s).waiting(10s));
  store.held_up = true;
  release("a");
  loop.pass(10s);  // the cancel stands behind the release in the log
  store.apply_all();
  ASSERT_NE(answer<core::Granted>("b"), nullptr);
  EXPECT_EQ(times["b"], 1);
  EXPECT_TRUE(core::show_lease(store.state, kSpace, id("b")).has_value());
}

TEST_F(CallsTest, ATimeoutThatTheStoreHasNoRoomForIsLoggedLater) {
  take("a", ask("a", "x").ttl(60s));
  take("b", ask("b", "x").waiting(10s));
  store.refuse = ports::NotSubmitted{};
  loop.pass(11s);
  EXPECT_EQ(times["b"], 0);
  store.refuse.reset();
  loop.pass(1s);
  ASSERT_NE(answer<core::Ended>("b"), nullptr);
}

TEST_F(CallsTest, AWaiterThatHangsUpIsDetachedAndNeverTold) {
  take("a", ask("a", "x"));
  const CallId call = take("b", ask("b", "x").waiting(30s));
  calls.hung_up(call);
  EXPECT_EQ(logged_gone(), 1U);
  EXPECT_TRUE(core::show_lease(store.state, kSpace, id("b"))->detached);
  release("a");
  loop.pass(40s);
  EXPECT_EQ(times["b"], 0);
}

TEST_F(CallsTest, WhoHangsUpBeforeTheAnswerLosesTheGrantWithinSeconds) {
  store.held_up = true;
  const CallId call = take("a", ask("a", "x").ttl(60s));
  calls.hung_up(call);
  store.apply_all();
  EXPECT_EQ(times["a"], 0);
  store.held_up = false;
  loop.pass(5s);
  store.advance();
  EXPECT_FALSE(core::show_lease(store.state, kSpace, id("a")).has_value());
}

TEST_F(CallsTest, WhoHangsUpOnARenewalLosesNothing) {
  take("a", ask("a", "x"));
  store.held_up = true;
  const CallId call = take("renew", core::Renew{kSpace, id("a"), 0s});
  calls.hung_up(call);
  store.apply_all();
  EXPECT_EQ(logged_gone(), 0U);
  EXPECT_EQ(times["renew"], 0);
}

TEST_F(CallsTest, AnAnswerThatWasNotHeardIsGivenUpUnlessTheClientComesBack) {
  take("a", ask("a", "x").ttl(60s));
  const auto& granted = *answer<core::Granted>("a");
  calls.unheard(kSpace, id("a"), granted.ticket, core::WaitKind::acquire);
  loop.pass(4s);
  take("again", ask("a", "x").ttl(60s).attempt(2));
  loop.pass(10s);
  store.advance();
  ASSERT_NE(answer<core::Granted>("again"), nullptr);
  EXPECT_TRUE(core::show_lease(store.state, kSpace, id("a")).has_value());
}

TEST_F(CallsTest, ANewerAttemptTakesThePlaceOfTheOlder) {
  take("a", ask("a", "x").ttl(60s));
  take("b", ask("b", "x").waiting(30s));
  take("b again", ask("b", "x").waiting(30s).attempt(2));
  EXPECT_NE(answer<core::Superseded>("b"), nullptr);
  EXPECT_EQ(times["b again"], 0);
  release("a");
  EXPECT_NE(answer<core::Granted>("b again"), nullptr);
  EXPECT_EQ(times["b"], 1);
}

TEST_F(CallsTest, AWaiterThatIsReleasedIsTold) {
  take("a", ask("a", "x"));
  take("b", ask("b", "x").waiting(30s));
  release("b");
  ASSERT_NE(answer<core::Ended>("b"), nullptr);
  EXPECT_EQ(answer<core::Ended>("b")->cause, EndCause::released);
}

TEST_F(CallsTest, AnUpgradeWaitsForTheOtherReadersAndIsToldItsNewToken) {
  take("a", ask("a", "x").shared());
  take("b", ask("b", "x").shared());
  const auto token = answer<core::Granted>("a")->lease.token;
  take("upgrade", core::Upgrade{kSpace, id("a"), token, 30s, {}});
  EXPECT_EQ(times["upgrade"], 0);
  release("b");
  ASSERT_NE(answer<core::Upgraded>("upgrade"), nullptr);
  EXPECT_GT(answer<core::Upgraded>("upgrade")->lease.token, token);
}

TEST_F(CallsTest, AnUpgradeIsToldWhenItsLeaseIsLost) {
  take("a", ask("a", "x").shared());
  take("b", ask("b", "x").shared().ttl(60s));
  const auto token = answer<core::Granted>("a")->lease.token;
  take("upgrade", core::Upgrade{kSpace, id("a"), token, 60s, {}});
  loop.pass(11s);
  store.advance();
  ASSERT_NE(answer<core::Ended>("upgrade"), nullptr);
  EXPECT_EQ(answer<core::Ended>("upgrade")->cause, EndCause::expired);
}

TEST_F(CallsTest, WhatNeverReachedTheLogIsToldSo) {
  store.refuse = ports::NotSubmitted{ports::NotSubmitted::Why::not_leader, "other"};
  take("a", ask("a", "x"));
  EXPECT_TRUE(told<NotTaken>("a"));
}

TEST_F(CallsTest, WhatMayHaveHappenedIsToldSo) {
  store.held_up = true;
  take("a", ask("a", "x"));
  store.lose_all();
  EXPECT_TRUE(told<OutcomeUnknown>("a"));
}

TEST_F(CallsTest, AWaitWhoseNodeNoLongerLeadsIsUnknown) {
  take("a", ask("a", "x"));
  take("b", ask("b", "x").waiting(30s));
  store.set_office({false, "other"});
  EXPECT_TRUE(told<OutcomeUnknown>("b"));
  EXPECT_EQ(calls.under_way(), 0U);
}

TEST_F(CallsTest, AWaitWhoseTimeoutCantBeLoggedBecauseAnotherLeadsIsUnknown) {
  take("a", ask("a", "x").ttl(60s));
  take("b", ask("b", "x").waiting(10s));
  store.refuse = ports::NotSubmitted{ports::NotSubmitted::Why::not_leader, "other"};
  loop.pass(10s);
  EXPECT_TRUE(told<OutcomeUnknown>("b"));
}

TEST_F(CallsTest, ANodeThatStopsDetachesItsWaitersAndTellsThem) {
  take("a", ask("a", "x"));
  take("b", ask("b", "x").waiting(30s));
  calls.detach_all();
  EXPECT_TRUE(told<Detached>("b"));
  EXPECT_TRUE(core::show_lease(store.state, kSpace, id("b"))->detached);
}

TEST_F(CallsTest, WhoBeginsToWaitAtANodeThatStopsIsDetachedToo) {
  take("a", ask("a", "x"));
  store.held_up = true;
  take("b", ask("b", "x").waiting(30s));
  calls.detach_all();
  store.apply_all();
  EXPECT_TRUE(told<Detached>("b"));
}

// P4: the `gone` behind the grant would end it before the time that the answer promises.
TEST_F(CallsTest, AGrantThatIsBeingDetachedIsNotToldAsOne) {
  take("a", ask("a", "x"));
  take("b", ask("b", "x").waiting(30s));
  store.held_up = true;
  release("a");
  calls.detach_all();
  store.apply_all();
  EXPECT_TRUE(told<OutcomeUnknown>("b"));
  EXPECT_EQ(answer<core::Granted>("b"), nullptr);
}

TEST_F(CallsTest, GoneIsSaidAgainUntilTheStoreHasRoom) {
  take("a", ask("a", "x"));
  const CallId call = take("b", ask("b", "x").waiting(30s));
  store.refuse = ports::NotSubmitted{};
  calls.hung_up(call);
  EXPECT_EQ(logged_gone(), 0U);
  loop.pass(1s);
  store.refuse.reset();
  loop.pass(1s);
  EXPECT_EQ(logged_gone(), 1U);
}

TEST_F(CallsTest, ANodeThatStopsDetachesItsWaitersAlsoWhenTheStoreWasFull) {
  take("a", ask("a", "x"));
  take("b", ask("b", "x").waiting(30s));
  store.refuse = ports::NotSubmitted{};
  calls.detach_all();
  EXPECT_EQ(times["b"], 0);
  store.refuse.reset();
  loop.pass(1s);
  EXPECT_TRUE(told<Detached>("b"));
  EXPECT_TRUE(core::show_lease(store.state, kSpace, id("b"))->detached);
}

// The dice repeat themselves; two waits must not share a ticket.
TEST_F(CallsTest, TicketsOfCallsUnderWayDiffer) {
  take("a", ask("a", "x").ttl(60s));
  for (int i = 0; i < 100; ++i) {
    const std::string name = "w" + std::to_string(i);
    take(name, ask(name, "x").waiting(30s));
  }
  release("a");
  for (int i = 0; i < 100; ++i) {
    const std::string name = "w" + std::to_string(i);
    ASSERT_NE(answer<core::Granted>(name), nullptr) << name;
    EXPECT_EQ(times[name], 1) << name;
    release(name);
  }
}

}  // namespace
}  // namespace pawl::service
