// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr WallTime kNow{1'777'593'541'250ms};

std::string explained(const char* json) {
  return explain(boost::json::parse(json).as_object(), kNow);
}

TEST(Explain, SaysWhoHoldsWhoWaitsAndWhatComesNext) {
  EXPECT_EQ(
      explained(R"({"resource":"billing","namespace":"default",
    "holders":[{"leaseId":"p1_a","ownerId":"worker-1","mode":"exclusive","fencingToken":42,
      "createdAt":"2026-04-30T23:55:49.250Z","expiresAt":"2026-04-30T23:59:25.250Z","heldSeconds":192,"validForSeconds":24}],
    "holderCount":1,
    "waiters":[{"ownerId":"worker-2","leaseId":"p1_b","position":1,"waitingSeconds":12.5,"mode":"exclusive","upgrade":false,"detached":false},
      {"ownerId":"worker-3","leaseId":"p1_c","position":2,"waitingSeconds":3,"mode":"shared","upgrade":false,"detached":true}],
    "waiterCount":2,"lastToken":42,"closedUntil":null,"holdSeconds":{"p50":4.2,"p99":12,"count":128}})"),
      "billing is held by worker-1, for 3m 12s, ends in 24s unless renewed; token 42, lease p1_a.\n"
      "2 wait, in this order:\n"
      "  1. worker-2, for 12s\n"
      "  2. worker-3, for 3s (shared, its connection is gone)\n"
      "A hold usually takes 4.2s; 99 of 100 end within 12s (128 holds seen).\n"
      "worker-1 has held it for longer than that.\n"
      "Next: worker-2 gets it when it is released, or in 24s at the latest unless renewed.\n");
}

TEST(Explain, ANameThatNobodyKnowsIsFree) {
  EXPECT_EQ(explained(R"({"resource":"x","holders":[],"holderCount":0,"waiters":[],"waiterCount":0,
    "lastToken":null,"closedUntil":null,"holdSeconds":null})"),
            "x is free: nobody holds it and nobody waits.\nNobody is known to have held it.\n");
}

TEST(Explain, AClosedNameSaysUntilWhen) {
  EXPECT_THAT(explained(R"({"resource":"x","holders":[],"waiters":[],"lastToken":7,
    "closedUntil":"2026-04-30T23:59:06.250Z"})"),
              HasSubstr("It stays closed until 2026-04-30T23:59:06.250Z (in 5s)"));
}

TEST(Explain, ManyHoldersAreCountedAndTheRestIsNamed) {
  const std::string text = explained(R"({"resource":"x","holders":[
    {"ownerId":"r1","mode":"shared","fencingToken":1,"leaseId":"l1","heldSeconds":1,"validForSeconds":9},
    {"ownerId":"r2","mode":"shared","fencingToken":2,"leaseId":"l2","heldSeconds":1,"validForSeconds":30}],
    "holderCount":5,"waiters":[],"waiterCount":0})");
  EXPECT_THAT(text, HasSubstr("x is held by 5:\n  r1 (shared)"));
  EXPECT_THAT(text, HasSubstr("  and 3 more\n"));
  EXPECT_THAT(text, HasSubstr("Next: it is free when all have released it.\n"));
}

TEST(Explain, PermitsLeaveRoomBeforeAllHaveGone) {
  const std::string text = explained(R"({"resource":"x","holders":[
    {"ownerId":"p","mode":"permit","permits":2,"fencingToken":1,"leaseId":"l1","heldSeconds":1,"validForSeconds":9}],
    "holderCount":1,"waiters":[{"ownerId":"q","position":1,"waitingSeconds":1,"mode":"permit","permits":4}],"waiterCount":1})");
  EXPECT_THAT(text, HasSubstr("p (permit 2)"));
  EXPECT_THAT(text, HasSubstr("q, for 1s (permit 4)"));
  EXPECT_THAT(text, HasSubstr("Next: q gets it as soon as what is held leaves room for it.\n"));
}

TEST(Explain, WhatClientsWroteCannotSteerTheTerminal) {
  const std::string text = explained(
      R"({"resource":"x\u001b[2J","holders":[{"ownerId":"a\u0007b","mode":"exclusive","leaseId":"\u009b1m"}],
    "holderCount":1,"waiters":[{"ownerId":"w\r","position":1}],"waiterCount":1})");
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("x\\x1b[2J"));
  EXPECT_THAT(text, HasSubstr("a\\x07b"));
  EXPECT_THAT(text, HasSubstr("w\\x0d"));
}

TEST(Explain, AnAnswerOfAnyShapeIsSurvived) {
  for (const char* json : {"{}", R"({"holders":7,"waiters":"x","holdSeconds":[]})",
                           R"({"holders":[1,null,{}],"waiters":[[]],"holderCount":-4})"})
    EXPECT_FALSE(explained(json).empty());
}

}  // namespace
}  // namespace pawl::cli
