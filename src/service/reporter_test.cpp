// SPDX-License-Identifier: Apache-2.0
#include "service/reporter.h"

#include <gtest/gtest.h>

#include <map>

#include "support/lab.h"
#include "support/manual_loop.h"

namespace pawl::service {
namespace {

using testing::ask;
using testing::ask_all;
using namespace std::chrono_literals;

struct Lines final : ports::Observer {
  void event(ports::Severity severity, std::string_view name,
             std::span<const ports::Field> fields) override {
    last.clear();
    for (const ports::Field& field : fields) {
      std::visit([&](const auto& value) { last[std::string(field.name)] = text(value); },
                 field.value);
    }
    EXPECT_EQ(last.size(), fields.size()) << "a field occurs twice in " << name;
    all.push_back((severity == ports::Severity::warning ? "warning " : "") + std::string(name));
  }
  static std::string text(std::string_view value) { return std::string(value); }
  static std::string text(std::int64_t value) { return std::to_string(value); }
  static std::string text(double value) { return std::to_string(value); }

  std::vector<std::string> all;
  std::map<std::string, std::string> last;
};

class ReporterTest : public ::testing::Test {
 protected:
  core::Effects run(core::CommandBody body) {
    const core::Command command{lab.now, std::move(body)};
    core::Effects effects = core::step(lab.state, command);
    lines.all.clear();
    ++where.index;
    reporter.applied(where, command, effects);
    return effects;
  }
  void acquire(core::Acquire request) { run(std::move(request)); }
  void release(const std::string& name) { run(core::Release{testing::kSpace, testing::id(name)}); }
  void renew(const std::string& name) { run(core::Renew{testing::kSpace, testing::id(name), {}}); }
  void pass(core::Duration by) {
    lab.now += by;
    run(core::Advance{});
  }
  void force(core::ForceWhen when) {
    run(core::ForceRelease{testing::kSpace,
                           core::ResourceName("db"),
                           core::ActorId("dave"),
                           "stuck \"job\"",
                           {},
                           {},
                           when,
                           0});
  }
  // "id json", as many as there are since the last time.
  std::vector<std::string> events() {
    std::vector<std::string> seen;
    place = feed.read(place, {}, 1'000,
                      [&](const FeedEvent& event) {
                        seen.push_back((event.id ? to_text(*event.id) : "-") + " " + event.json);
                        EXPECT_NE(event.json.find("{\"event\":\"" + std::string(event.name) + "\""),
                                  std::string::npos);
                        return true;
                      })
                .next;
    return seen;
  }
  std::string only_event() {
    const auto seen = events();
    EXPECT_EQ(seen.size(), 1u);
    return seen.empty() ? "" : seen.front();
  }

