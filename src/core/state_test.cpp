// SPDX-License-Identifier: Apache-2.0
// The state as a whole: its hash, its snapshot, reading, extreme times.
#include <gmock/gmock.h>

#include "core/snapshot.h"
#include "support/lab.h"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using namespace pawl::testing;
using ::testing::ElementsAre;

std::unique_ptr<State> copy_of(const State& state, std::uint64_t index_seed = 9) {
  SnapshotReader reader(state);
  Restorer restorer(index_seed);
  while (auto record = reader.next()) {
    const auto reason = restorer.add(*record);
    EXPECT_FALSE(reason.has_value()) << *reason;
  }
  auto restored = restorer.finish();
  if (std::string* reason = std::get_if<std::string>(&restored)) {
    ADD_FAILURE() << *reason;
    return nullptr;
  }
  return std::move(std::get<0>(restored));
}

// One of everything.
void fill(Lab& lab) {
  Ask with_notes = ask("notes", "n").ttl(500s);
  with_notes.metadata = {{"host", "h1"}, {"pid", "7"}};
  lab.take(with_notes);
  lab.take(ask_all("many", {"m1", "m2", "m3"}).max_hold(700s));
  lab.queue(ask_all("both", {"m2", "n"}));
  lab.queue(ask("gone", "n"));
  lab.cancel("gone", CancelReason::gone);
  const Granted reader = lab.take(ask("reader", "s").shared().ttl(600s));
  lab.take(ask("reader2", "s").shared().ttl(600s));
  lab.upgrade("reader", reader.lease.token, 60s, {3, 4});
  lab.take(ask("permit", "p").permits(5, 2).lock_delay(50s));
  lab.take(ask("permit2", "p").permits(5, 1).ttl(600s));
  lab.force("p");
  lab.take(ask("cron", "c").min_hold(400s));
  lab.release("cron");
  lab.take(ask("doomed", "d").ttl(600s));
  lab.force("d", ForceWhen::at_deadline);
  lab.acquire(ask("busy", "d"));
  lab.pass(2s);  // the one that is gone is passed over
}

TEST(StateHash, DoesNotDependOnTheWayThere) {
  Lab one;
  Lab other;
  one.take(ask("a", "x"));
  one.take(ask("b", "y"));
  other.take(ask("a", "x"));
  other.take(ask("b", "y"));
  EXPECT_EQ(state_hash(one.state), state_hash(other.state));
  one.pass(5s);
  EXPECT_NE(state_hash(one.state), state_hash(other.state));
  other.pass(2s);
  other.pass(3s);
  EXPECT_EQ(state_hash(one.state), state_hash(other.state));
  one.release("b");
  other.release("a");
  EXPECT_NE(state_hash(one.state), state_hash(other.state));
}

TEST(StateHash, DoesNotDependOnTheIndexSeed) {
  State one(1);
  State other(2);
  for (int i = 0; i < 300; ++i) {
    const Command command{Time(1s), ask(std::to_string(i), "r" + std::to_string(i % 200))};
    EXPECT_EQ(step(one, command), step(other, command));
  }
  EXPECT_EQ(state_hash(one), state_hash(other));
}

TEST(Snapshot, GivesTheSameHashAndTheSameFuture) {
  Lab lab;
  fill(lab);
  const std::unique_ptr<State> restored = copy_of(lab.state);
  ASSERT_NE(restored, nullptr);
  EXPECT_EQ(state_hash(*restored), state_hash(lab.state));
  EXPECT_EQ(check(*restored), std::nullopt);
  const auto both = [&](CommandBody body) {
    const Command command{lab.now, std::move(body)};
    EXPECT_EQ(step(lab.state, command), step(*restored, command));
    EXPECT_EQ(state_hash(*restored), state_hash(lab.state));
  };
  both(Renew{kSpace, id("doomed"), 0s});
  both(ask("gone", "n").waiting().attempt(2));
  both(ask("busy", "d"));
  both(Release{kSpace, id("reader2")});
  both(Release{kSpace, id("notes")});
  both(Takeover{});
  both(ask("p3", "p").permits(5, 4).waiting());
  for (int i = 0; i < 200; ++i) {
    lab.now += 7s;
    both(Advance{});
  }
}

TEST(Snapshot, OfEqualStatesIsEqual) {
  Lab lab;
  fill(lab);
  const auto records = [](const State& state) {
    std::vector<SnapshotRecord> all;
    SnapshotReader reader(state);
    while (auto record = reader.next()) all.push_back(*record);
    return all;
  };
  EXPECT_EQ(records(lab.state), records(*copy_of(lab.state)));
}

