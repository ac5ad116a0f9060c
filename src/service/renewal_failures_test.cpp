// SPDX-License-Identifier: Apache-2.0
#include "service/renewal_failures.h"

#include <gtest/gtest.h>

#include "support/lab.h"

namespace pawl::service {
namespace {

using testing::ask;
using testing::ask_all;
using testing::kSpace;
using namespace std::chrono_literals;

class RenewalFailuresTest : public ::testing::Test {
 protected:
  void hear(const core::Effects& effects) {
    for (const core::Ended& end : testing::all<core::Ended>(effects)) failures->ended(end);
  }
  const RenewalFailure* renew(const std::string& name) {
    const core::Effects effects = lab.renew(name);
    hear(effects);
    return failures->renewed({kSpace, testing::id(name)}, effects.reply(), effects.now, kWall);
  }
  void limit(std::size_t max) { failures = std::make_unique<RenewalFailures>(max); }

  static constexpr ports::WallTime kWall{std::chrono::sys_days(std::chrono::year(2026) / 4 / 1)};
  testing::Lab lab;
  std::unique_ptr<RenewalFailures> failures = std::make_unique<RenewalFailures>(10);
};

TEST_F(RenewalFailuresTest, ARenewalInTimeIsNone) {
  lab.take(ask("a", "db"));
  EXPECT_EQ(renew("a"), nullptr);
  EXPECT_TRUE(failures->recent({}, 10).empty());
}

TEST_F(RenewalFailuresTest, ALateOneKnowsWhatWasLostAndHowLateItCame) {
  const auto token = lab.take(ask_all("a", {"db", "cache"})).lease.token;
  hear(lab.pass(10s));
  lab.now += 3s;
  const RenewalFailure* failure = renew("a");
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->code, "lease_lost");
  EXPECT_EQ(failure->cause, core::EndCause::expired);
  EXPECT_EQ(failure->late, 3s);
  EXPECT_EQ(failure->owner.view(), "owner-a");
  EXPECT_EQ(failure->token, token);
  EXPECT_EQ(failure->mode, core::Mode::exclusive);
  EXPECT_EQ(failure->ttl, 10s);
  ASSERT_EQ(failure->resources.size(), 2u);
  EXPECT_EQ(failure->resources[0].view(), "db");
  EXPECT_EQ(failure->at, kWall);
}

TEST_F(RenewalFailuresTest, AnExpiryFoundByTheRenewalItselfIsKnownToo) {
  lab.take(ask("a", "db"));
  lab.now += 12s;
  const RenewalFailure* failure = renew("a");
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->cause, core::EndCause::expired);
  EXPECT_EQ(failure->resources.size(), 1u);
}

TEST_F(RenewalFailuresTest, OneThatAnOperatorRefusesKnowsItsLease) {
  lab.take(ask("a", "db"));
  lab.force("db", core::ForceWhen::at_deadline);
  const RenewalFailure* failure = renew("a");
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->code, "renewal_refused");
  EXPECT_FALSE(failure->cause);
  EXPECT_EQ(failure->late, 0s);
  EXPECT_EQ(failure->resources.front().view(), "db");
}

TEST_F(RenewalFailuresTest, OfAStrangerOrAReleasedLeaseOnlyTheIdIsKnown) {
  ASSERT_NE(renew("stranger"), nullptr);
  lab.take(ask("a", "db"));
  hear(lab.release("a"));
  const RenewalFailure* failure = renew("a");
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->cause, core::EndCause::released);
  EXPECT_TRUE(failure->resources.empty());
  EXPECT_TRUE(failure->owner.empty());
  EXPECT_EQ(failures->recent({}, 10).back().code, "lease_not_found");
}

TEST_F(RenewalFailuresTest, OneThatStillWaitsCannotBeRenewed) {
  lab.take(ask("a", "db"));
  lab.queue(ask("b", "db"));
  const RenewalFailure* failure = renew("b");
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->code, "lease_not_held");
}

TEST_F(RenewalFailuresTest, ListsTheNewestFirstByPrefixAndOwner) {
  for (const char* name : {"a", "b", "c"}) lab.take(ask(name, std::string("db:") + name));
  hear(lab.pass(10s));
  for (const char* name : {"a", "b", "c"}) ASSERT_NE(renew(name), nullptr);
  const auto owners = [&](const RenewalFailures::Filter& filter, std::size_t most) {
    std::string text;
    for (const RenewalFailure& failure : failures->recent(filter, most)) {
      text += failure.owner.str() + " ";
    }
    return text;
  };
  EXPECT_EQ(owners({}, 10), "owner-c owner-b owner-a ");
  EXPECT_EQ(owners({}, 2), "owner-c owner-b ");
  EXPECT_EQ(owners({{}, "db:b", {}}, 10), "owner-b ");
  EXPECT_EQ(owners({kSpace, "db:", core::OwnerId("owner-a")}, 10), "owner-a ");
  EXPECT_EQ(owners({core::Namespace("other"), "", {}}, 10), "");
}

TEST_F(RenewalFailuresTest, KeepsNoMoreThanItMay) {
  limit(3);
  for (int i = 0; i < 40; ++i) lab.take(ask(std::to_string(i), "r" + std::to_string(i)));
  hear(lab.pass(10s));
  for (int i = 0; i < 40; ++i) ASSERT_NE(renew(std::to_string(i)), nullptr);
  const auto kept = failures->recent({}, 100);
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept.front().resources.front().view(), "r39");
  // Ten times as many losses are known: the first ten of the forty are not.
  EXPECT_TRUE(renew("9")->resources.empty());
  EXPECT_FALSE(renew("10")->resources.empty());
}

TEST_F(RenewalFailuresTest, LargeOnesCountByTheirSize) {
  limit(10);  // 40 KiB
  std::vector<std::string> names;
  for (int i = 0; i < 60; ++i) names.push_back(std::to_string(i) + std::string(500, 'x'));
  for (const char* name : {"a", "b"}) {
    lab.take(ask_all(name, names));
    hear(lab.pass(10s));
  }
  EXPECT_TRUE(renew("a")->resources.empty());
  EXPECT_EQ(renew("b")->resources.size(), 60u);
  EXPECT_EQ(renew("b")->resources.size(), 60u);
  EXPECT_EQ(failures->recent({}, 10).size(), 1u);
}

TEST_F(RenewalFailuresTest, MayBeKeptNotAtAll) {
  limit(0);
  ASSERT_NE(renew("stranger"), nullptr);
  EXPECT_TRUE(failures->recent({}, 10).empty());
}

}  // namespace
}  // namespace pawl::service
