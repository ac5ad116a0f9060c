// SPDX-License-Identifier: Apache-2.0
// I4, I5, I6: what is over stays over.
#include "history/history_builder.h"

namespace pawl::testing {
namespace {

TEST(Ends, RenewalAfterTheReleaseSucceeds) {
  Build b;
  b.acquire("a", 1, 0, 10);
  b.release("a", 20, 30);
  b.renew("a", 1, 25, 35);  // at the same time: it may have come first
  EXPECT_EQ(b.found(), "");
  b.renew("a", 1, 40, 50);
  EXPECT_EQ(b.found(), "I4");
}

TEST(Ends, RenewalAfterItWasToldLost) {
  Build b;
  b.acquire("a", 1, 0, 10);
  refuse(b.renew("a", 1, 20, 30));
  EXPECT_EQ(b.found(), "");
  b.renew("a", 1, 40, 50);
  EXPECT_EQ(b.found(), "I4");
}

TEST(Ends, ReleaseMayBeRepeated) {
  Build b;
  b.acquire("a", 1, 0, 10);
  lose(b.release("a", 20, 30));
  b.release("a", 40, 50);
  b.release("a", 60, 70);
  EXPECT_EQ(b.found(), "");
}

TEST(Ends, ReleaseOfALostLeaseSucceeds) {
  Build b;
  b.acquire("a", 1, 0, 10);
  refuse(b.renew("a", 1, 20, 30));
  refuse(b.release("a", 40, 50));
  EXPECT_EQ(b.found(), "");
  b.release("a", 60, 70);
  EXPECT_EQ(b.found(), "I4");
}

TEST(Ends, ReleaseAfterItWasToldReleasedIsFine) {
  Build b;
  b.acquire("a", 1, 0, 10);
  lose(b.release("a", 20, 30));
  refuse(b.renew("a", 1, 40, 50), Over::released);
  b.release("a", 60, 70);
  EXPECT_EQ(b.found(), "");
}

TEST(Ends, RenewalAfterAForceRelease) {
  Build b;
  b.acquire("a", 1, 0, 10);
  b.force("a", 20, 30);
  b.renew("a", 1, 40, 50);
  EXPECT_EQ(b.found(), "I4");
  Build gentle;
  gentle.acquire("a", 1, 0, 10);
  gentle.force("a", 20, 30).at_deadline = true;
  gentle.downgrade("a", 1, 40, 50);
  EXPECT_EQ(gentle.found(), "");
}

TEST(Ends, RenewalOfALeaseNobodyAskedFor) {
  Build b;
  b.renew("a", 1, 0, 10);
  EXPECT_EQ(b.found(), "I4");
}

TEST(Ends, RenewalWhoseAcquireWasNeverAnsweredIsFine) {
  Build b;
  lose(b.acquire("a", 1, 0, 10));
  b.renew("a", 1, 20, 30);
  EXPECT_EQ(b.found(), "");
}

TEST(Ends, RenewalAfterALaterGrant) {
  Build b;
  b.acquire("a", 1, 0, 10);
  b.acquire("b", 2, 15'000, 15'010);
  b.renew("a", 1, 15'005, 15'015).valid_for = ms(0);  // not after: it may have come first
  EXPECT_EQ(b.found(), "");
  b.renew("a", 1, 15'020, 15'030).valid_for = ms(0);
  EXPECT_EQ(b.found(), "I3 I5");  // it also says that a lived all the time
}

TEST(Ends, RenewalBesideOthersThatShare) {
  Build b;
  b.shared("a", 1, 0, 10);
  b.shared("b", 2, 15, 20);
  b.renew("a", 1, 30, 40);
  EXPECT_EQ(b.found(), "");
  Build exclusive;
  exclusive.acquire("a", 1, 0, 10).valid_for = ms(1);
  exclusive.shared("b", 2, 15, 20);
  exclusive.renew("a", 1, 30, 40).valid_for = ms(0);
  EXPECT_EQ(exclusive.found(), "I5");
}

TEST(Ends, DowngradedLeaseMayBeRenewedBesideOthers) {
  for (const Outcome outcome : {Outcome::ok, Outcome::unknown}) {
    Build b;
    b.acquire("a", 1, 0, 10);
    b.downgrade("a", 1, 12, 18).outcome = outcome;
    b.shared("b", 2, 15, 20);
    b.renew("a", 1, 30, 40);
    EXPECT_EQ(b.found(), "");
  }
}

TEST(Ends, RenewalAfterAnothersUpgrade) {
  Build b;
  b.shared("a", 1, 0, 10).valid_for = ms(1);
  b.shared("b", 2, 15, 20);
  b.upgrade("b", 2, 3, 30, 40);
  b.renew("a", 1, 50, 60).valid_for = ms(0);
  EXPECT_EQ(b.found(), "I5");
  Build own;  // one's own upgrade is no rival
  own.shared("a", 1, 0, 10);
  own.upgrade("a", 1, 3, 30, 40);
  own.renew("a", 3, 50, 60);
  EXPECT_EQ(own.found(), "");
}

TEST(Ends, RenewalOfPermitsThatWereGivenToOthers) {
  Build b;
  b.permit("a", 1, 2, 0, 10).valid_for = ms(1);
  b.permit("b", 2, 1, 15, 20);
  b.renew("a", 1, 30, 40).valid_for = ms(0);
  EXPECT_EQ(b.found(), "");
  b.permit("c", 3, 2, 50, 60);
  b.renew("a", 1, 70, 80).valid_for = ms(0);
  EXPECT_EQ(b.found(), "I3 I5");
}

TEST(Ends, ReleaseAfterALaterGrant) {
  Build b;
  b.acquire("a", 1, 0, 10).valid_for = ms(1);
  b.acquire("b", 2, 20, 30);
  b.release("a", 40, 50);
  EXPECT_EQ(b.found(), "I4");
  Build repeated;  // a repeat of a release proves nothing
  repeated.acquire("a", 1, 0, 10);
  lose(repeated.release("a", 12, 15));
  repeated.acquire("b", 2, 20, 30);
  repeated.release("a", 40, 50);
  EXPECT_EQ(repeated.found(), "");
}

TEST(Ends, AcquireRepeatedAfterALaterGrant) {
  Build b;
  b.acquire("a", 1, 0, 10).valid_for = ms(1);
  b.acquire("b", 2, 20, 30);
  b.acquire("a", 1, 40, 50).valid_for = ms(1);
  EXPECT_EQ(b.found(), "I6");
}

TEST(Ends, AcquireWithADeadLease) {
  Build b;
  b.acquire("a", 1, 0, 10).valid_for = ms(0);
  EXPECT_EQ(b.found(), "I6");
}

TEST(Ends, AcquireAfterTheReleaseOfItsId) {
  Build b;
  lose(b.acquire("a", 1, 0, 10));
  refuse(b.release("a", 20, 30));  // not found; from now on a delayed acquire is refused
  b.acquire("a", 1, 40, 50);
  EXPECT_EQ(b.found(), "I6");
  Build busy;
  refuse(busy.acquire("a", 0, 0, 10));
  busy.acquire("a", 1, 20, 30);
  EXPECT_EQ(busy.found(), "I6");
}

TEST(Ends, AcquireAnsweredLateIsFine) {
  Build b;  // granted before the release, answered after
  b.acquire("a", 1, 0, 60);
  b.release("a", 20, 30);
  b.acquire("b", 2, 40, 50);
  EXPECT_EQ(b.found(), "");
}

}  // namespace
}  // namespace pawl::testing
