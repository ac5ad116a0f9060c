// SPDX-License-Identifier: Apache-2.0
#include "service/metrics.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "support/lab.h"
#include "support/random.h"

namespace pawl::service {
namespace {

using testing::ask;
using testing::id;
using testing::kSpace;
using namespace std::chrono_literals;

class MetricsTest : public ::testing::Test {
 protected:
  core::Effects run(core::CommandBody body) {
    const core::Command command{lab.now, std::move(body)};
    core::Effects effects = core::step(lab.state, command);
    metrics.applied(command, effects);
    return effects;
  }
  void acquire(core::Acquire request) { run(std::move(request)); }
  void release(const std::string& name) { run(core::Release{kSpace, id(name)}); }
  void renew(const std::string& name) { run(core::Renew{kSpace, id(name), {}}); }
  void pass(core::Duration by) {
    lab.now += by;
    run(core::Advance{});
  }
  void cancel(const std::string& name, core::CancelReason reason, core::Ticket ticket = {},
              core::WaitKind kind = core::WaitKind::acquire) {
    run(core::CancelWait{kSpace, id(name), ticket, kind, reason});
  }
  void force(const std::string& resource, core::ForceWhen when) {
    run(core::ForceRelease{
        kSpace, core::ResourceName(resource), core::ActorId("dave"), "stuck", {}, {}, when, 0});
  }

  // One sample, by its name and labels in alphabetical order; -1: there is none.
  double value(const std::string& sample) const {
    std::istringstream text(metrics.text());
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with(sample + " ")) return std::stod(line.substr(sample.size() + 1));
    }
    return -1;
  }
  // The sum of all samples that begin so.
  double sum(const std::string& begin) const {
    std::istringstream text(metrics.text());
    double total = 0;
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with(begin)) total += std::stod(line.substr(line.rfind(' ')));
    }
    return total;
  }
  double acquires(const std::string& outcome, const std::string& mode = "exclusive") const {
    return value("pawl_outcomes_total{call=\"acquire\",mode=\"" + mode + "\",outcome=\"" + outcome +
                 "\"}");
  }
  double came_to(const std::string& call, const std::string& mode,
                 const std::string& outcome) const {
    return value("pawl_outcomes_total{call=\"" + call + "\",mode=\"" + mode + "\",outcome=\"" +
                 outcome + "\"}");
  }
  double by_prefix(const std::string& what, const std::string& prefix) const {
    return value("pawl_prefix_" + what + "_total{prefix=\"" + prefix + "\"}");
  }

  testing::Lab lab;
  Metrics metrics{3, "1.2.3"};
};

TEST_F(MetricsTest, EveryAcquireIsCountedWithWhatCameOfIt) {
  acquire(ask("a", "db").ttl(1h));
  acquire(ask("a", "db").ttl(1h));
  acquire(ask("b", "db"));
  acquire(ask("c", "db").waiting());
  acquire(ask("d", "db").waiting());
  acquire(ask("e", "db").waiting());
  EXPECT_EQ(value(R"(pawl_attempts_total{call="acquire",mode="exclusive"})"), 6);
  EXPECT_EQ(acquires("granted"), 1);
  EXPECT_EQ(acquires("repeated"), 1);
  EXPECT_EQ(acquires("busy"), 1);
  lab.now += 2s;
  cancel("d", core::CancelReason::timeout);
  release("e");
  release("a");
  EXPECT_EQ(acquires("timed_out"), 1);
  EXPECT_EQ(acquires("withdrawn"), 1);
  EXPECT_EQ(acquires("granted_after_wait"), 1);
  EXPECT_EQ(value(R"(pawl_wait_seconds_sum{call="acquire",result="granted"})"), 2);
  EXPECT_EQ(value(R"(pawl_wait_seconds_count{call="acquire",result="not_granted"})"), 2);
  acquire(ask("a", "db").ttl(1h));
  EXPECT_EQ(acquires("ended"), 1);
  acquire(ask("f", "db").permits(3, 1));
  EXPECT_EQ(acquires("refused", "permit"), 1);
  EXPECT_EQ(value(R"(pawl_refusals_total{code="mode_mismatch"})"), 1);
  acquire(ask("g", "other").shared());
  EXPECT_EQ(acquires("granted", "shared"), 1);
}

TEST_F(MetricsTest, AClosedResourceIsDelayedNotBusy) {
  acquire(ask("a", "db").min_hold(1min));
  release("a");
  acquire(ask("b", "db"));
  EXPECT_EQ(acquires("delayed"), 1);
  EXPECT_EQ(acquires("busy"), 0);
}

