// SPDX-License-Identifier: Apache-2.0
// What operators read: holds in pages, sweeps, ends, the trail.
#include "core/read.h"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "support/lab.h"
#include "support/random.h"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using namespace pawl::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> pages(const State& state, std::string_view prefix, std::size_t limit) {
  std::vector<std::string> out;
  std::optional<HoldCursor> after;
  do {
    const HoldPage page = list_holds(state, kSpace, prefix, after, limit);
    EXPECT_LE(page.holds.size(), limit);
    for (const ListedHold& hold : page.holds)
      out.push_back(hold.resource.str() + " " + hold.lease.terms.owner.str());
    after = page.next;
  } while (after);
  return out;
}

TEST(ListHolds, GoesOverResourcesInOrderAndHoldersByToken) {
  Lab lab;
  lab.take(ask("b", "job:2"));
  lab.take(ask("s1", "job:1").shared());
  lab.take(ask("s2", "job:1").shared());
  lab.take(ask("z", "other"));
  lab.queue(ask("w", "job:2"));
  for (const std::size_t limit : {1U, 2U, 3U, 100U}) {
    EXPECT_THAT(pages(lab.state, "job:", limit),
                ElementsAre("job:1 owner-s1", "job:1 owner-s2", "job:2 owner-b"))
        << "pages of " << limit;
  }
}

TEST(ListHolds, ALeaseOverSeveralResourcesStandsAtEach) {
  Lab lab;
  lab.take(ask_all("a", {"y", "x"}));
  EXPECT_THAT(pages(lab.state, "", 1), ElementsAre("x owner-a", "y owner-a"));
}

TEST(ListHolds, GoesOnWhereTheHolderOfTheLastPageIsGone) {
  Lab lab;
  for (const char* name : {"a", "b", "c"}) lab.take(ask(name, "x").shared());
  const HoldPage first = list_holds(lab.state, kSpace, "", {}, 2);
  ASSERT_TRUE(first.next);
  lab.release("b");
  const HoldPage rest = list_holds(lab.state, kSpace, "", first.next, 2);
  ASSERT_EQ(rest.holds.size(), 1U);
  EXPECT_EQ(rest.holds[0].lease.id, id("c"));
  EXPECT_FALSE(rest.next);
}

TEST(ListHolds, AForgedCursorOutsideThePrefixShowsNothingOutsideIt) {
  Lab lab;
  lab.take(ask("a", "a"));
  lab.take(ask("b", "b:1"));
  const HoldPage page = list_holds(lab.state, kSpace, "b:", HoldCursor{"a", kNoToken}, 10);
  ASSERT_EQ(page.holds.size(), 1U);
  EXPECT_EQ(page.holds[0].lease.id, id("b"));
}

TEST(ListHolds, OnePageNeverWalksOverAMillionClosedResources) {
  Lab lab;
  for (int i = 0; i < 25'000; ++i) {
    const std::string name = std::to_string(100'000 + i);
    step(lab.state, {lab.now, ask(name, name).min_hold(1h)});
    step(lab.state, {lab.now, Release{kSpace, id(name)}});
  }
  lab.take(ask("last", "zzz"));
  const HoldPage first = list_holds(lab.state, kSpace, "", {}, 10);
  EXPECT_THAT(first.holds, IsEmpty());
  EXPECT_TRUE(first.next);
  EXPECT_THAT(pages(lab.state, "", 10), ElementsAre("zzz owner-last"));
}

TEST(ListHolds, APageOfLongNamesIsShort) {
  Lab lab;
  std::vector<std::string> names;
  for (int i = 0; i < 64; ++i) names.push_back(std::to_string(100 + i) + std::string(500, 'n'));
  lab.take(ask_all("a", names));
  std::size_t seen = 0;
  std::optional<HoldCursor> after;
  do {
    const HoldPage page = list_holds(lab.state, kSpace, "", after, 1000);
    // Each record names all 64 resources.
    EXPECT_THAT(page.holds.size(), ::testing::AllOf(::testing::Ge(1U), ::testing::Le(5U)));
    seen += page.holds.size();
    after = page.next;
  } while (after);
  EXPECT_EQ(seen, 64U);
}

TEST(SweepHolds, FindsWhatWasGrantedInTheWindowAndTheOldest) {
  Lab lab;
  lab.now += 1s;
  lab.take(ask("a", "a").ttl(1h));
  lab.now += 1s;
  lab.take(ask("b", "b").ttl(1h));
  lab.now += 1s;
  lab.take(ask("c", "c").ttl(1h));
  lab.queue(ask("w", "c"));
  const HoldSweep sweep = sweep_holds(lab.state, 0, 100, Time(1s), Time(2s));
  ASSERT_EQ(sweep.found.size(), 1U);
  EXPECT_EQ(sweep.found[0].id, id("b"));
  EXPECT_EQ(sweep.granted_by, 2U);
  EXPECT_EQ(sweep.oldest, Time(1s));
  EXPECT_EQ(sweep.next, kNone);
}

TEST(SweepHolds, SeesEveryLeaseOnceInSlicesOfAnySize) {
  constexpr std::uint64_t seed = 20261115;
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  Lab lab;
  for (int i = 0; i < 200; ++i) lab.take(ask(std::to_string(i), std::to_string(i)).ttl(1h));
  for (int i = 0; i < 200; ++i)
    if (random.below(3) == 0) lab.release(std::to_string(i));
  for (const std::size_t slots : {1U, 7U, 64U, 1000U}) {
    std::map<std::string, int> seen;
    for (LeaseRef at = 0; at != kNone;) {
      const HoldSweep sweep = sweep_holds(lab.state, at, slots, Time(-1us), kNever);
      for (const LeaseInfo& lease : sweep.found) ++seen[lease.id.str()];
      at = sweep.next;
    }
    EXPECT_EQ(seen.size(), lab.state.held);
    for (const auto& [lease, times] : seen) EXPECT_EQ(times, 1) << lease;
  }
}

TEST(ShowEnd, IsThereUntilTheRetentionIsOver) {
  Lab lab;
  lab.take(ask("a", "x"));
  lab.pass(10s);
  const auto end = show_end(lab.state, kSpace, id("a"));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->cause, EndCause::expired);
  EXPECT_EQ(end->token, FencingToken{1});
  lab.pass(61s);
  EXPECT_FALSE(show_end(lab.state, kSpace, id("a")));
}

TEST(ListAudit, IsInOrderInPagesAndByPrefix) {
  Lab lab;
  for (const char* name : {"job:1", "other", "job:2"}) {
    lab.take(ask("a", name));
    lab.force(name);
    lab.pass(61s);
  }
  const auto names = [&](std::string_view prefix, std::uint64_t after, std::size_t limit) {
    std::vector<std::string> out;
    for (const AuditRecord& record :
         list_audit(lab.state, kSpace, prefix, AuditId{after}, limit).records)
      out.push_back(record.resource.str());
    return out;
  };
  EXPECT_THAT(names("", 0, 2), ElementsAre("job:1", "other"));
  EXPECT_THAT(names("", 2, 2), ElementsAre("job:2"));
  EXPECT_THAT(names("job:", 0, 9), ElementsAre("job:1", "job:2"));
  EXPECT_THAT(list_audit(lab.state, Namespace("elsewhere"), "", AuditId{0}, 9).records, IsEmpty());
  EXPECT_TRUE(list_audit(lab.state, kSpace, "", AuditId{0}, 2).more);
  EXPECT_FALSE(list_audit(lab.state, kSpace, "", AuditId{0}, 3).more);
}

}  // namespace
}  // namespace pawl::core
