// SPDX-License-Identifier: Apache-2.0
#include "doors/http/requests.h"

#include <gtest/gtest.h>

#include <string>

namespace pawl::doors::http {
namespace {

using namespace std::chrono_literals;

// "code field: detail", or nothing.
template <class Request>
std::string refusal(std::string_view body) {
  Request request;
  const Verdict bad = read(body, request);
  if (!bad) return "";
  return std::string(service::to_text(bad->code)) + " " + bad->field + ": " + bad->detail;
}

std::string acquire(const std::string& more) {
  return refusal<core::Acquire>(R"({"resource":"r","ownerId":"o","ttlSeconds":1)" + more + "}");
}

TEST(Requests, AnAcquireNeedsAResourceAnOwnerAndATtl) {
  core::Acquire out;
  ASSERT_FALSE(read(R"({"resource":"r","ownerId":"o","ttlSeconds":0.1})", out));
  core::Acquire expected;
  expected.terms.owner = core::OwnerId("o");
  expected.terms.resources = {core::ResourceName("r")};
  expected.terms.ttl = 100ms;
  EXPECT_EQ(out, expected);
}

TEST(Requests, AnAcquireMaySayEverything) {
  core::Acquire out;
  ASSERT_FALSE(read(R"({"resources":["b","a"],"ownerId":"o","ttlSeconds":30,"waitSeconds":2.5,
    "mode":"permit","permits":{"limit":5,"count":2},"leaseId":"lease-0001","attempt":3,
    "maxHoldSeconds":60,"minHoldSeconds":1,"lockDelaySeconds":0.25,
    "metadata":{"k":"v","":"x"},"namespace":"n"})",
                    out));
  core::Acquire expected;
  expected.space = core::Namespace("n");
  expected.id = core::LeaseId("lease-0001");
  expected.terms = {core::OwnerId("o"),
                    {core::ResourceName("b"), core::ResourceName("a")},
                    core::Mode::permit,
                    {5, 2},
                    30s,
                    60s,
                    1s,
                    250ms};
  expected.wait = 2500ms;
  expected.metadata = {{"k", "v"}, {"", "x"}};
  expected.ticket.attempt = 3;
  EXPECT_EQ(out, expected);
}

TEST(Requests, WhatIsRequiredIsNamed) {
  EXPECT_EQ(refusal<core::Acquire>(R"({"ownerId":"o","ttlSeconds":1})"),
            "invalid resource: is required, or resources");
  EXPECT_EQ(refusal<core::Acquire>(R"({"resource":"r","ttlSeconds":1})"),
            "invalid ownerId: is required");
  EXPECT_EQ(refusal<core::Acquire>(R"({"resource":"r","ownerId":"o"})"),
            "invalid ttlSeconds: is required");
  EXPECT_EQ(refusal<RenewMany>("{}"), "invalid leaseIds: is required");
  EXPECT_EQ(refusal<core::Upgrade>("{}"), "invalid fencingToken: is required");
  EXPECT_EQ(refusal<core::Downgrade>("{}"), "invalid fencingToken: is required");
  EXPECT_EQ(refusal<core::ForceRelease>(R"({"reason":"r"})"), "invalid actorId: is required");
  EXPECT_EQ(refusal<core::ForceRelease>(R"({"actorId":"a"})"), "invalid reason: is required");
  EXPECT_EQ(refusal<FenceCheck>(R"({"fencingToken":1})"), "invalid resource: is required");
  EXPECT_EQ(acquire(R"(,"mode":"permit","permits":{"count":1})"),
            "invalid permits.limit: is required");
}

TEST(Requests, AnUnknownFieldIsRefusedWithTheNearest) {
  EXPECT_EQ(acquire(R"(,"ttlSecond":2)"),
            "unknown_field ttlSecond: there is no field 'ttlSecond'; did you mean 'ttlSeconds'?");
  EXPECT_EQ(acquire(R"(,"colour":"red")"), "unknown_field colour: there is no field 'colour'");
  EXPECT_EQ(acquire(R"(,"mode":"permit","permits":{"limits":1})"),
            "unknown_field permits.limits: there is no field 'permits.limits'; did you mean "
            "'limit'?");
  EXPECT_EQ(refusal<core::Renew>(R"({"ttl":1})"),
            "unknown_field ttl: there is no field 'ttl'; did you mean 'ttlSeconds'?");
  EXPECT_EQ(refusal<core::Downgrade>(R"({"waitSeconds":1})"),
            "unknown_field waitSeconds: there is no field 'waitSeconds'");
}