TEST_F(MetricsTest, HoldsAreCountedByHowTheyEnded) {
  acquire(ask("a", "db"));
  lab.now += 4s;
  release("a");
  acquire(ask("b", "db"));
  pass(10s);
  acquire(ask("c", "db").max_hold(1s));
  pass(1s);
  acquire(ask("d", "db"));
  cancel("d", core::CancelReason::gone);
  pass(5s);
  acquire(ask("e", "db").shared());
  force("db", core::ForceWhen::now);
  for (const char* cause :
       {"released", "expired", "max_hold_reached", "abandoned", "force_released"}) {
    EXPECT_EQ(value(std::string("pawl_holds_ended_total{cause=\"") + cause + "\"}"), 1) << cause;
  }
  EXPECT_EQ(value(R"(pawl_hold_seconds_count{mode="exclusive"})"), 4);
  EXPECT_EQ(value(R"(pawl_hold_seconds_sum{mode="exclusive"})"), 4 + 10 + 1 + 5);
  EXPECT_EQ(value(R"(pawl_hold_seconds_count{mode="shared"})"), 1);
  EXPECT_EQ(value(R"(pawl_force_releases_total{when="now"})"), 1);
}

TEST_F(MetricsTest, FailedRenewalsAreCountedByCause) {
  acquire(ask("a", "db"));
  renew("a");
  EXPECT_EQ(came_to("renew", "none", "done"), 1);
  EXPECT_EQ(sum("pawl_renewal_failures_total"), 0);
  force("db", core::ForceWhen::at_deadline);
  renew("a");
  EXPECT_EQ(value(R"(pawl_renewal_failures_total{cause="renewal_refused"})"), 1);
  EXPECT_EQ(value(R"(pawl_force_releases_total{when="at_deadline"})"), 1);
  pass(10s);
  renew("a");
  EXPECT_EQ(value(R"(pawl_renewal_failures_total{cause="force_released"})"), 1);
  acquire(ask("b", "db"));
  pass(10s);
  renew("b");
  EXPECT_EQ(value(R"(pawl_renewal_failures_total{cause="expired"})"), 1);
  renew("stranger");
  EXPECT_EQ(value(R"(pawl_renewal_failures_total{cause="lease_not_found"})"), 1);
  EXPECT_EQ(came_to("renew", "none", "refused"), 2);
  EXPECT_EQ(came_to("renew", "none", "ended"), 2);
}

TEST_F(MetricsTest, AReleaseFailsOnlyIfTheLeaseWasLost) {
  acquire(ask("a", "db"));
  release("a");
  release("a");
  acquire(ask("b", "x"));
  acquire(ask("c", "x"));
  release("c");
  EXPECT_EQ(came_to("release", "none", "done"), 1);
  EXPECT_EQ(came_to("release", "none", "repeated"), 2);
  EXPECT_EQ(sum("pawl_release_failures_total"), 0);
  pass(10s);
  release("b");
  EXPECT_EQ(value(R"(pawl_release_failures_total{cause="expired"})"), 1);
  EXPECT_EQ(came_to("release", "none", "ended"), 1);
  release("stranger");
  EXPECT_EQ(value(R"(pawl_release_failures_total{cause="lease_not_found"})"), 1);
}

TEST_F(MetricsTest, UpgradesAndDowngradesAreCounted) {
  acquire(ask("a", "db").shared());
  acquire(ask("b", "db").shared());
  const auto upgrade = [&](core::FencingToken known, core::Duration wait, std::uint32_t attempt) {
    run(core::Upgrade{kSpace, id("a"), known, wait, {attempt, 0}});
  };
  upgrade(core::FencingToken{1}, 0s, 1);
  EXPECT_EQ(came_to("upgrade", "exclusive", "busy"), 1);
  upgrade(core::FencingToken{1}, 60s, 2);
  upgrade(core::FencingToken{1}, 60s, 3);
  EXPECT_EQ(came_to("upgrade", "exclusive", "repeated"), 1);
  lab.now += 3s;
  release("b");
  EXPECT_EQ(came_to("upgrade", "exclusive", "granted_after_wait"), 1);
  EXPECT_EQ(value(R"(pawl_wait_seconds_sum{call="upgrade",result="granted"})"), 3);
  run(core::Downgrade{kSpace, id("a"), core::FencingToken{3}});
  EXPECT_EQ(came_to("downgrade", "shared", "done"), 1);
  EXPECT_EQ(value(R"(pawl_attempts_total{call="upgrade",mode="exclusive"})"), 3);
}

TEST_F(MetricsTest, ContentionIsCountedByPrefix) {
  acquire(ask("a", "db:1").ttl(1h));
  acquire(ask("b", "db:1"));
  acquire(ask("c", "db:1").waiting());
  lab.now += 5s;
  release("a");
  acquire(ask("d", "cache/1"));
  EXPECT_EQ(by_prefix("attempts", "db"), 3);
  EXPECT_EQ(by_prefix("contended", "db"), 2);
  EXPECT_EQ(by_prefix("waits", "db"), 1);
  EXPECT_EQ(by_prefix("wait_seconds", "db"), 5);
  EXPECT_EQ(by_prefix("hold_seconds", "db"), 5);
  EXPECT_EQ(by_prefix("attempts", "cache"), 1);
  EXPECT_EQ(by_prefix("contended", "cache"), 0);
}

