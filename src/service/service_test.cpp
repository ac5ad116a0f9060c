// SPDX-License-Identifier: Apache-2.0
// The service over the real core: what it adds to a request, what it refuses before the log,
// limits, and stopping.
#include "service/service.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/read.h"
#include "service/feed.h"
#include "service/metrics.h"
#include "support/lab.h"
#include "support/manual_loop.h"
#include "support/memory_store.h"
#include "support/service_lab.h"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using testing::ask;
using testing::id;
using testing::kSpace;
using testing::ServiceLab;

TEST(Service, MakesALeaseIdForWhoBringsNone) {
  ServiceLab lab;
  core::Acquire request = ask("a", "x");
  request.id = core::LeaseId();
  const auto granted = lab.happened<core::Granted>(lab.call(request));
  ASSERT_TRUE(granted);
  EXPECT_EQ(granted->lease.id.str().size(), std::string("lease_").size() + 32);
  request.terms.resources = {core::ResourceName("y")};
  const auto other = lab.happened<core::Granted>(lab.call(request));
  ASSERT_TRUE(other);
  EXPECT_NE(other->lease.id, granted->lease.id);
}

TEST(Service, RefusesBadInputBeforeTheLog) {
  ServiceLab lab;
  const auto before = lab.store.applied();
  const auto problem = lab.problem(lab.call(ask("a", "x").ttl(1us)));
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->code, ProblemCode::invalid);
  EXPECT_EQ(problem->field, "ttlSeconds");
  EXPECT_EQ(lab.store.applied(), before);
}

// P6: the repeat of a request that was fine before the limits were lowered.
TEST(Service, ARepeatIsAnsweredAlsoAfterTheLimitsWereLowered) {
  ServiceLab lab;
  lab.call(ask("a", "x").ttl(10h));
  core::Limits lower = lab.options.limits;
  lower.max_ttl = 1h;
  lab.store.submit(core::SetLimits{lower}, [](const ports::Answer&) {});
  EXPECT_EQ(lab.service.limits().max_ttl, 1h);
  const auto again = lab.happened<core::Granted>(lab.call(ask("a", "x").ttl(10h).attempt(2)));
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->repeated);
  const auto fresh = lab.problem(lab.call(ask("b", "y").ttl(10h)));
  ASSERT_TRUE(fresh);
  EXPECT_EQ(fresh->field, "ttlSeconds");
}

TEST(Service, ARepeatWaitsNoLongerThanTheLimitsAllow) {
  ServiceLab lab;
  lab.call(ask("a", "x").ttl(24h));
  lab.call(ask("b", "x").waiting(60s));
  const auto again = lab.call(ask("b", "x").waiting(1000h).attempt(2));
  EXPECT_FALSE(lab.answered(again));
  lab.loop.pass(lab.options.limits.max_wait);
  EXPECT_TRUE(lab.happened<core::Ended>(again));
}

TEST(Service, OnlyAGrantComesWithAReceipt) {
  ServiceLab lab;
  EXPECT_TRUE(lab.receipt(lab.call(ask("a", "x"))));
  EXPECT_FALSE(lab.receipt(lab.call(ask("b", "x"))));
  EXPECT_FALSE(lab.receipt(lab.call(core::Release{kSpace, id("a")})));
}

TEST(Service, BringsTheOperatorsLimitsWhenItTakesOffice) {
  ServiceOptions options;
  options.limits.max_waiters = 7;
  ServiceLab lab(options);
  EXPECT_EQ(lab.store.state.limits.max_waiters, 7U);
  EXPECT_EQ(lab.service.limits().max_waiters, 7U);
}

TEST(Service, WritesNothingWhenTheLimitsAreInForce) {
  ServiceLab lab;
  const auto before = lab.store.applied();
  lab.store.set_office({false, "other"});
  lab.store.set_office({true, ""});
  EXPECT_EQ(lab.store.applied(), before);
}

