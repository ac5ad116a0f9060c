// SPDX-License-Identifier: Apache-2.0
#include "cli/problem_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace pawl::cli {
namespace {

using ::testing::HasSubstr;

Trouble trouble(const char* json) { return trouble_from(boost::json::parse(json).as_object()); }

TEST(ProblemText, NamesTheFlagOfAFieldAndBlamesTheCommandLine) {
  const Trouble t =
      trouble(R"({"code":"invalid","field":"ttlSeconds","detail":"must be at least 0.1."})");
  EXPECT_EQ(t.code, kUsage);
  EXPECT_EQ(t.message, "--ttl: must be at least 0.1");
}

TEST(ProblemText, ADetailThatNamesTheFieldNamesTheFlagInstead) {
  EXPECT_EQ(trouble(R"({"code":"invalid","field":"ttlSeconds","detail":"ttlSeconds must be more"})")
                .message,
            "--ttl must be more");
  EXPECT_EQ(
      trouble(R"({"code":"lease_not_found","field":"leaseId","detail":"no such lease"})").message,
      "no such lease");
}

TEST(ProblemText, ALossSaysItsCauseAndWhoDidIt) {
  const Trouble t = trouble(
      R"({"code":"lease_lost","detail":"The lease is over.","cause":"force_released","actorId":"ops","reason":"stuck"})");
  EXPECT_EQ(t.code, kLost);
  EXPECT_EQ(t.message, "The lease is over; cause: force_released by ops (stuck)");
}

TEST(ProblemText, EachKindOfBadNewsHasItsExitCode) {
  EXPECT_EQ(trouble(R"({"code":"lease_not_found"})").code, kLost);
  EXPECT_EQ(trouble(R"({"code":"outcome_unknown"})").code, kUnknown);
  EXPECT_EQ(trouble(R"({"code":"overloaded"})").code, kFailed);
  EXPECT_EQ(trouble(R"({"code":"one of next year"})").code, kFailed);
  EXPECT_THAT(trouble(R"({"code":"not_leader","leader":"10.0.0.2:7420"})").hint,
              HasSubstr("--url http://10.0.0.2:7420"));
}

TEST(ProblemText, FieldsOfListsAndPairsAreFlagsToo) {
  EXPECT_EQ(flag_of("resources[3]"), "NAME");
  EXPECT_EQ(flag_of("leaseIds[0]"), "LEASE_ID");
  EXPECT_EQ(flag_of("metadata.team"), "--meta team");
  EXPECT_EQ(flag_of("permits.limit"), "--permits");
  EXPECT_EQ(flag_of("somethingNew"), "somethingNew");
}

TEST(ProblemText, AProblemOfAnyShapeIsSurvived) {
  for (const char* json : {"{}", R"({"code":7,"detail":[],"field":{}})", R"({"code":"invalid"})"})
    EXPECT_NE(trouble(json).code, kOk) << json;
}

}  // namespace
}  // namespace pawl::cli
