// SPDX-License-Identifier: Apache-2.0
// I1 and I2: tokens are unique, and in the order of the grants.
#include "history/history_builder.h"

namespace pawl::testing {
namespace {

TEST(Tokens, OneTokenForTwoLeases) {
  Build b;
  b.acquire("a", 7, 0, 10);
  b.release("a", 20, 30);
  b.acquire("b", 7, 40, 50);
  EXPECT_EQ(b.found(), "I1");
}

TEST(Tokens, AreUniqueOnOtherResourcesTooOnTheService) {
  Build b;
  b.acquire("a", 7, 0, 10);
  b.acquire("b", 7, 40, 50).resources = {core::ResourceName("other")};
  EXPECT_EQ(b.found(), "I1");
  EXPECT_EQ(b.found({.tokens = TokenScope::resource}), "");
}

TEST(Tokens, RepeatedAcquireBringsTheSameOne) {
  Build b;
  lose(b.acquire("a", 0, 0, 10));
  b.acquire("a", 7, 20, 30);
  b.acquire("a", 7, 40, 50);
  b.renew("a", 7, 60, 70);
  EXPECT_EQ(b.found(), "");
  b.acquire("a", 8, 80, 90);
  EXPECT_EQ(b.found(), "I1");
}

TEST(Tokens, UpgradeBringsANewOne) {
  Build b;
  b.shared("a", 7, 0, 10);
  b.upgrade("a", 7, 9, 20, 30);
  b.renew("a", 9, 40, 50);
  b.shared("a", 9, 60, 70);
  EXPECT_EQ(b.found(), "");
}

TEST(Tokens, UpgradeThatKeepsTheOldOne) {
  Build b;
  b.shared("a", 7, 0, 10);
  b.shared("b", 8, 0, 10);
  b.release("b", 20, 30);
  b.upgrade("a", 7, 7, 40, 50);
  EXPECT_EQ(b.found(), "I2");   // exclusive after b, with a smaller token
  b.downgrade("a", 7, 60, 70);  // whoever was exclusive once may find himself so
  EXPECT_EQ(b.found(), "");
}

TEST(Tokens, LostUpgradeExplainsANewOne) {
  Build b;
  b.shared("a", 7, 0, 10);
  lose(b.upgrade("a", 7, 9, 20, 30));
  b.renew("a", 9, 40, 50);
  EXPECT_EQ(b.found(), "");
}

TEST(Tokens, OfOneLeaseNeverGoBack) {
  Build b;
  b.shared("a", 7, 0, 10);
  b.upgrade("a", 7, 9, 20, 30);
  b.renew("a", 7, 25, 35);  // at the same time as the upgrade: either may be
  EXPECT_EQ(b.found(), "");
  b.renew("a", 7, 40, 50);
  EXPECT_EQ(b.found(), "I2");
}

TEST(Tokens, LaterGrantHasTheLargerOne) {
  Build b;
  b.acquire("a", 9, 0, 10);
  b.release("a", 20, 30);
  b.acquire("b", 8, 40, 50);
  EXPECT_NE(b.found().find("I2"), std::string::npos);
}

TEST(Tokens, OverAllResourcesOnTheServiceOnly) {
  Build b;
  b.acquire("a", 9, 0, 10);
  b.acquire("b", 8, 40, 50).resources = {core::ResourceName("other")};
  EXPECT_EQ(b.found(), "I2");
  EXPECT_EQ(b.found({.tokens = TokenScope::resource}), "");
}

TEST(Tokens, GrantsAtTheSameTimeHaveAnyOrder) {
  Build b;
  b.shared("a", 9, 0, 50);
  b.shared("b", 8, 40, 60);
  EXPECT_EQ(b.found(), "");
}

TEST(Tokens, ALostFirstSendingMayHaveBeenTheGrant) {
  Build b;
  lose(b.shared("a", 0, 0, 10));
  b.shared("b", 8, 20, 30);
  b.shared("a", 7, 40, 50);
  EXPECT_EQ(b.found(), "");
}

TEST(Tokens, ALostUpgradeMayHaveBeenTheGrant) {
  Build b;
  b.shared("a", 6, 0, 10);
  lose(b.upgrade("a", 6, 7, 20, 30));
  b.acquire("b", 8, 40, 50).resources = {core::ResourceName("other")};
  b.upgrade("a", 6, 7, 60, 70);
  EXPECT_EQ(b.found(), "");
  Build never;  // this one has nothing to explain it
  never.shared("a", 6, 0, 10);
  never.acquire("b", 8, 40, 50).resources = {core::ResourceName("other")};
  never.upgrade("a", 6, 7, 60, 70);
  EXPECT_EQ(never.found(), "I2");
}

TEST(Tokens, AnUpgradeThatMeetsItsOwnTokenDidNotBringIt) {
  Build b;
  b.shared("a", 6, 0, 10);
  lose(b.upgrade("a", 6, 7, 20, 30));
  b.acquire("b", 8, 40, 50).resources = {core::ResourceName("other")};
  b.renew("a", 7, 60, 70);
  b.upgrade("a", 7, 7, 80, 90);
  EXPECT_EQ(b.found(), "");
}

TEST(Tokens, TakenAtTheAskingInsteadOfTheGrant) {
  Build b;  // a asked first and got its token then, but was served last
  b.acquire("a", 1, 0, 300).waited = true;
  b.renew("a", 1, 310, 320);
  b.acquire("b", 2, 10, 20);
  b.release("b", 290, 295);
  EXPECT_EQ(b.found(), "I2 I5");  // by its token the lease that was renewed is the older one
}

TEST(Tokens, EmptyHoldsHaveNoOrder) {
  Build b;
  b.acquire("a", 1, 0, 300).waited = true;  // granted first, answered late, never confirmed
  b.acquire("b", 2, 10, 20);
  EXPECT_EQ(b.found(), "");
}

TEST(Tokens, SharedHoldsHaveNoOrder) {
  Build b;
  b.shared("a", 1, 0, 300);
  b.shared("b", 2, 0, 20);
  EXPECT_EQ(b.found(), "");
}

TEST(Tokens, OrderHoldsThroughUpgradeAndDowngrade) {
  Build b;
  b.shared("a", 1, 0, 10);
  b.shared("b", 2, 0, 10);
  b.upgrade("a", 1, 3, 15, 100);
  b.release("b", 50, 60);
  b.downgrade("a", 3, 200, 210);
  b.shared("c", 4, 150, 220);
  b.release("a", 300, 310);
  b.upgrade("c", 4, 5, 250, 320);
  EXPECT_EQ(b.found(), "");
}

}  // namespace
}  // namespace pawl::testing