  testing::ManualLoop loop;
  testing::Lab lab;
  ports::LogPosition where;
  Lines lines;
  Metrics metrics{10};
  Feed feed{loop, 1'000, std::size_t{1} << 20};
  Feed::Place place = 0;
  HoldTimes hold_times{10};
  RenewalFailures renewal_failures{10};
  Reporter reporter{lines, loop.wall, metrics, feed, hold_times, renewal_failures};
};

using Names = std::vector<std::string>;

TEST_F(ReporterTest, AGrantIsToldWithAllItsFieldsInOrder) {
  lab.now += 1'500ms;
  acquire(ask("a", "db"));
  EXPECT_EQ(
      only_event(),
      R"(1-0-0 {"event":"lock_acquired","at":"2026-04-01T00:00:00.000Z","namespace":"default",)"
      R"("resource":"db","ownerId":"owner-a","leaseId":"lease-a-0","mode":"exclusive",)"
      R"("fencingToken":1,"ttlSeconds":10,"stateTimeMs":1500,"waitedSeconds":0})");
  EXPECT_EQ(lines.all, Names{"lock_acquired"});
  const std::map<std::string, std::string> fields = {
      {"namespace", "default"},    {"resource", "db"},      {"ownerId", "owner-a"},
      {"leaseId", "lease-a-0"},    {"mode", "exclusive"},   {"fencingToken", "1"},
      {"ttlSeconds", "10.000000"}, {"stateTimeMs", "1500"}, {"waitedSeconds", "0.000000"}};
  EXPECT_EQ(lines.last, fields);
}

TEST_F(ReporterTest, ALeaseOverSeveralResourcesIsOneEventThatNamesThemAll) {
  acquire(ask_all("a", {"db", "ca\"che"}));
  EXPECT_NE(only_event().find(R"("resource":"db","resources":["db","ca\"che"],"ownerId")"),
            std::string::npos);
  EXPECT_EQ(lines.last["resources"], R"(["db","ca\"che"])");
}

TEST_F(ReporterTest, ReleaseAndTheNextGrantAreTwoEventsOfOneStep) {
  acquire(ask("a", "db"));
  acquire(ask("b", "db").waiting());
  EXPECT_EQ(lines.all, Names{"lock_waiting"});
  EXPECT_EQ(lines.last["waiters"], "1");
  EXPECT_FALSE(lines.last.contains("fencingToken"));
  lab.now += 2s;
  release("a");
  EXPECT_EQ(lines.all, (Names{"lock_released", "lock_acquired"}));
  EXPECT_EQ(lines.last["waitedSeconds"], "2.000000");
  const auto seen = events();
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_TRUE(seen[1].starts_with("2-0-0 {\"event\":\"lock_waiting\""));
  EXPECT_NE(seen[1].find("\"fencingToken\":null"), std::string::npos);
  EXPECT_TRUE(seen[2].starts_with("3-0-0 {\"event\":\"lock_released\""));
  EXPECT_NE(seen[2].find("\"heldSeconds\":2}"), std::string::npos);
  EXPECT_TRUE(seen[3].starts_with("3-0-1 {\"event\":\"lock_acquired\""));
  EXPECT_EQ(hold_times.usual(testing::kSpace, core::ResourceName("db"))->p50, 2s);
}

TEST_F(ReporterTest, RepeatsRenewalsAndBusyAnswersAreNoEvents) {
  acquire(ask("a", "db"));
  acquire(ask("w", "db").waiting());
  events();
  acquire(ask("a", "db"));
  acquire(ask("w", "db").waiting().attempt(2));
  acquire(ask("b", "db"));
  renew("a");
  pass(1s);
  EXPECT_TRUE(events().empty());
}

TEST_F(ReporterTest, EveryLossIsAWarningWithItsName) {
  acquire(ask("a", "db"));
  pass(10s);
  EXPECT_EQ(lines.all, Names{"warning lock_expired"});
  EXPECT_EQ(lines.last["heldSeconds"], "10.000000");

  acquire(ask("b", "db").max_hold(3s));
  pass(3s);
  EXPECT_EQ(lines.all, Names{"warning lock_max_hold_reached"});

  acquire(ask("c", "db"));
  run(core::CancelWait{
      testing::kSpace, testing::id("c"), {}, core::WaitKind::acquire, core::CancelReason::gone});
  pass(5s);
  EXPECT_EQ(lines.all, Names{"warning lock_abandoned"});

  acquire(ask("d", "db"));
  events();
  force(core::ForceWhen::now);
  EXPECT_EQ(lines.all, Names{"warning lock_force_released"});
  EXPECT_EQ(lines.last["actorId"], "dave");
  EXPECT_EQ(lines.last["reason"], "stuck \"job\"");
  EXPECT_EQ(lines.last["auditId"], "1");
  EXPECT_NE(only_event().find(
                R"("heldSeconds":0,"actorId":"dave","reason":"stuck \"job\"","auditId":1})"),
            std::string::npos);
}

TEST_F(ReporterTest, AForceReleaseAtTheDeadlineIsToldTwice) {
  acquire(ask("a", "db"));
  events();
  force(core::ForceWhen::at_deadline);
  EXPECT_EQ(lines.all, Names{"warning force_release_requested"});
  EXPECT_EQ(lines.last["ownerId"], "owner-a");
  EXPECT_EQ(lines.last["holderCount"], "1");
  EXPECT_NE(only_event().find(R"("leaseId":"lease-a-0","mode":"exclusive","fencingToken":1,)"
                              R"("ttlSeconds":null,"stateTimeMs":0,"holderCount":1,)"),
            std::string::npos);
  renew("a");
  EXPECT_EQ(lines.all, Names{"warning renewal_failed"});
  EXPECT_EQ(lines.last["code"], "renewal_refused");
  EXPECT_FALSE(lines.last.contains("cause"));
  EXPECT_NE(only_event().find(R"("code":"renewal_refused","cause":null,"lateSeconds":0})"),
            std::string::npos);
  pass(10s);
  EXPECT_EQ(lines.all, Names{"warning lock_force_released"});
}