TEST(Requests, AWrongTypeNamesTheField) {
  EXPECT_EQ(refusal<core::Acquire>(R"({"resource":5})"), "invalid resource: must be a string");
  EXPECT_EQ(refusal<core::Acquire>(R"({"resource":null})"), "invalid resource: must be a string");
  EXPECT_EQ(refusal<core::Acquire>(R"({"ttlSeconds":"30"})"),
            "invalid ttlSeconds: must be a number of seconds");
  EXPECT_EQ(refusal<core::Acquire>(R"({"resources":"a"})"),
            "invalid resources: must be an array of strings");
  EXPECT_EQ(refusal<core::Acquire>(R"({"resources":["a","b","c",4]})"),
            "invalid resources[3]: must be a string");
  EXPECT_EQ(acquire(R"(,"metadata":[])"), "invalid metadata: must be an object of strings");
  EXPECT_EQ(acquire(R"(,"metadata":{"a":"b","KEY":1})"), "invalid metadata.KEY: must be a string");
  EXPECT_EQ(acquire(R"(,"permits":5)"), "invalid permits: must be an object");
  EXPECT_EQ(acquire(R"(,"mode":"read")"),
            "invalid mode: must be \"exclusive\", \"shared\" or \"permit\"");
  EXPECT_EQ(acquire(R"(,"attempt":"1")"),
            "invalid attempt: must be a whole number from 1 to 4294967295");
  EXPECT_EQ(refusal<core::ForceRelease>(R"({"when":"later"})"),
            "invalid when: must be \"now\" or \"at_deadline\"");
}

TEST(Requests, ValuesThatNoCommandCouldHoldAreRefused) {
  EXPECT_EQ(acquire(R"(,"waitSeconds":-1)"), "invalid waitSeconds: must not be negative");
  EXPECT_EQ(acquire(R"(,"maxHoldSeconds":1e300)"),
            "invalid maxHoldSeconds: must be less than 1000000000000 seconds");
  EXPECT_EQ(acquire(R"(,"attempt":0)"),
            "invalid attempt: must be a whole number from 1 to 4294967295");
  EXPECT_EQ(acquire(R"(,"attempt":4294967296)"),
            "invalid attempt: must be a whole number from 1 to 4294967295");
  EXPECT_EQ(acquire(R"(,"leaseId":"")"), "invalid leaseId: must not be empty");
  EXPECT_EQ(acquire(R"(,"namespace":"")"), "invalid namespace: must not be empty");
  EXPECT_EQ(refusal<core::Upgrade>(R"({"fencingToken":9007199254740992})"),
            "invalid fencingToken: must be a whole number from 1 to 9007199254740991");
  EXPECT_EQ(refusal<core::Upgrade>(R"({"fencingToken":1.5})"),
            "invalid fencingToken: must be a whole number from 1 to 9007199254740991");
}

// Zero would be taken for the lease's own TTL.
TEST(Requests, ATtlOfZeroIsRefusedAlsoInARenewal) {
  EXPECT_EQ(refusal<core::Renew>(R"({"ttlSeconds":0})"), "invalid ttlSeconds: must be more than 0");
  EXPECT_EQ(refusal<RenewMany>(R"({"leaseIds":["lease-0001"],"ttlSeconds":0})"),
            "invalid ttlSeconds: must be more than 0");
}

TEST(Requests, WhatExcludesEachOtherIsRefused) {
  EXPECT_EQ(acquire(R"(,"resources":["a"])"),
            "invalid resources: and resource can't both be given");
  EXPECT_EQ(acquire(R"(,"mode":"permit")"), "invalid permits: is required for the mode \"permit\"");
  EXPECT_EQ(acquire(R"(,"permits":{"limit":1})"),
            "invalid permits: goes with the mode \"permit\" only");
  EXPECT_EQ(refusal<core::ForceRelease>(
                R"({"actorId":"a","reason":"r","leaseId":"lease-0001","fencingToken":1})"),
            "invalid fencingToken: and leaseId can't both be given");
}

TEST(Requests, ABatchNamesEachLeaseOnce) {
  EXPECT_EQ(refusal<RenewMany>(R"({"leaseIds":[]})"), "invalid leaseIds: must not be empty");
  EXPECT_EQ(refusal<RenewMany>(R"({"leaseIds":["b","a","c","a"]})"),
            "invalid leaseIds[3]: is there twice");
  std::string many = R"({"leaseIds":["x")";
  for (std::size_t i = 1; i < kMostRenewals; ++i) many += ",\"x" + std::to_string(i) + "\"";
  RenewMany out;
  EXPECT_FALSE(read(many + "]}", out));
  EXPECT_EQ(out.ids.size(), kMostRenewals);
  EXPECT_EQ(refusal<RenewMany>(many + R"(,"y"]})"), "invalid leaseIds: must not be more than 1000");
}

TEST(Requests, ABodyIsAnObjectAndEmptyOnlyWhereItMayBe) {
  EXPECT_EQ(refusal<core::Renew>(""), "");
  EXPECT_EQ(refusal<core::Renew>("{}"), "");
  EXPECT_EQ(refusal<core::Acquire>(""), "malformed : the body is empty: it must be a JSON object");
  EXPECT_EQ(refusal<core::Acquire>("[]"), "malformed : the body must be a JSON object");
  EXPECT_EQ(refusal<core::Renew>("null"), "malformed : the body must be a JSON object");
}

TEST(Requests, AForceReleaseIsRead) {
  core::ForceRelease out;
  ASSERT_FALSE(read(
      R"({"actorId":"a","reason":"r","fencingToken":7.0,"when":"at_deadline","namespace":"n"})",
      out));
  EXPECT_EQ(out.actor.view(), "a");
  EXPECT_EQ(out.reason, "r");
  EXPECT_EQ(out.only_token, core::FencingToken{7});
  EXPECT_FALSE(out.only_lease);
  EXPECT_EQ(out.when, core::ForceWhen::at_deadline);
  EXPECT_EQ(out.space.view(), "n");
}

}  // namespace
}  // namespace pawl::doors::http
