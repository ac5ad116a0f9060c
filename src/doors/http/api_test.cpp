// SPDX-License-Identifier: Apache-2.0
// The calls that change locks, through the API: what each answers, and how each refuses.
#include "doors/http/api.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "doors/http/api_lab.h"

namespace pawl::doors::http {
namespace {

using namespace std::chrono_literals;
using Asked = ApiLab::Asked;

const std::string kA = "lease-000a";
const std::string kB = "lease-000b";
const std::string kC = "lease-000c";

std::string renew_path(const std::string& id) { return "/v1/locks/" + id + "/renew"; }

TEST(Api, AnAcquireIsAnsweredWithTheGrant) {
  ApiLab lab;
  const Asked& asked = lab.acquire("r", kA);
  EXPECT_EQ(asked.status(), 200);
  EXPECT_EQ(asked.answer().content_type, "application/json");
  EXPECT_EQ(asked.answer().body,
            R"({"acquired":true,"leaseId":"lease-000a","resource":"r","namespace":"default",)"
            R"("ownerId":"o","mode":"exclusive","fencingToken":1,"ttlSeconds":30,)"
            R"("validForSeconds":30,"expiresAt":"2026-04-01T00:00:30.000Z",)"
            R"("createdAt":"2026-04-01T00:00:00.000Z","waitedSeconds":0,"repeated":false,)"
            R"("stateTimeMs":0})");
  ASSERT_TRUE(asked.answer().receipt);
  EXPECT_EQ(asked.answer().receipt->id.view(), kA);
}

TEST(Api, AnAcquireWithoutALeaseIdIsGivenOne) {
  ApiLab lab;
  const Asked& asked =
      lab.post("/v1/locks/acquire", R"({"resource":"r","ownerId":"o","ttlSeconds":30})");
  EXPECT_TRUE(asked["leaseId"].starts_with("\"lease_"));
}

TEST(Api, ATakenLockIsAnAnswerAndSaysWhoHasIt) {
  ApiLab lab;
  lab.acquire("r", kA);
  lab.pass(10s);
  const Asked& asked = lab.acquire("r", kB);
  EXPECT_EQ(asked.status(), 200);
  EXPECT_EQ(asked.answer().body,
            R"({"acquired":false,"reason":"held","leaseId":"lease-000b","resource":"r",)"
            R"("holders":[{"leaseId":"lease-000a","ownerId":"o","mode":"exclusive",)"
            R"("fencingToken":1,"createdAt":"2026-04-01T00:00:00.000Z",)"
            R"("expiresAt":"2026-04-01T00:00:30.000Z"}],"holderCount":1,"waiters":0,)"
            R"("retryAfterSeconds":20,"stateTimeMs":10000})");
  // P6: the same id, again.
  const Asked& again = lab.acquire("r", kB);
  EXPECT_EQ(again.answer().body,
            R"({"acquired":false,"reason":"held","leaseId":"lease-000b","resource":"r",)"
            R"("holders":[],"retryAfterSeconds":null,"stateTimeMs":10000})");
}

TEST(Api, AClosedResourceIsDelayed) {
  ApiLab lab;
  lab.acquire("r", kA, R"(,"minHoldSeconds":20)");
  lab.del("/v1/locks/" + kA);
  const Asked& asked = lab.acquire("r", kB);
  EXPECT_EQ(asked["reason"], "\"delayed\"");
  EXPECT_EQ(asked["retryAfterSeconds"], "20");
  EXPECT_EQ(asked["holders"], "[]");
}

TEST(Api, AWaitIsAnsweredWhenTheLockIsGranted) {
  ApiLab lab;
  lab.acquire("r", kA);
  const Asked& waiting = lab.acquire("r", kB, R"(,"waitSeconds":20)");
  EXPECT_FALSE(waiting.reply);
  EXPECT_NE(waiting.call, 0U);
  lab.pass(2500ms);
  lab.del("/v1/locks/" + kA);
  ASSERT_TRUE(waiting.reply);
  EXPECT_EQ(waiting["acquired"], "true");
  EXPECT_EQ(waiting["waitedSeconds"], "2.5E0");
  EXPECT_EQ(waiting["fencingToken"], "2");
  EXPECT_TRUE(waiting.answer().receipt);
}

TEST(Api, AWaitThatIsOverIsATimeout) {
  ApiLab lab;
  lab.acquire("r", kA);
  const Asked& waiting = lab.acquire("r", kB, R"(,"waitSeconds":5)");
  lab.pass(6s);
  ASSERT_TRUE(waiting.reply);
  EXPECT_EQ(waiting.answer().body,
            R"({"acquired":false,"reason":"timeout","leaseId":"lease-000b","resource":"r",)"
            R"("holders":[],"retryAfterSeconds":null,"stateTimeMs":5000})");
  const Asked& again = lab.acquire("r", kB, R"(,"waitSeconds":5)");
  EXPECT_EQ(again["reason"], "\"timeout\"");
  EXPECT_EQ(again["resource"], "\"r\"");
}

TEST(Api, AClientThatHangsUpIsNotAnswered) {
  ApiLab lab;
  lab.acquire("r", kA);
  const Asked& waiting = lab.acquire("r", kB, R"(,"waitSeconds":20)");
  lab.lab.service.hung_up(waiting.call);
  lab.del("/v1/locks/" + kA);
  lab.pass(20s);
  EXPECT_FALSE(waiting.reply);
}

TEST(Api, ARepeatedAcquireGetsTheSameGrant) {
  ApiLab lab;
  lab.acquire("r", kA);
  lab.pass(10s);
  const Asked& again = lab.acquire("r", kA, R"(,"attempt":2)");
  EXPECT_EQ(again["repeated"], "true");
  EXPECT_EQ(again["fencingToken"], "1");
  EXPECT_EQ(again["validForSeconds"], "20");
}

TEST(Api, SeveralResourcesAreOneLease) {
  ApiLab lab;
  const Asked& both =
      lab.post("/v1/locks/acquire",
               R"({"resources":["b","a"],"ownerId":"o","ttlSeconds":30,"leaseId":"lease-000a"})");
  EXPECT_EQ(both["resource"], "\"b\"");
  EXPECT_EQ(both["resources"], R"(["b","a"])");
  EXPECT_EQ(lab.acquire("a", kB)["resource"], "\"a\"");
}

TEST(Api, PermitsAreTakenAndShown) {
  ApiLab lab;
  const std::string permits = R"(,"mode":"permit","permits":{"limit":3,"count":2})";
  EXPECT_EQ(lab.acquire("r", kA, permits)["permits"], R"({"limit":3,"count":2})");
  const Asked& busy = lab.acquire("r", kB, permits);
  EXPECT_EQ(busy["acquired"], "false");
  EXPECT_EQ(busy.body().at("holders").at(0).at("permits").as_int64(), 2);
  EXPECT_EQ(lab.acquire("r", kC, R"(,"mode":"permit","permits":{"limit":4})").code(),
            "\"permit_limit_mismatch\"");
  EXPECT_EQ(lab.acquire("r", "lease-000d").code(), "\"mode_mismatch\"");
}

TEST(Api, NamespacesAreApart) {
  ApiLab lab;
  EXPECT_EQ(lab.acquire("r", kA, R"(,"namespace":"one")")["acquired"], "true");
  EXPECT_EQ(lab.acquire("r", kA, R"(,"namespace":"two")")["namespace"], "\"two\"");
  EXPECT_EQ(lab.post(renew_path(kA)).code(), "\"lease_not_found\"");
  EXPECT_EQ(lab.post(renew_path(kA) + "?namespace=one").status(), 200);
  EXPECT_EQ(lab.post(renew_path(kA) + "?namespace=one", R"({"namespace":"one"})").status(), 200);
  const Asked& torn = lab.post(renew_path(kA) + "?namespace=one", R"({"namespace":"two"})");
  EXPECT_EQ(torn.status(), 422);
  EXPECT_EQ(torn["field"], "\"namespace\"");
  EXPECT_EQ(lab.del("/v1/locks/" + kA + "?namespace=").status(), 422);
  EXPECT_EQ(lab.del("/v1/locks/" + kA + "?namespace=a%20b").status(), 422);
}

TEST(Api, ARenewalExtends) {
  ApiLab lab;
  lab.acquire("r", kA);
  lab.pass(10s);
  EXPECT_EQ(lab.post(renew_path(kA)).answer().body,
            R"({"renewed":true,"leaseId":"lease-000a","fencingToken":1,"ttlSeconds":30,)"
            R"("validForSeconds":30,"expiresAt":"2026-04-01T00:00:40.000Z","stateTimeMs":10000})");
  EXPECT_EQ(lab.post(renew_path(kA), R"({"ttlSeconds":60.5})")["validForSeconds"], "6.05E1");
}

TEST(Api, ALostLeaseIsGoneWithItsCause) {
  ApiLab lab;
  lab.acquire("r", kA);
  lab.pass(31s);
  for (const Asked* asked : {&lab.post(renew_path(kA)), &lab.del("/v1/locks/" + kA),
                             &lab.acquire("r", kA), &lab.get("/v1/locks/" + kA)}) {
    EXPECT_EQ(asked->status(), 410);
    EXPECT_EQ(asked->code(), "\"lease_lost\"");
    EXPECT_EQ((*asked)["cause"], "\"expired\"");
    EXPECT_EQ((*asked)["leaseId"], "\"lease-000a\"");
    EXPECT_EQ((*asked)["fencingToken"], "1");
    EXPECT_EQ((*asked)["retryable"], "false");
  }
}

TEST(Api, AnUnknownLeaseIsNotFound) {
  ApiLab lab;
  EXPECT_EQ(lab.post(renew_path(kA)).status(), 404);
  EXPECT_EQ(lab.post("/v1/locks/" + kA + "/upgrade", R"({"fencingToken":1})").status(), 404);
  EXPECT_EQ(lab.post("/v1/locks/" + kA + "/downgrade", R"({"fencingToken":1})").status(), 404);
  EXPECT_EQ(lab.get("/v1/locks/" + kA).status(), 404);
  EXPECT_EQ(lab.del("/v1/locks/" + kA).status(), 404);
  EXPECT_EQ(lab.del("/v1/locks/" + kA).code(), "\"lease_not_found\"");
  EXPECT_EQ(lab.get("/v1/locks/" + kA).status(), 404) << "released before it was asked for";
}

TEST(Api, AReleaseMayBeRepeated) {
  ApiLab lab;
  lab.acquire("r", kA);
  const std::string expected =
      R"({"released":true,"leaseId":"lease-000a","fencingToken":1,"cause":"released",)"
      R"("stateTimeMs":0})";
  EXPECT_EQ(lab.del("/v1/locks/" + kA).answer().body, expected);
  EXPECT_EQ(lab.del("/v1/locks/" + kA).answer().body, expected);
}

TEST(Api, ReleasingWhatWasNeverHeldIsFine) {
  ApiLab lab;
  lab.acquire("r", kA);
  lab.acquire("r", kB);
  const Asked& busy = lab.del("/v1/locks/" + kB);
  EXPECT_EQ(busy["cause"], "\"busy\"");
  EXPECT_EQ(busy["fencingToken"], "absent");
  const Asked& waiting = lab.acquire("r", kC, R"(,"waitSeconds":20)");
  EXPECT_EQ(lab.del("/v1/locks/" + kC)["cause"], "\"released\"");
  ASSERT_TRUE(waiting.reply);
  EXPECT_EQ(waiting.status(), 410);
  EXPECT_EQ(waiting["cause"], "\"released\"");
}

TEST(Api, ManyRenewalsEachHaveTheirResult) {
  ApiLab lab;
  lab.acquire("r", kA);
  lab.acquire("s", kC);
  lab.pass(10s);
  const Asked& asked =
      lab.post("/v1/locks/renew", R"({"leaseIds":["lease-000c","lease-000b","lease-000a"]})");
  EXPECT_EQ(asked.status(), 200);
  EXPECT_EQ(asked["stateTimeMs"], "10000");
  const json::value body = asked.body();
  const json::array& results = body.at("results").as_array();
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(text_of(results[0].at("leaseId")), kC);
  EXPECT_TRUE(results[0].at("renewed").as_bool());
  EXPECT_EQ(json::serialize(results[1]),
            R"({"renewed":false,"leaseId":"lease-000b","code":"lease_not_found",)"
            R"("detail":"no lease has this id, and none ended lately","retryable":false,)"
            R"("field":"leaseId","stateTimeMs":10000})");
  EXPECT_EQ(text_of(results[2].at("leaseId")), kA);
  EXPECT_EQ(results[2].at("validForSeconds").to_number<int>(), 30);
}

TEST(Api, ManyRenewalsAreAnsweredTogether) {
  ApiLab lab;
  lab.acquire("r", kA);
  lab.acquire("s", kB);
  lab.lab.store.held_up = true;
  const Asked& asked = lab.post("/v1/locks/renew", R"({"leaseIds":["lease-000a","lease-000b"]})");
  EXPECT_FALSE(asked.reply);
  lab.lab.store.apply_all();
  ASSERT_TRUE(asked.reply);
  EXPECT_EQ(asked.body().at("results").as_array().size(), 2U);
}

TEST(Api, OneBadIdAndNoneOfManyIsRenewed) {
  ApiLab lab;
  lab.acquire("r", kA);
  const Asked& asked = lab.post("/v1/locks/renew", R"({"leaseIds":["lease-000a","bad id"]})");
  EXPECT_EQ(asked.status(), 422);
  EXPECT_EQ(asked["field"], "\"leaseIds[1]\"");
  EXPECT_EQ(asked["detail"], "\"leaseIds[1] must be 8 to 128 of A-Z a-z 0-9 _ . -\"");
  const Asked& ttl = lab.post("/v1/locks/renew", R"({"leaseIds":["lease-000a"],"ttlSeconds":1e9})");
  EXPECT_EQ(ttl["field"], "\"ttlSeconds\"");
}

TEST(Api, AnUpgradeGivesANewToken) {
  ApiLab lab;
  lab.acquire("r", kA, R"(,"mode":"shared")");
  const Asked& asked = lab.post("/v1/locks/" + kA + "/upgrade", R"({"fencingToken":1})");
  EXPECT_EQ(asked.answer().body,
            R"({"upgraded":true,"leaseId":"lease-000a","mode":"exclusive","fencingToken":2,)"
            R"("ttlSeconds":30,"validForSeconds":30,"expiresAt":"2026-04-01T00:00:30.000Z",)"
            R"("waitedSeconds":0,"stateTimeMs":0})");
  // P6: its answer was lost, and it is sent again with the token from before.
  const Asked& again = lab.post("/v1/locks/" + kA + "/upgrade", R"({"fencingToken":1})");
  EXPECT_EQ(again["upgraded"], "true");
  EXPECT_EQ(again["fencingToken"], "2");
  const Asked& down = lab.post("/v1/locks/" + kA + "/downgrade", R"({"fencingToken":2})");
  EXPECT_EQ(down.answer().body,
            R"({"downgraded":true,"leaseId":"lease-000a","mode":"shared","fencingToken":2,)"
            R"("ttlSeconds":30,"validForSeconds":30,"expiresAt":"2026-04-01T00:00:30.000Z",)"
            R"("stateTimeMs":0})");
  EXPECT_EQ(lab.post("/v1/locks/" + kA + "/downgrade", R"({"fencingToken":2})").status(), 200);
  const Asked& stale = lab.post("/v1/locks/" + kA + "/downgrade", R"({"fencingToken":1})");
  EXPECT_EQ(stale.status(), 409);
  EXPECT_EQ(stale.code(), "\"token_mismatch\"");
  EXPECT_EQ(stale["fencingToken"], "2");
}

TEST(Api, AnUpgradeWaitsForTheOtherReaders) {
  ApiLab lab;
  lab.acquire("r", kA, R"(,"mode":"shared")");
  lab.acquire("r", kB, R"(,"mode":"shared")");
  const std::string path = "/v1/locks/" + kA + "/upgrade";
  const Asked& busy = lab.post(path, R"({"fencingToken":1})");
  EXPECT_EQ(busy["upgraded"], "false");
  EXPECT_EQ(busy["reason"], "\"held\"");
  EXPECT_EQ(busy["holderCount"], "1");
  const Asked& late = lab.post(path, R"({"fencingToken":1,"waitSeconds":2,"attempt":2})");
  const Asked& other =
      lab.post("/v1/locks/" + kB + "/upgrade", R"({"fencingToken":2,"waitSeconds":2})");
  EXPECT_EQ(other.code(), "\"upgrade_conflict\"");
  lab.pass(3s);
  ASSERT_TRUE(late.reply);
  EXPECT_EQ(late["reason"], "\"timeout\"");
  EXPECT_EQ(late["resource"], "\"r\"");
  const Asked& waits = lab.post(path, R"({"fencingToken":1,"waitSeconds":9,"attempt":3})");
  EXPECT_FALSE(waits.reply);
  lab.del("/v1/locks/" + kB);
  ASSERT_TRUE(waits.reply);
  EXPECT_EQ(waits["upgraded"], "true");
  EXPECT_EQ(lab.post(path, R"({"fencingToken":1,"attempt":4})")["upgraded"], "true");
}

TEST(Api, AForceReleaseEndsAndIsKept) {
  ApiLab lab;
  lab.acquire("a/b", kA);
  const Asked& done = lab.post("/v1/resources/a%2Fb/force-release",
                               R"({"actorId":"alice","reason":"stuck","fencingToken":1})");
  EXPECT_EQ(done.status(), 200);
  const std::string holder =
      R"({"leaseId":"lease-000a","ownerId":"o","mode":"exclusive","fencingToken":1,)"
      R"("createdAt":"2026-04-01T00:00:00.000Z","expiresAt":"2026-04-01T00:00:30.000Z"})";
  EXPECT_EQ(done.answer().body,
            R"({"released":[)" + holder + R"(],"releasedCount":1,"when":"now","audit":{"id":1,)" +
                R"("action":"FORCE_UNLOCK","resource":"a/b","namespace":"default",)" +
                R"("actorId":"alice","reason":"stuck","holders":[)" + holder +
                R"(],"holderCount":1,"createdAt":"2026-04-01T00:00:00.000Z"},"stateTimeMs":0})");
  for (const Asked* lost : {&lab.post(renew_path(kA)), &lab.get("/v1/locks/" + kA)}) {
    EXPECT_EQ(lost->status(), 410);
    EXPECT_EQ((*lost)["cause"], "\"force_released\"");
    EXPECT_EQ((*lost)["actorId"], "\"alice\"");
    EXPECT_EQ((*lost)["reason"], "\"stuck\"");
    EXPECT_EQ((*lost)["auditId"], "1");
  }
}

TEST(Api, AForceReleaseAtTheDeadlineRefusesRenewals) {
  ApiLab lab;
  lab.acquire("r", kA);
  lab.pass(10s);
  const Asked& done = lab.post("/v1/resources/r/force-release",
                               R"({"actorId":"alice","reason":"stuck","when":"at_deadline"})");
  EXPECT_EQ(done["when"], "\"at_deadline\"");
  EXPECT_EQ(text_of(done.body().at("audit").at("action")), "FORCE_UNLOCK_AT_DEADLINE");
  const Asked& refused = lab.post(renew_path(kA));
  EXPECT_EQ(refused.status(), 409);
  EXPECT_EQ(refused.code(), "\"renewal_refused\"");
  EXPECT_EQ(refused["validForSeconds"], "20");
}

TEST(Api, AForceReleaseThatFitsNobodyIsAConflict) {
  ApiLab lab;
  const std::string path = "/v1/resources/r/force-release";
  EXPECT_EQ(lab.post(path, R"({"actorId":"a","reason":"r"})").code(), "\"not_held\"");
  lab.acquire("r", kA);
  EXPECT_EQ(lab.post(path, R"({"actorId":"a","reason":"r","fencingToken":9})").code(),
            "\"not_holder\"");
  EXPECT_EQ(lab.post(path, R"({"actorId":"a","reason":"r","leaseId":"lease-000b"})").status(), 409);
  EXPECT_EQ(lab.post(path, R"({"actorId":"","reason":"r"})")["field"], "\"actorId\"");
}

TEST(Api, ValuesOutOfRangeAreInvalid) {
  ApiLab lab;
  const auto field = [&](const std::string& more) {
    const Asked& asked = lab.acquire("r", kA, more);
    EXPECT_EQ(asked.status(), 422) << more;
    return asked["field"];
  };
  EXPECT_EQ(field(R"(,"waitSeconds":601)"), "\"waitSeconds\"");
  EXPECT_EQ(field(R"(,"minHoldSeconds":86401)"), "\"minHoldSeconds\"");
  EXPECT_EQ(field(R"(,"mode":"permit","permits":{"limit":2,"count":3})"), "\"permits.count\"");
  EXPECT_EQ(field(R"(,"namespace":"a b")"), "\"namespace\"");
  EXPECT_EQ(lab.acquire("", kA)["field"], "\"resource\"");
  EXPECT_EQ(lab.acquire("r", "short")["field"], "\"leaseId\"");
  EXPECT_EQ(lab.acquire("r\\u0000", kA)["field"], "\"resource\"");
  const Asked& ttl =
      lab.post("/v1/locks/acquire", R"({"resource":"r","ownerId":"o","ttlSeconds":0.01})");
  EXPECT_EQ(ttl["detail"], "\"ttlSeconds must be from 0.1 s to 86400 s\"");
  EXPECT_EQ(lab.del("/v1/locks/short")["field"], "\"leaseId\"");
}

TEST(Api, AnUnknownOutcomeIsToldAsThat) {
  ApiLab lab;
  lab.lab.store.held_up = true;
  const Asked& asked = lab.acquire("r", kA);
  lab.lab.store.lose_all();
  ASSERT_TRUE(asked.reply);
  EXPECT_EQ(asked.status(), 503);
  EXPECT_EQ(asked.code(), "\"outcome_unknown\"");
  EXPECT_EQ(asked["leaseId"], "\"lease-000a\"");
  EXPECT_EQ(asked["retryable"], "true");
  EXPECT_EQ(asked.answer().retry_after_s, 1U);
}

TEST(Api, ANodeThatDoesNotLeadSaysWhoMay) {
  ApiLab lab;
  lab.lab.store.refuse = ports::NotSubmitted{ports::NotSubmitted::Why::not_leader, "other:7420"};
  for (const Asked* asked : {&lab.acquire("r", kA), &lab.get("/v1/locks/" + kA),
                             &lab.get("/v1/locks"), &lab.get("/v1/audit")}) {
    EXPECT_EQ(asked->status(), 503);
    EXPECT_EQ(asked->code(), "\"not_leader\"");
    EXPECT_EQ((*asked)["leader"], "\"other:7420\"");
  }
}

TEST(Api, WhatIsNotAskedForIsRefused) {
  ApiLab lab;
  const Asked& query = lab.get("/v1/locks?prefx=a");
  EXPECT_EQ(query.status(), 400);
  EXPECT_EQ(query.code(), "\"unknown_field\"");
  EXPECT_EQ(query["field"], "\"prefx\"");
  EXPECT_EQ(query["detail"], R"("there is no field 'prefx'; did you mean 'prefix'?")");
  EXPECT_EQ(lab.post(renew_path(kA) + "?ttlSeconds=5").code(), "\"unknown_field\"");
  EXPECT_EQ(lab.get("/healthz?x=1").code(), "\"unknown_field\"");
  const Asked& body = lab.send({"GET", "/v1/locks", "", "", "{}"});
  EXPECT_EQ(body.code(), "\"malformed\"");
  EXPECT_EQ(lab.send({"DELETE", "/v1/locks/lease-000a", "", "", "{}"}).code(), "\"malformed\"");
  EXPECT_EQ(lab.get("/v1/locks?limit=1&limit=2").code(), "\"malformed\"");
  EXPECT_EQ(lab.post("/v1/locks/acquire", "{").code(), "\"malformed\"");
}

TEST(Api, PathsAndMethodsThatAreNotThereAreRefused) {
  ApiLab lab;
  EXPECT_EQ(lab.get("/v2/locks").status(), 404);
  EXPECT_EQ(lab.get("/v2/locks").answer().call, "none");
  const Asked& method = lab.send({"PATCH", "/v1/locks/lease-000a", "", "", ""});
  EXPECT_EQ(method.status(), 405);
  EXPECT_EQ(method.answer().allow, "DELETE, GET, HEAD");
  EXPECT_EQ(lab.get("/v1/locks/%zz").status(), 400);
}

TEST(Api, WhatCouldNotBecomeARequestClosesTheConnection) {
  service::Problem problem;
  problem.code = service::ProblemCode::too_large;
  problem.detail = "the body is larger than 65536 bytes";
  const Answer answer = Api::refusal(problem);
  EXPECT_EQ(answer.status, 413);
  EXPECT_TRUE(answer.close);
}

}  // namespace
}  // namespace pawl::doors::http