TEST_F(MetricsTest, ClientsCannotMakeLabelsWithoutEnd) {
  const auto lines = [&] {
    const std::string text = metrics.text();
    return std::count(text.begin(), text.end(), '\n');
  };
  for (const char* name : {"a", "b", "c"}) acquire(ask(name, std::string(name) + ":x"));
  const auto before = lines();
  for (int i = 0; i < 1'000; ++i) acquire(ask(std::to_string(i), std::to_string(i) + ":x"));
  EXPECT_EQ(lines(), before);
  EXPECT_EQ(by_prefix("attempts", "other"), 1'000);
  for (int i = 0; i < 1'000; ++i) {
    metrics.request_done("http", "call" + std::to_string(i), i, 1ms);
    metrics.request_done("http", "acquire", i, 1ms);
    metrics.connection_refused("http", std::to_string(i));
    metrics.connection_opened("door" + std::to_string(i));
  }
  EXPECT_LT(lines(), before + 3'000);
  EXPECT_EQ(sum("pawl_requests_total"), 2'000);
}

TEST_F(MetricsTest, LabelValuesAreEscaped) {
  acquire(ask("a", "quote\"back\\slash:x"));
  EXPECT_EQ(by_prefix("attempts", "quote\\\"back\\\\slash"), 1);
}

TEST_F(MetricsTest, DoorsAreCounted) {
  metrics.connection_opened("http");
  metrics.connection_opened("http");
  metrics.connection_closed("http");
  metrics.connection_refused("http", "too_many");
  metrics.request_done("http", "acquire", 200, 3ms);
  metrics.request_done("http", "acquire", 503, 3ms);
  metrics.request_done("http", "acquire", 200, 3ms);
  EXPECT_EQ(value(R"(pawl_connections_open{door="http"})"), 1);
  EXPECT_EQ(value(R"(pawl_connections_opened_total{door="http"})"), 2);
  EXPECT_EQ(value(R"(pawl_connections_refused_total{door="http",why="too_many"})"), 1);
  EXPECT_EQ(value(R"(pawl_requests_total{call="acquire",door="http",status="200"})"), 2);
  EXPECT_EQ(value(R"(pawl_requests_total{call="acquire",door="http",status="503"})"), 1);
  EXPECT_EQ(value(R"(pawl_request_seconds_bucket{call="acquire",door="http",le="0.005"})"), 3);
  EXPECT_EQ(value(R"(pawl_request_seconds_bucket{call="acquire",door="http",le="0.0025"})"), 0);
}

TEST_F(MetricsTest, ANewLeaderIsAChangeAndALostOneIsNot) {
  metrics.office_changed({true, ""});
  EXPECT_EQ(value("pawl_in_office"), 1);
  metrics.office_changed({false, ""});
  metrics.office_changed({false, "10.0.0.2:7420"});
  metrics.office_changed({false, "10.0.0.2:7420"});
  EXPECT_EQ(value("pawl_in_office"), 0);
  EXPECT_EQ(value("pawl_leader_changes_total"), 2);
}

TEST_F(MetricsTest, TellsWhatIsThereNow) {
  metrics.set_now({.held = 5,
                   .waiting = 4,
                   .records = 30,
                   .remembered = 20,
                   .audit = 3,
                   .held_long = 2,
                   .longest_hold = 90s,
                   .ready = true});
  metrics.set_event_readers(7);
  EXPECT_EQ(value("pawl_leases_held"), 5);
  EXPECT_EQ(value("pawl_leases_waiting"), 4);
  EXPECT_EQ(value("pawl_records"), 30);
  EXPECT_EQ(value("pawl_lease_ids_remembered"), 20);
  EXPECT_EQ(value("pawl_audit_records"), 3);
  EXPECT_EQ(value("pawl_leases_held_long"), 2);
  EXPECT_EQ(value("pawl_longest_hold_seconds"), 90);
  EXPECT_EQ(value("pawl_event_readers"), 7);
  EXPECT_EQ(value("pawl_ready"), 1);
  EXPECT_EQ(value(R"(pawl_build_info{version="1.2.3"})"), 1);
}

TEST_F(MetricsTest, TellsWhatTheServiceAndTheLogCount) {
  metrics.call_failed(ProblemCode::overloaded);
  metrics.call_failed(ProblemCode::limit_reached);
  metrics.fence_checked(true);
  metrics.fence_checked(false);
  metrics.fence_checked(false);
  metrics.log_written(150us);
  metrics.held_long();
  EXPECT_EQ(value(R"(pawl_calls_failed_total{code="overloaded"})"), 1);
  EXPECT_EQ(value(R"(pawl_calls_failed_total{code="limit_reached"})"), 1);
  EXPECT_EQ(value(R"(pawl_fence_checks_total{result="valid"})"), 1);
  EXPECT_EQ(value(R"(pawl_fence_checks_total{result="invalid"})"), 2);
  EXPECT_EQ(value(R"(pawl_log_write_seconds_bucket{le="0.0002"})"), 1);
  EXPECT_EQ(value("pawl_held_long_total"), 1);
}

TEST_F(MetricsTest, KnowsItsProcess) {
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_GT(value("process_resident_memory_bytes"), 1e6);
  EXPECT_GE(value("process_open_fds"), 3);
  EXPECT_NEAR(value("process_start_time_seconds"), now, 600);
}

// Whatever clients do, in whatever order: nothing is counted twice, nothing is forgotten.
TEST_F(MetricsTest, EveryAttemptComesToOneOutcomeOrStillWaits) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  testing::Random random(seed);
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f"};
  int lease = 0;
  std::map<std::string, core::Acquire> asked;
  for (int i = 0; i < 3'000; ++i) {
    const std::string name = random.pick(names);
    const core::FencingToken token{lab.state.last_token};
    const core::Ticket ticket{1 + random.below32(3), 0};
    switch (random.below(9)) {
      case 0:
      case 1: {
        auto request = ask(name + std::to_string(++lease), random.pick({"x", "y"}));
        if (random.percent(50)) request.shared();
        if (random.percent(60)) request.waiting();
        if (random.percent(20)) request.lock_delay(2s);
        request.id = id(name);
        acquire(asked[name] = request);
        break;
      }
      case 2:
        if (!asked.contains(name)) break;
        asked[name].ticket = ticket;
        asked[name].wait = random.percent(50) ? 0s : 60s;
        acquire(asked[name]);
        break;
      case 3:
        release(name);
        break;
      case 4:
        renew(name);
        break;
      case 5:
        run(core::Upgrade{kSpace, id(name), token, random.percent(50) ? 0s : 60s, ticket});
        break;
      case 6:
        cancel(name, random.pick({core::CancelReason::timeout, core::CancelReason::gone}), ticket,
               random.pick({core::WaitKind::acquire, core::WaitKind::upgrade}));
        break;
      case 7:
        run(core::Downgrade{kSpace, id(name), token});
        break;
      default:
        pass(random.between(0s, 20s));
    }
  }
  double upgrades_waiting = 0;
  for (const char* resource : {"x", "y"}) {
    const auto view = core::show_resource(lab.state, kSpace, core::ResourceName(resource), 100);
    if (!view) continue;
    for (const core::WaiterView& waiter : view->waiters) upgrades_waiting += waiter.upgrade ? 1 : 0;
  }
  const std::map<std::string, double> still_waiting = {
      {"acquire", static_cast<double>(lab.state.waiting)},
      {"upgrade", upgrades_waiting},
      {"renew", 0},
      {"release", 0},
      {"downgrade", 0}};
  for (const auto& [call, waiting] : still_waiting) {
    const std::string labels = "{call=\"" + call + "\"";
    EXPECT_GT(sum("pawl_attempts_total" + labels), 100) << call;
    EXPECT_EQ(sum("pawl_attempts_total" + labels), sum("pawl_outcomes_total" + labels) + waiting)
        << call;
  }
  EXPECT_LE(sum("pawl_prefix_contended_total"), sum("pawl_prefix_attempts_total"));
}

std::set<std::string> families_in(const std::string& text) {
  std::set<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, type, name, kind;
    words >> hash >> type >> name >> kind;
    if (hash == "#" && type == "TYPE") found.insert(name + " " + kind);
  }
  return found;
}

TEST_F(MetricsTest, TheDocumentationListsExactlyWhatThereIs) {
  acquire(ask("a", "db"));
  metrics.request_done("http", "acquire", 200, 1ms);
  metrics.connection_refused("http", "too_many");
  std::ifstream file(PAWL_METRICS_DOC);
  ASSERT_TRUE(file) << PAWL_METRICS_DOC;
  std::set<std::string> documented;
  const std::regex row(R"(\| `((?:pawl|process)_\w+)` \| (counter|gauge|histogram) \|.*)");
  std::smatch found;
  for (std::string line; std::getline(file, line);) {
    if (!std::regex_match(line, found, row)) continue;
    EXPECT_TRUE(documented.insert(found[1].str() + " " + found[2].str()).second) << line;
  }
  EXPECT_EQ(documented, families_in(metrics.text()));
}

}  // namespace
}  // namespace pawl::service
