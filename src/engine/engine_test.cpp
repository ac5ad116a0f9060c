// SPDX-License-Identifier: Apache-2.0
// The engine on a real disk with real threads and clocks. What it promises under faults is the
// simulator's affair; here it is put together, taken apart and put together again.
#include "engine/engine.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/read.h"
#include "engine/host/temp_folder.h"
#include "support/lab.h"

namespace pawl::engine {
namespace {

using testing::ask;
using testing::id;
using testing::kSpace;
using namespace std::chrono_literals;

struct Events final : ports::Observer {
  void event(ports::Severity, std::string_view name, std::span<const ports::Field>) override {
    seen.emplace_back(name);
  }
  std::vector<std::string> seen;
};

class EngineTest : public ::testing::Test {
 protected:
  ports::Result<std::unique_ptr<Engine>, Fault> try_to_open() {
    options.data_folder = around.path() / "data";
    return Engine::open(io, options, events, [this](const Fault& fault) { failed = fault; });
  }
  void open() {
    io.restart();
    auto opened = try_to_open();
    ASSERT_TRUE(opened.ok()) << to_text(opened.fault());
    engine = std::move(opened).value();
  }
  // Lets the loop run until `done`, for a minute at most.
  template <class Done>
  void run_until(Done done) {
    const auto give_up = std::chrono::steady_clock::now() + 60s;
    while (!done()) {
      if (failed) throw std::runtime_error(to_text(*failed));
      if (io.run_one_until(give_up) == 0) throw std::runtime_error("not done in time");
    }
  }
  core::Effects submit(core::CommandBody body) {
    std::optional<core::Effects> effects;
    engine->store().submit(std::move(body), [&](const ports::Answer& answer) {
      ASSERT_TRUE(std::holds_alternative<ports::Applied>(answer)) << answer.index();
      effects = std::get<ports::Applied>(answer).effects;
    });
    run_until([&] { return effects.has_value(); });
    return effects.value_or(core::Effects{});
  }
  bool holds(const std::string& name) {
    std::optional<bool> held;
    engine->store().read([&](const ports::ReadAnswer& answer) {
      ASSERT_TRUE(std::holds_alternative<ports::Readable>(answer));
      const auto view = core::show_lease(std::get<ports::Readable>(answer).state, kSpace, id(name));
      held = view && !view->waiting;
    });
    run_until([&] { return held.has_value(); });
    return held.value_or(false);
  }

  EngineOptions options;
  TempFolder around;
  boost::asio::io_context io{1};
  Events events;
  std::optional<Fault> failed;
  std::unique_ptr<Engine> engine;
};

TEST_F(EngineTest, ALeaseOutlivesTheEngineWithItsToken) {
  open();
  const auto granted = testing::reply<core::Granted>(submit(ask("a", "db").ttl(60s)));
  EXPECT_TRUE(holds("a"));

  for (int restart = 0; restart < 3; ++restart) {
    engine.reset();
    open();
    EXPECT_TRUE(holds("a"));
    const auto again = testing::reply<core::Granted>(submit(ask("a", "db").ttl(60s)));
    EXPECT_TRUE(again.repeated);
    EXPECT_EQ(again.lease.token, granted.lease.token);
    testing::reply<core::Busy>(submit(ask("b" + std::to_string(restart), "db")));
    testing::reply<core::Renewed>(submit(core::Renew{kSpace, id("a"), 0s}));
  }
  testing::reply<core::Ended>(submit(core::Release{kSpace, id("a")}));
  const auto next = testing::reply<core::Granted>(submit(ask("c", "db")));
  EXPECT_GT(next.lease.token, granted.lease.token);
  EXPECT_EQ(events.seen.front(), "engine_started");
}

TEST_F(EngineTest, ManyAtOnceAreAllAnswered) {
  open();
  constexpr std::size_t kMany = 2000;
  std::size_t granted = 0;
  std::size_t answered = 0;
  for (std::size_t i = 0; i < kMany; ++i) {
    const std::string name = std::to_string(i);
    engine->store().submit(ask(name, "r" + name).ttl(600s), [&](const ports::Answer& answer) {
      ++answered;
      const auto* applied = std::get_if<ports::Applied>(&answer);
      if (applied == nullptr) return;
      if (std::holds_alternative<core::Granted>(applied->effects.reply())) ++granted;
    });
  }
  run_until([&] { return answered == kMany; });
  EXPECT_EQ(granted, kMany);
  engine.reset();
  open();
  EXPECT_TRUE(holds("0"));
  EXPECT_TRUE(holds("1999"));
}

TEST_F(EngineTest, ALeaseThatIsNotRenewedExpires) {
  open();
  testing::reply<core::Granted>(submit(ask("a", "db").ttl(200ms)));
  const auto next = testing::reply<core::Queued>(submit(ask("b", "db").waiting()));
  EXPECT_EQ(next.waiters, 1U);
  const auto give_up = std::chrono::steady_clock::now() + 60s;
  while (!holds("b") && std::chrono::steady_clock::now() < give_up) io.run_one_for(50ms);
  EXPECT_TRUE(holds("b"));
  EXPECT_FALSE(holds("a"));
}

TEST_F(EngineTest, AFolderInUseIsRefused) {
  open();
  const auto second = try_to_open();
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.fault().kind, FaultKind::in_use);
  EXPECT_NE(to_text(second.fault()).find("(pid " + std::to_string(::getpid()) + ")"),
            std::string::npos);

