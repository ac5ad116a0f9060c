// SPDX-License-Identifier: Apache-2.0
// I3: definite holds, and what is not definite.
#include "history/history_builder.h"

namespace pawl::testing {
namespace {

TEST(Holds, OneAfterTheOtherIsFine) {
  Build b;
  b.acquire("a", 1, 0, 10);
  b.release("a", 100, 110);
  b.acquire("b", 2, 90, 120);
  EXPECT_EQ(b.found(), "");
}

TEST(Holds, TwoExclusiveHoldsOverlap) {
  Build b;
  b.acquire("a", 1, 0, 10);
  b.acquire("b", 2, 5, 120);
  EXPECT_EQ(b.found(), "I3");
  EXPECT_NE(check(b.history).front().what.find("overlap on stock from 0.120000s"),
            std::string::npos);
}

TEST(Holds, OtherResourcesDoNotConflict) {
  Build b;
  b.acquire("a", 1, 0, 10);
  b.acquire("b", 2, 5, 120).resources = {core::ResourceName("other")};
  EXPECT_EQ(b.found(), "");
}

TEST(Holds, LeaseOfSeveralResourcesCountsOnEach) {
  Build b;
  b.acquire("a", 1, 0, 10).resources = {core::ResourceName("x"), core::ResourceName("stock")};
  b.acquire("b", 2, 5, 120);
  EXPECT_EQ(b.found(), "I3");
}

TEST(Holds, EndAtTheSendingPlusValidityLessDrift) {
  for (const auto& [called, found] : {std::pair{9'899, "I3"}, {9'901, ""}}) {
    Build b;
    b.acquire("a", 1, 0, 10);
    b.acquire("b", 2, 5, called);
    b.history.operations.back().sent = ms(called);
    EXPECT_EQ(b.found(), found) << called;
  }
  Build exact;  // without drift the last microsecond counts
  exact.acquire("a", 1, 0, 10);
  exact.acquire("b", 2, 5, 9'999).sent = ms(9'999);
  EXPECT_EQ(exact.found(), "");
  EXPECT_EQ(exact.found({.drift_ppm = 0}), "I3");
}

TEST(Holds, TheSendingThatWasAnsweredCounts) {
  Build b;
  b.acquire("a", 1, 0, 4'010).sent = ms(4'000);  // repeated: valid for 10 s from there on
  b.acquire("b", 2, 5, 12'000).sent = ms(12'000);
  EXPECT_EQ(b.found(), "I3");
}

TEST(Holds, RenewalLengthens) {
  Build b;
  b.acquire("a", 1, 0, 10);
  b.renew("a", 1, 5'000, 5'010);
  b.acquire("b", 2, 5, 12'000).sent = ms(12'000);
  EXPECT_EQ(b.found(), "I3");
}

TEST(Holds, UnknownRenewalDoesNotLengthen) {
  Build b;
  b.acquire("a", 1, 0, 10);
  lose(b.renew("a", 1, 5'000, 5'010));
  b.acquire("b", 2, 5, 12'000).sent = ms(12'000);
  EXPECT_EQ(b.found(), "");
}

TEST(Holds, ShorterRenewalDoesNotShorten) {
  Build b;
  b.acquire("a", 1, 0, 10);
  b.renew("a", 1, 100, 110).valid_for = ms(1'000);
  b.acquire("b", 2, 5, 5'000).sent = ms(5'000);
  EXPECT_EQ(b.found(), "I3");
}

TEST(Holds, ReleaseEndsAtItsCallWhateverItsOutcome) {
  for (const Outcome outcome : {Outcome::ok, Outcome::fail, Outcome::unknown}) {
    Build b;
    b.acquire("a", 1, 0, 10);
    b.release("a", 100, 500).outcome = outcome;
    b.acquire("b", 2, 5, 101);
    EXPECT_EQ(b.found(), "");
  }
}

TEST(Holds, UnknownAcquireIsNoDefiniteHold) {
  Build b;
  lose(b.acquire("a", 1, 0, 10));
  b.acquire("b", 2, 5, 120);
  EXPECT_EQ(b.found(), "");
}

TEST(Holds, WaitedGrantCountsFromItsConfirmingRenewal) {
  Build b;
  b.acquire("a", 1, 0, 1'000).waited = true;
  b.acquire("b", 2, 5, 1'100);
  EXPECT_EQ(b.found(), "");
  b.renew("a", 1, 1'010, 1'200);
  EXPECT_EQ(b.found(), "I3");
}

TEST(Holds, RenewalSentBeforeTheAnswerConfirmsNothing) {
  Build b;
  b.acquire("a", 1, 0, 1'000).waited = true;
  b.renew("a", 1, 990, 1'200);
  b.acquire("b", 2, 5, 1'100);
  EXPECT_EQ(b.found(), "");
}

TEST(Holds, GrantWithLessThanHalfItsTimeLeftCountsOnlyOnceRenewed) {
  Build b;
  b.acquire("a", 1, 0, 5'000);
  b.acquire("b", 2, 5, 5'100).sent = ms(5'090);
  EXPECT_EQ(b.found(), "");
  Build early;
  early.acquire("a", 1, 0, 4'000);
  early.acquire("b", 2, 5, 5'100).sent = ms(5'090);
  EXPECT_EQ(early.found(), "I3");
}

TEST(Holds, GrantThatComesTooLateIsEmpty) {
  Build b;
  b.acquire("a", 1, 0, 20'000);
  b.acquire("b", 2, 10'500, 10'600);
  EXPECT_EQ(b.found(), "");
}

TEST(Holds, SharedHoldsOverlapButNotWithAnExclusiveOne) {
  Build b;
  b.shared("a", 1, 0, 10);
  b.shared("b", 2, 0, 10);
  EXPECT_EQ(b.found(), "");
  b.acquire("c", 3, 5, 30);
  EXPECT_EQ(b.found(), "I3");
  Build other;
  other.acquire("c", 1, 0, 10);
  other.shared("a", 2, 0, 20);
  EXPECT_EQ(other.found(), "I3");
}

TEST(Holds, PermitsUpToTheLimit) {
  Build b;
  b.permit("a", 1, 1, 0, 10);
  b.permit("b", 2, 2, 0, 20);
  EXPECT_EQ(b.found(), "");
  b.permit("c", 3, 1, 0, 30);
  EXPECT_EQ(b.found(), "I3");
}

TEST(Holds, PermitsAreGivenBack) {
  Build b;
  b.permit("a", 1, 1, 0, 10);
  b.permit("b", 2, 2, 0, 20);
  b.release("b", 25, 40);
  b.permit("c", 3, 2, 0, 30);
  EXPECT_EQ(b.found(), "");
}

TEST(Holds, PermitsDoNotMixWithOtherModes) {
  Build b;
  b.permit("a", 1, 1, 0, 10);
  b.shared("b", 2, 0, 20);
  EXPECT_EQ(b.found(), "I3");
}

TEST(Holds, UpgradeIsExclusiveFromItsAnswer) {
  Build b;
  b.shared("a", 1, 0, 10);
  b.upgrade("a", 1, 3, 20, 100);
  b.shared("b", 2, 15, 30);
  b.release("b", 90, 95);
  EXPECT_EQ(b.found(), "");
  b.shared("c", 4, 20, 150);
  EXPECT_EQ(b.found(), "I3");
}

TEST(Holds, UnknownUpgradeStaysShared) {
  Build b;
  b.shared("a", 1, 0, 10);
  lose(b.upgrade("a", 1, 3, 20, 100));
  b.shared("b", 2, 15, 30);
  EXPECT_EQ(b.found(), "");
  b.acquire("c", 4, 20, 150);  // but shared it is
  EXPECT_EQ(b.found(), "I3");
}

TEST(Holds, DowngradeIsSharedFromItsCall) {
  for (const Outcome outcome : {Outcome::ok, Outcome::unknown}) {
    Build b;
    b.acquire("a", 1, 0, 10);
    b.downgrade("a", 1, 50, 100).outcome = outcome;
    b.shared("b", 2, 15, 60);
    EXPECT_EQ(b.found(), "");
    b.shared("c", 3, 15, 40);
    EXPECT_EQ(b.found(), outcome == Outcome::ok ? "I3 I5" : "I3");  // its ok says that it lived
  }
}

TEST(Holds, OnlyNewTokenBringsExclusivenessBackAfterADowngrade) {
  Build b;  // the downgrade may arrive after the upgrade found nothing to do
  b.acquire("a", 1, 0, 10);
  lose(b.downgrade("a", 1, 50, 100));
  b.upgrade("a", 1, 1, 200, 210);
  b.shared("b", 2, 15, 300);
  EXPECT_EQ(b.found(), "");
  Build fresh;
  fresh.acquire("a", 1, 0, 10);
  fresh.downgrade("a", 1, 50, 100);
  fresh.upgrade("a", 1, 2, 200, 210);
  fresh.shared("b", 3, 15, 300);
  EXPECT_EQ(fresh.found(), "I3");
}

TEST(Holds, ForceReleaseEndsAtItsCallWhateverItsOutcome) {
  for (const Outcome outcome : {Outcome::ok, Outcome::fail, Outcome::unknown}) {
    Build b;
    b.acquire("a", 1, 0, 10);
    b.force("a", 50, 100).outcome = outcome;
    b.acquire("b", 2, 15, 60);
    EXPECT_EQ(b.found(), "");
  }
}

TEST(Holds, GentleForceReleaseAndAnothersEndNothing) {
  Build b;
  b.acquire("a", 1, 0, 10);
  b.force("a", 50, 100).at_deadline = true;
  b.force("other", 50, 100);
  b.acquire("b", 2, 15, 60);
  EXPECT_EQ(b.found(), "I3");
}

TEST(Holds, ForceReleaseOfAnyHolderMeetsThoseOfItsTime) {
  Build b;
  b.acquire("a", 1, 0, 10);
  b.force("", 50, 100);
  b.acquire("b", 2, 60, 70);  // it may have ended either
  b.acquire("c", 3, 60, 80);
  EXPECT_EQ(b.found(), "");
  Build later;
  later.force("", 50, 100);
  later.acquire("a", 1, 110, 120);
  later.acquire("b", 2, 110, 130);
  EXPECT_EQ(later.found(), "I3");
  Build unknown;  // it may still arrive
  lose(unknown.force("", 50, 100));
  unknown.acquire("a", 1, 110, 120);
  unknown.acquire("b", 2, 110, 130);
  EXPECT_EQ(unknown.found(), "");
}

TEST(Holds, EndlessLeaseLasts) {
  Build b;
  b.acquire("a", 1, 0, 10).valid_for = Micros::max();
  b.acquire("b", 2, 1'000'000, 1'000'010);
  EXPECT_EQ(b.found(), "I3");
}

}  // namespace
}  // namespace pawl::testing
