// SPDX-License-Identifier: Apache-2.0
#include "doors/http/problems.h"

#include <gtest/gtest.h>

#include <chrono>

namespace pawl::doors::http {
namespace {

using service::Problem;
using service::ProblemCode;

TEST(Problems, EveryCodeHasItsStatus) {
  const std::pair<ProblemCode, int> statuses[] = {
      {ProblemCode::malformed, 400},
      {ProblemCode::unknown_field, 400},
      {ProblemCode::cross_origin, 403},
      {ProblemCode::not_found, 404},
      {ProblemCode::lease_not_found, 404},
      {ProblemCode::method_not_allowed, 405},
      {ProblemCode::timed_out, 408},
      {ProblemCode::lease_not_held, 409},
      {ProblemCode::lease_id_conflict, 409},
      {ProblemCode::lease_id_stale, 409},
      {ProblemCode::superseded, 409},
      {ProblemCode::mode_mismatch, 409},
      {ProblemCode::permit_limit_mismatch, 409},
      {ProblemCode::upgrade_conflict, 409},
      {ProblemCode::token_mismatch, 409},
      {ProblemCode::renewal_refused, 409},
      {ProblemCode::not_held, 409},
      {ProblemCode::not_holder, 409},
      {ProblemCode::no_deadline, 409},
      {ProblemCode::lease_lost, 410},
      {ProblemCode::too_large, 413},
      {ProblemCode::invalid, 422},
      {ProblemCode::limit_reached, 429},
      {ProblemCode::too_many, 429},
      {ProblemCode::overloaded, 503},
      {ProblemCode::not_leader, 503},
      {ProblemCode::stopping, 503},
      {ProblemCode::outcome_unknown, 503},
      {ProblemCode::internal, 500},
  };
  EXPECT_EQ(std::size(statuses), static_cast<std::size_t>(ProblemCode::internal) + 1);
  for (const auto& [code, status] : statuses) {
    EXPECT_EQ(status_of(code), status) << service::to_text(code);
    Problem problem;
    problem.code = code;
    const Answer answer = answer_of(problem);
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(answer.content_type, "application/problem+json");
    EXPECT_EQ(answer.retry_after_s.has_value(), status == 429 || status == 503);
  }
}

TEST(Problems, AreToldWithOnlyWhatTheyHave) {
  Problem problem = malformed("the body is \"bad\"");
  EXPECT_EQ(answer_of(problem).body,
            R"({"type":"urn:pawl:problem:malformed","title":"The request can't be read",)"
            R"("status":400,"code":"malformed","detail":"the body is \"bad\"",)"
            R"("retryable":false})");
}

TEST(Problems, TellEverythingTheyHave) {
  Problem problem;
  problem.code = ProblemCode::renewal_refused;
  problem.field = "f";
  problem.detail = "d";
  problem.lease_id = core::LeaseId("l");
  problem.cause = core::EndCause::force_released;
  problem.actor = core::ActorId("a");
  problem.reason = "r";
  problem.audit = core::AuditId{3};
  problem.token = core::FencingToken{4};
  problem.state_time = core::Time(std::chrono::milliseconds(5));
  problem.valid_for = std::chrono::milliseconds(1500);
  problem.leader = "x:1";
  EXPECT_EQ(answer_of(problem).body,
            R"({"type":"urn:pawl:problem:renewal_refused","title":"An operator ends this lease",)"
            R"("status":409,"code":"renewal_refused","detail":"d","retryable":false,"field":"f",)"
            R"("leaseId":"l","cause":"force_released","actorId":"a","reason":"r","auditId":3,)"
            R"("fencingToken":4,"validForSeconds":1.5,"leader":"x:1","stateTimeMs":5})");
}

TEST(Problems, AnInvalidFieldBeginsTheSentence) {
  EXPECT_NE(answer_of(invalid("ttlSeconds", "is required"))
                .body.find(R"("detail":"ttlSeconds is required","retryable":false,)"
                           R"("field":"ttlSeconds")"),
            std::string::npos);
}

}  // namespace
}  // namespace pawl::doors::http