  const pid_t child = ::fork();
  if (child == 0) {
    const auto third = try_to_open();
    ::_exit(third.ok() ? 1 : exit_code(third.fault().kind));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), exit_code(FaultKind::in_use));

  testing::reply<core::Granted>(submit(ask("a", "db")));  // the first one goes on undisturbed
  engine.reset();
  open();
}

TEST_F(EngineTest, ACleanStopAnswersWhatIsUnderWayAndTakesNothingNew) {
  open();
  testing::reply<core::Granted>(submit(ask("a", "db").ttl(60s)));
  std::string seen;
  engine->store().submit(ask("b", "other"), [&](const ports::Answer& answer) {
    seen += std::holds_alternative<ports::Applied>(answer) ? "applied " : "not ";
  });
  engine->stop([&] { seen += "stopped "; });
  engine->store().submit(ask("c", "third"), [&](const ports::Answer& answer) {
    const auto* refused = std::get_if<ports::NotSubmitted>(&answer);
    ASSERT_NE(refused, nullptr);
    EXPECT_EQ(refused->why, ports::NotSubmitted::Why::stopping);
    seen += "refused ";
  });
  run_until([&] { return seen.find("stopped") != std::string::npos; });
  EXPECT_LT(seen.find("applied"), seen.find("stopped")) << seen;
  EXPECT_NE(seen.find("refused"), std::string::npos) << seen;
  engine.reset();
  open();
  EXPECT_TRUE(holds("a"));
  EXPECT_TRUE(holds("b"));
}

TEST_F(EngineTest, DestroyingItInTheMiddleOfWritesLeavesNothingRunning) {
  for (int round = 0; round < 10; ++round) {
    open();
    for (int i = 0; i < 50; ++i) {
      const std::string name = std::to_string(round) + "-" + std::to_string(i);
      engine->store().submit(ask(name, name), [](const ports::Answer&) {});
    }
    for (int steps = 0; steps < round; ++steps) io.poll_one();
    engine.reset();
    io.restart();
    io.poll();  // what was posted before finds nobody
  }
  EXPECT_FALSE(failed);
}

TEST_F(EngineTest, AFolderThatCannotBeMadeIsAFault) {
  options.data_folder = around.path() / "none" / "data";
  const auto opened = Engine::open(io, options, events, [](const Fault&) {});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.fault().kind, FaultKind::disk);
}

// All threads at once: the writer, the one that prepares and removes segments, and the background.
TEST_F(EngineTest, GoesOnWhileSegmentsRollOverAndSnapshotsAreMade) {
  options.replica.log.segment_bytes = std::uint64_t{64} << 10;
  options.replica.max_entry_bytes = 16'000;
  options.replica.snapshot_log_bytes = 100'000;
  open();
  constexpr int kCycles = 1'000;
  constexpr int kClients = 8;
  int left = kCycles * kClients;
  std::function<void(int, int)> cycle = [&](int client, int turn) {
    if (turn == kCycles) return;
    const std::string lease = "lease-" + std::to_string(client) + "-" + std::to_string(turn);
    engine->store().submit(ask(lease, "r" + std::to_string(client)),
                           [&, client, turn, lease](const ports::Answer& answer) {
                             ASSERT_TRUE(std::holds_alternative<ports::Applied>(answer));
                             engine->store().submit(core::Release{kSpace, id(lease)},
                                                    [&, client, turn](const ports::Answer&) {
                                                      --left;
                                                      cycle(client, turn + 1);
                                                    });
                           });
  };
  for (int client = 0; client < kClients; ++client) cycle(client, 0);
  run_until([&] { return left == 0; });
  EXPECT_GT(std::count(events.seen.begin(), events.seen.end(), "snapshot_taken"), 1);
}

}  // namespace
}  // namespace pawl::engine
