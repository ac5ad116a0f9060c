// SPDX-License-Identifier: Apache-2.0
// Which answers of the log are answers to the caller, and which are problems.
#include "service/verdict.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace pawl::service {
namespace {

using core::EndCause;

Asked asked(CallKind kind, std::uint64_t known = 0) {
  Asked out;
  out.kind = kind;
  out.space = core::Namespace("default");
  out.id = core::LeaseId("lease_12345678");
  out.known = core::FencingToken{known};
  return out;
}

core::AlreadyEnded ended(EndCause cause, std::uint64_t token) {
  core::AlreadyEnded end;
  end.cause = cause;
  end.token = core::FencingToken{token};
  end.actor = core::ActorId(cause == EndCause::force_released ? "alice" : "");
  return end;
}

core::Present present(core::Mode mode, std::uint64_t token) {
  core::Present out;
  out.lease.mode = mode;
  out.lease.token = core::FencingToken{token};
  return out;
}

std::optional<Problem> judge(const Asked& call, const core::Effect& effect) {
  return problem_of(call, effect, core::Time(std::chrono::seconds(7)));
}

TEST(Verdict, ARepeatedAcquireThatFoundItTakenOrTimedOutIsAnsweredAsBefore) {
  EXPECT_FALSE(judge(asked(CallKind::acquire), ended(EndCause::busy, 0)));
  EXPECT_FALSE(judge(asked(CallKind::acquire), ended(EndCause::timed_out, 0)));
}

TEST(Verdict, AnAcquireOfALeaseThatIsOverIsNoGrant) {
  for (const auto cause : {EndCause::released, EndCause::expired, EndCause::force_released,
                           EndCause::abandoned, EndCause::never_acquired, EndCause::refused}) {
    const auto problem = judge(asked(CallKind::acquire), ended(cause, 5));
    ASSERT_TRUE(problem) << to_text(cause);
    EXPECT_EQ(problem->code, ProblemCode::lease_lost);
    EXPECT_EQ(problem->cause, cause);
  }
}

TEST(Verdict, AReleaseIsRepeatable) {
  EXPECT_FALSE(judge(asked(CallKind::release), ended(EndCause::released, 5)));
  EXPECT_FALSE(judge(asked(CallKind::release), ended(EndCause::timed_out, 0)));
  EXPECT_FALSE(judge(asked(CallKind::release), ended(EndCause::abandoned, 0)));
}

TEST(Verdict, AReleaseAfterALossIsToldOfTheLoss) {
  for (const auto cause : {EndCause::expired, EndCause::max_hold_reached, EndCause::force_released,
                           EndCause::abandoned}) {
    const auto problem = judge(asked(CallKind::release), ended(cause, 5));
    ASSERT_TRUE(problem) << to_text(cause);
    EXPECT_EQ(problem->code, ProblemCode::lease_lost);
    EXPECT_EQ(problem->token, core::FencingToken{5});
  }
}

TEST(Verdict, ALossByAnOperatorSaysByWhom) {
  const auto problem = judge(asked(CallKind::renew), ended(EndCause::force_released, 5));
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->actor.str(), "alice");
  EXPECT_EQ(problem->state_time, core::Time(std::chrono::seconds(7)));
}

TEST(Verdict, AnUpgradeThatWasMadeAlreadyIsAnsweredAgain) {
  EXPECT_FALSE(judge(asked(CallKind::upgrade, 3), present(core::Mode::exclusive, 9)));
}

TEST(Verdict, AnUpgradeWithAnotherTokenIsRefused) {
  const auto shared = judge(asked(CallKind::upgrade, 3), present(core::Mode::shared, 9));
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->code, ProblemCode::token_mismatch);
  EXPECT_EQ(shared->token, core::FencingToken{9});
  EXPECT_TRUE(judge(asked(CallKind::upgrade, 12), present(core::Mode::exclusive, 9)));
}

TEST(Verdict, ADowngradeThatWasMadeAlreadyIsAnsweredAgain) {
  EXPECT_FALSE(judge(asked(CallKind::downgrade, 9), present(core::Mode::shared, 9)));
  EXPECT_TRUE(judge(asked(CallKind::downgrade, 3), present(core::Mode::shared, 9)));
  EXPECT_TRUE(judge(asked(CallKind::downgrade, 3), present(core::Mode::exclusive, 9)));
}

TEST(Verdict, AFullStateIsALimitAndWorthARetry) {
  core::Refused refused;
  refused.code = core::RefusalCode::overloaded;
  refused.field = "waiters";
  const auto problem = judge(asked(CallKind::acquire), refused);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->code, ProblemCode::limit_reached);
  EXPECT_EQ(problem->field, "waiters");
  EXPECT_TRUE(retry_helps(problem->code));
}

TEST(Verdict, ADoomedLeaseSaysHowLongItIsStillHeld) {
  core::RenewalRefused refused;
  refused.valid_for = std::chrono::seconds(4);
  refused.actor = core::ActorId("alice");
  const auto problem = judge(asked(CallKind::renew), refused);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->code, ProblemCode::renewal_refused);
  EXPECT_EQ(problem->valid_for, std::chrono::seconds(4));
}

TEST(Verdict, UnknownIsNeverFailedAndCarriesTheIdToRepeatWith) {
  const Problem problem = problem_of(asked(CallKind::acquire), OutcomeUnknown{});
  EXPECT_EQ(problem.code, ProblemCode::outcome_unknown);
  EXPECT_EQ(problem.lease_id.str(), "lease_12345678");
  EXPECT_TRUE(retry_helps(problem.code));
}

TEST(Verdict, AnEffectThatAnswersNothingIsABugAndSaidSo) {
  const auto problem = judge(asked(CallKind::acquire), core::Advanced{});
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->code, ProblemCode::internal);
}

TEST(Verdict, EveryCodeHasAWordOfItsOwn) {
  std::set<std::string_view> seen;
  for (int code = 0; code <= static_cast<int>(ProblemCode::internal); ++code)
    EXPECT_TRUE(seen.insert(to_text(static_cast<ProblemCode>(code))).second) << code;
}

}  // namespace
}  // namespace pawl::service
