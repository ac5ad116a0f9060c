// SPDX-License-Identifier: Apache-2.0
// The ledger finds what a service that forgets, repeats or hurries would do. A check is trusted
// only once it has caught something.
#include "faults/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace pawl::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::chrono::milliseconds kTtl{1'000};
constexpr const char* kTtlUs = "1000000";

// A service's answers, by hand. The clock shows as many milliseconds as it is told; the service's
// own runs with it unless an answer says otherwise.
class Story {
 public:
  explicit Story(int ms = 1) : ms_(ms) {}

  Micros at(int ms) { return std::chrono::milliseconds(ms_ = ms); }
  void send(const std::string& line) { number_ = line.substr(0, line.find(' ')); }
  void answer(const std::string& text) {
    ledger.take(std::chrono::milliseconds(ms_), number_ + " " + text);
  }
  std::string now() const { return std::to_string(ms_ * 1000); }

  void grant(const std::string& lease, int token, int ms) {
    send(ledger.acquire(at(ms), lease, "resource-of-" + lease, kTtl));
    answer("granted " + std::to_string(token) + " " + kTtlUs + " " + now() + " new");
  }
  void renew(const std::string& lease, int token, int ms) {
    send(ledger.renew(at(ms), lease));
    answer("renewed " + std::to_string(token) + " " + kTtlUs + " " + now());
  }
  void release(const std::string& lease, int ms) {
    send(ledger.release(at(ms), lease));
    answer("ended released " + now() + " " + now());
  }
  // `held`: " lease-a resource-of-lease-a 7" for each.
  void list(const std::string& held, int ms) {
    send(ledger.list(at(ms)));
    answer("listed " + now() + held);
  }
  auto problems() const { return ledger.judge(); }

  Ledger ledger;

 private:
  int ms_;
  std::string number_;
};

std::string held(const std::string& lease, int token) {
  return " " + lease + " resource-of-" + lease + " " + std::to_string(token);
}

TEST(Ledger, HasNothingAgainstAServiceThatKeepsItsWord) {
  Story story;
  story.grant("lease-a", 1, 10);
  story.grant("lease-b", 2, 20);
  story.renew("lease-a", 1, 30);
  story.release("lease-b", 40);
  story.ledger.died();
  story.list(held("lease-a", 1), 50);
  story.list("", 1'030);
  EXPECT_THAT(story.problems(), IsEmpty());
}

TEST(Ledger, MissesAGrantThatWasAnswered) {
  Story story;
  story.grant("lease-a", 1, 10);
  story.ledger.died();
  story.list("", 20);
  EXPECT_THAT(story.problems(), Contains(HasSubstr("is gone")));
}

TEST(Ledger, MissesALeaseThatWasRenewedButEndedByItsFirstDeadline) {
  Story story;
  story.grant("lease-a", 1, 10);
  story.renew("lease-a", 1, 900);
  story.list("", 1'100);
  EXPECT_THAT(story.problems(), Contains(HasSubstr("is gone")));
}

TEST(Ledger, FindsAnExpiryThatCameTooEarly) {
  Story story;
  story.grant("lease-a", 1, 10);
  story.send(story.ledger.renew(story.at(900), "lease-a"));
  story.answer("ended expired 800000 900000");
  EXPECT_THAT(story.problems(), Contains(HasSubstr("I10")));
}

TEST(Ledger, FindsAnotherTokenForTheSameLease) {
  Story story;
  story.grant("lease-a", 1, 10);
  story.list(held("lease-a", 2), 20);
  EXPECT_THAT(story.problems(), Contains(HasSubstr("had token 1 and now has 2")));
}

TEST(Ledger, FindsATokenThatWentBack) {
  Story story;
  story.grant("lease-a", 5, 10);
  story.ledger.died();
  story.grant("lease-b", 4, 20);
  EXPECT_THAT(story.problems(), Contains(HasSubstr("I2")));
}

TEST(Ledger, FindsATokenThatTwoLeasesHave) {
  Story story;
  story.grant("lease-a", 5, 10);
  story.grant("lease-b", 5, 20);
  EXPECT_THAT(story.problems(), Contains(HasSubstr("both have token 5")));
}

TEST(Ledger, FindsAReleasedLeaseThatIsHeldAgain) {
  Story story;
  story.grant("lease-a", 1, 10);
  story.release("lease-a", 20);
  story.list(held("lease-a", 1), 30);
  EXPECT_THAT(story.problems(), Contains(HasSubstr("answered to be over")));
}

TEST(Ledger, FindsALeaseThatNobodyAskedFor) {
  Story story;
  story.list(held("lease-x", 1), 10);
  EXPECT_THAT(story.problems(), Contains(HasSubstr("nobody asked")));
}

TEST(Ledger, FindsACommandThatWasNotSubmittedAndHappened) {
  Story story;
  story.send(story.ledger.acquire(story.at(10), "lease-a", "resource-of-lease-a", kTtl));
  story.answer("not_submitted overloaded");
  story.list(held("lease-a", 1), 20);
  EXPECT_THAT(story.problems(), Contains(HasSubstr("P11")));
}

TEST(Ledger, TakesEitherOutcomeOfALostAnswerButOnlyOne) {
  for (const bool happened : {false, true}) {
    Story story;
    static_cast<void>(story.ledger.acquire(story.at(10), "lease-a", "resource-of-lease-a", kTtl));
    story.ledger.died();
    story.list(happened ? held("lease-a", 1) : "", 20);
    const auto again = story.ledger.ask_again(story.at(30));
    ASSERT_EQ(again.size(), 1U);
    story.send(again.front());
    story.answer(happened ? "granted 1 980000 30000 repeated" : "granted 1 1000000 30000 new");
    EXPECT_THAT(story.problems(), IsEmpty());
    story.list("", 40);
    EXPECT_THAT(story.problems(), Contains(HasSubstr("is gone")));
  }
}

TEST(Ledger, FindsAStateTimeThatRunsAheadOrBack) {
  Story ahead;
  ahead.grant("lease-a", 1, 10);
  ahead.send(ahead.ledger.renew(ahead.at(20), "lease-a"));
  ahead.answer(std::string("renewed 1 ") + kTtlUs + " 500000");
  EXPECT_THAT(ahead.problems(), Contains(HasSubstr("too late")));

  Story back;
  back.grant("lease-a", 1, 10);
  back.send(back.ledger.renew(back.at(20), "lease-a"));
  back.answer(std::string("renewed 1 ") + kTtlUs + " 5000");
  EXPECT_THAT(back.problems(), Contains(HasSubstr("went back")));
}

TEST(Ledger, FindsAnAnswerThatWasNotAskedFor) {
  Story story;
  story.ledger.take(Micros(1), "7 busy 1");
  EXPECT_THAT(story.problems(), Contains(HasSubstr("nobody had asked")));
}

}  // namespace
}  // namespace pawl::testing