TEST(Snapshot, WithAChangedRecordIsRefused) {
  Lab lab;
  fill(lab);
  std::vector<SnapshotRecord> records;
  SnapshotReader reader(lab.state);
  while (auto record = reader.next()) records.push_back(*record);
  for (std::size_t left_out = 0; left_out < records.size(); ++left_out) {
    Restorer restorer;
    bool refused = false;
    for (std::size_t i = 0; i < records.size() && !refused; ++i) {
      if (i != left_out) refused = restorer.add(records[i]).has_value();
    }
    EXPECT_TRUE(refused || std::holds_alternative<std::string>(restorer.finish())) << left_out;
  }
  auto& head = std::get<HeadRecord>(records[0]);
  head.last_token += 1;  // a snapshot that forgets or invents a token
  Restorer restorer;
  for (const SnapshotRecord& record : records) ASSERT_FALSE(restorer.add(record).has_value());
  EXPECT_EQ(std::get<std::string>(restorer.finish()),
            "the state's hash is not the one in the head");
}

TEST(Tokens, GoOnAcrossASnapshotAndDeletions) {
  Lab lab;
  lab.take(ask("a", "x"));
  lab.release("a");
  lab.pass(120s);  // nothing is left of it
  const std::unique_ptr<State> restored = copy_of(lab.state);
  const Effects effects = step(*restored, {lab.now, ask("b", "x")});
  EXPECT_EQ(reply<Granted>(effects).lease.token, FencingToken{2});  // P2
}

TEST(Read, ExplainsAResource) {
  Lab lab;
  lab.take(ask("a", "x").shared());
  const Granted b = lab.take(ask("b", "x").shared());
  lab.queue(ask("w1", "x"));
  lab.queue(ask("w2", "x"));
  lab.upgrade("b", b.lease.token, 30s);
  lab.cancel("w1", CancelReason::gone);
  lab.pass(2s);
  const auto view = show_resource(lab.state, kSpace, ResourceName("x"), 10);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->holder_count, 2U);
  EXPECT_EQ(view->last_token, b.lease.token);
  ASSERT_EQ(view->waiters.size(), 3U);
  EXPECT_TRUE(view->waiters[0].upgrade);
  EXPECT_EQ(view->waiters[1].lease.id, id("w1"));
  EXPECT_TRUE(view->waiters[1].detached);
  EXPECT_EQ(view->waiters[2].waiting, 2s);
  EXPECT_EQ(show_resource(lab.state, kSpace, ResourceName("x"), 1)->waiters.size(), 1U);
  EXPECT_FALSE(show_resource(lab.state, kSpace, ResourceName("y"), 10));
}

TEST(Read, ListsByPrefixInPages) {
  Lab lab;
  for (const char* name : {"job:b", "job:a", "cron:z", "job:c", "jobs"}) {
    lab.take(ask(std::to_string(lab.state.last_token), name));
  }
  lab.queue(ask("w", "job:a"));
  const auto names = [&](std::string_view prefix, std::string_view after, std::size_t limit) {
    std::vector<std::string> out;
    for (const auto& listed : list_resources(lab.state, kSpace, prefix, after, limit)) {
      out.push_back(listed.resource.str());
    }
    return out;
  };
  EXPECT_THAT(names("job:", "", 2), ElementsAre("job:a", "job:b"));
  EXPECT_THAT(names("job:", "job:b", 2), ElementsAre("job:c"));
  EXPECT_THAT(names("", "job:c", 9), ElementsAre("jobs"));
  EXPECT_THAT(names("nothing", "", 9), ElementsAre());
}

TEST(Read, KnowsWhenTimeMustMoveNext) {
  Lab lab;
  EXPECT_EQ(next_due(lab.state), kNever);
  EXPECT_FALSE(is_live(lab.state));
  lab.take(ask("a", "x").lock_delay(3s));
  EXPECT_EQ(next_due(lab.state), Time(10s));
  lab.pass(10s);
  EXPECT_EQ(next_due(lab.state), Time(13s));  // the closure
  EXPECT_TRUE(is_live(lab.state));
  lab.pass(3s);
  EXPECT_FALSE(is_live(lab.state));  // ends alone need no clock
}

TEST(Time, SaturatesInsteadOfOverflowing) {
  Lab lab;
  SetLimits set;
  set.limits.max_ttl = set.limits.max_closed = kUnlimited;
  lab.run(set);
  lab.now = Time(kUnlimited / 2);
  const Granted forever = lab.take(ask("a", "x").ttl(kUnlimited).max_hold(kUnlimited));
  EXPECT_EQ(forever.valid_for, kUnlimited);
  EXPECT_EQ(forever.lease.deadline, kNever);
  EXPECT_EQ(next_due(lab.state), kNever);
  EXPECT_EQ(reply<Refused>(lab.force("x", ForceWhen::at_deadline)).code, RefusalCode::no_deadline);
  lab.take(ask("b", "y").lock_delay(kUnlimited).ttl(kUnlimited / 2 - 1us));
  lab.now = kNever - 1us;
  lab.run(Advance{});
  EXPECT_TRUE(lab.holds("a"));
  lab.now = kNever;
  lab.run(Advance{});
  EXPECT_TRUE(lab.holds("a"));
  EXPECT_EQ(reply<Busy>(lab.acquire(ask("c", "y"))).reason,
            BusyReason::delayed);  // closed for ever
}

}  // namespace
}  // namespace pawl::core