TEST_F(ReporterTest, OfSeveralHoldersNoneIsNamed) {
  acquire(ask("a", "db").shared());
  acquire(ask("b", "db").shared());
  force(core::ForceWhen::at_deadline);
  EXPECT_EQ(lines.last["holderCount"], "2");
  EXPECT_FALSE(lines.last.contains("leaseId"));
}

TEST_F(ReporterTest, AWaitThatEndsSaysWhy) {
  acquire(ask("a", "db").ttl(1h));
  acquire(ask("b", "db").waiting());
  lab.now += 5s;
  run(core::CancelWait{
      testing::kSpace, testing::id("b"), {}, core::WaitKind::acquire, core::CancelReason::timeout});
  EXPECT_EQ(lines.all, Names{"wait_ended"});
  EXPECT_EQ(lines.last["cause"], "timed_out");
  EXPECT_EQ(lines.last["waitedSeconds"], "5.000000");
  acquire(ask("c", "db").waiting());
  release("c");
  EXPECT_EQ(lines.last["cause"], "released");
  acquire(ask("d", "db").waiting());
  run(core::Takeover{});
  pass(6s);
  EXPECT_EQ(lines.all, Names{"wait_ended"});
  EXPECT_EQ(lines.last["cause"], "abandoned");
}

TEST_F(ReporterTest, ChangesOfModeAreTold) {
  acquire(ask("a", "db").shared());
  acquire(ask("b", "db").shared());
  run(core::Upgrade{testing::kSpace, testing::id("a"), core::FencingToken{1}, 60s, {}});
  EXPECT_EQ(lines.all, Names{});
  lab.now += 1s;
  release("b");
  EXPECT_EQ(lines.all, (Names{"lock_released", "lock_upgraded"}));
  EXPECT_EQ(lines.last["oldFencingToken"], "1");
  EXPECT_EQ(lines.last["fencingToken"], "3");
  EXPECT_EQ(lines.last["mode"], "exclusive");
  EXPECT_EQ(lines.last["waitedSeconds"], "1.000000");
  run(core::Downgrade{testing::kSpace, testing::id("a"), core::FencingToken{3}});
  EXPECT_EQ(lines.all, Names{"lock_downgraded"});
  EXPECT_EQ(lines.last["mode"], "shared");
  acquire(ask("c", "db").shared());
  run(core::Upgrade{testing::kSpace, testing::id("a"), core::FencingToken{3}, 60s, {2, 0}});
  run(core::CancelWait{testing::kSpace,
                       testing::id("a"),
                       {2, 0},
                       core::WaitKind::upgrade,
                       core::CancelReason::timeout});
  EXPECT_EQ(lines.all, Names{"upgrade_withdrawn"});
  EXPECT_EQ(lines.last["cause"], "timed_out");
}

TEST_F(ReporterTest, ALateRenewalIsToldAfterTheExpiryThatItFound) {
  acquire(ask("a", "db"));
  events();
  lab.now += 12s;
  renew("a");
  EXPECT_EQ(lines.all, (Names{"warning lock_expired", "warning renewal_failed"}));
  EXPECT_EQ(lines.last["code"], "lease_lost");
  EXPECT_EQ(lines.last["cause"], "expired");
  EXPECT_EQ(lines.last["resource"], "db");
  EXPECT_EQ(lines.last["ownerId"], "owner-a");
  const auto seen = events();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_TRUE(seen[1].starts_with("2-0-1 {\"event\":\"renewal_failed\""));
  renew("stranger");
  EXPECT_NE(only_event().find(R"("resource":null,"ownerId":null,"leaseId":"lease-stranger-0",)"
                              R"("mode":null,"fencingToken":null,"ttlSeconds":null)"),
            std::string::npos);
  EXPECT_EQ(renewal_failures.recent({}, 10).size(), 2u);
}

TEST_F(ReporterTest, AHoldThatTakesLongIsToldWithoutAPlaceInTheLog) {
  acquire(ask("a", "db"));
  events();
  const auto view = core::show_lease(lab.state, testing::kSpace, testing::id("a"));
  reporter.held_long(view->lease, lab.now + 700s);
  EXPECT_EQ(lines.all.back(), "warning lock_held_long");
  const std::string event = only_event();
  EXPECT_TRUE(event.starts_with("- {\"event\":\"lock_held_long\"")) << event;
  EXPECT_NE(event.find("\"heldSeconds\":700}"), std::string::npos);
  EXPECT_NE(metrics.text().find("pawl_held_long_total 1"), std::string::npos);
}

}  // namespace
}  // namespace pawl::service