TEST(Service, LimitsThatCouldNotBeLoggedAreTriedAgain) {
  ServiceOptions options;
  options.limits.max_waiters = 7;
  ServiceLab lab(options, [](testing::MemoryStore& store) {
    store.refuse = ports::NotSubmitted{};  // full
  });
  EXPECT_NE(lab.store.state.limits.max_waiters, 7U);
  lab.store.refuse.reset();
  lab.loop.pass(1s);
  EXPECT_EQ(lab.store.state.limits.max_waiters, 7U);
}

TEST(Service, IsReadyWhileItLeads) {
  ServiceLab lab;
  EXPECT_TRUE(lab.service.ready());
  lab.store.set_office({false, "other"});
  EXPECT_FALSE(lab.service.ready());
}

TEST(Service, AReadThatCantBeProvenIsAProblem) {
  ServiceLab lab;
  lab.store.refuse = ports::NotSubmitted{ports::NotSubmitted::Why::not_leader, "other:1"};
  bool asked = false;
  lab.service.look([&](const Look& look) {
    asked = true;
    ASSERT_TRUE(std::holds_alternative<Problem>(look));
    EXPECT_EQ(std::get<Problem>(look).leader, "other:1");
  });
  EXPECT_TRUE(asked);
}

// The log stands still while nothing happens, and people's clocks don't.
TEST(Service, ALookTellsTheTimeThatHasPassedSinceTheLastCommand) {
  ServiceLab lab;
  lab.call(ask("a", "x").ttl(60s));
  lab.loop.pass(3s);
  bool asked = false;
  lab.service.look([&](const Look& look) {
    asked = true;
    const Seen& seen = std::get<Seen>(look);
    EXPECT_EQ(seen.now, seen.state.now + 3s);
  });
  EXPECT_TRUE(asked);
}

TEST(Service, AForceReleaseCarriesTheTimeOfDay) {
  ServiceLab lab;
  lab.call(ask("a", "x"));
  core::ForceRelease force;
  force.space = kSpace;
  force.resource = core::ResourceName("x");
  force.actor = core::ActorId("alice");
  force.reason = "stuck";
  const auto released = lab.happened<core::ForceReleased>(lab.call(force));
  ASSERT_TRUE(released);
  EXPECT_EQ(released->record.wall_ms, lab.loop.wall.now().time_since_epoch().count());
}

TEST(Service, ADrainRefusesNewHoldsAndStillTakesRenewalsAndReleases) {
  ServiceLab lab;
  lab.call(ask("a", "x"));
  bool drained = false;
  lab.service.drain(5s, [&] { drained = true; });
  lab.loop.run();
  EXPECT_TRUE(drained);
  EXPECT_FALSE(lab.service.ready());
  const auto refused = lab.problem(lab.call(ask("b", "y")));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, ProblemCode::stopping);
  EXPECT_TRUE(lab.happened<core::Renewed>(lab.call(core::Renew{kSpace, id("a"), 0s})));
  EXPECT_TRUE(lab.happened<core::Ended>(lab.call(core::Release{kSpace, id("a")})));
}

TEST(Service, ADrainTellsWhoWaitsToAskAgainWithTheSameLeaseId) {
  ServiceLab lab;
  lab.call(ask("a", "x"));
  const auto waiting = lab.call(ask("b", "x").waiting(60s));
  EXPECT_FALSE(lab.answered(waiting));
  lab.service.drain(5s, [] {});
  const auto problem = lab.problem(waiting);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->code, ProblemCode::stopping);
  EXPECT_EQ(problem->lease_id, id("b"));
}

TEST(Service, ADrainIsOverWhenItsPatienceIs) {
  ServiceLab lab;
  lab.store.held_up = true;
  lab.call(ask("a", "x"));
  bool drained = false;
  lab.service.drain(5s, [&] { drained = true; });
  lab.loop.pass(4s);
  EXPECT_FALSE(drained);
  lab.loop.pass(1s);
  EXPECT_TRUE(drained);
}

TEST(Service, TheMetricsShowWhatIsThereAtThatMoment) {
  ServiceLab lab;
  lab.call(ask("a", "x"));
  lab.call(ask("b", "x").waiting(60s));
  lab.service.refresh_metrics();
  const std::string text = lab.metrics.text();
  EXPECT_NE(text.find("\npawl_leases_held 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\npawl_leases_waiting 1\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace pawl::service
