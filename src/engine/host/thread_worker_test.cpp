// SPDX-License-Identifier: Apache-2.0
#include "engine/host/thread_worker.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <csignal>
#include <future>
#include <memory>
#include <string>

#include "engine/host/asio_loop.h"
#include "engine/host/system_clock.h"

namespace pawl::engine {
namespace {

struct ThreadWorkerTest : ::testing::Test {
  // Until `seen` is this long; jobs are not work that io_context knows of.
  void run_until(std::size_t length) {
    const auto guard = boost::asio::make_work_guard(io);
    while (seen.size() < length) io.run_one();
  }

  boost::asio::io_context io{1};
  SystemClock clock;
  AsioLoop loop{io, clock};
  std::unique_ptr<ThreadWorker> worker =
      std::make_unique<ThreadWorker>(loop, WorkerOptions{"test", 0});
  std::string seen;
};

TEST_F(ThreadWorkerTest, JobsRunElsewhereInOrderAndEndInTheLoop) {
  const std::thread::id here = std::this_thread::get_id();
  std::string jobs;
  for (const char c : {'a', 'b', 'c'}) {
    worker->run(
        [&, c] {
          EXPECT_NE(std::this_thread::get_id(), here);
          jobs += c;
        },
        [&, c] {
          EXPECT_EQ(std::this_thread::get_id(), here);
          seen += c;
        });
  }
  run_until(3);
  EXPECT_EQ(jobs, "abc");
  EXPECT_EQ(seen, "abc");
}

TEST_F(ThreadWorkerTest, AStopWaitsForTheJobUnderWayAndDropsTheRest) {
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  std::promise<void> first_begun;
  std::promise<void> go;
  worker->run([&] { ++begun, first_begun.set_value(), go.get_future().wait(), ++ended; },
              [&] { seen += 'a'; });
  for (int i = 0; i < 100; ++i) worker->run([&] { ++begun, ++ended; }, [&] { seen += 'b'; });
  first_begun.get_future().wait();
  std::thread helper([&] { go.set_value(); });
  worker->stop();
  const int begun_by_then =
      begun;  // how many of the hundred is chance: the stop may have come late
  EXPECT_GE(begun_by_then, 1);
  EXPECT_EQ(ended, begun_by_then);
  helper.join();
  worker->run([&] { ++begun; }, [&] { seen += 'c'; });
  worker->stop();
  worker.reset();
  io.run();
  EXPECT_EQ(begun, begun_by_then);
  EXPECT_EQ(seen, "");
}

TEST_F(ThreadWorkerTest, ADoneThatWasPostedIsDroppedToo) {
  std::promise<void> over;
  worker->run([] {}, [&] { seen += 'a'; });
  worker->run([&] { over.set_value(); }, [] {});
  over.get_future().wait();  // so the first one's end has been posted
  worker.reset();
  io.run();
  EXPECT_EQ(seen, "");
}

TEST_F(ThreadWorkerTest, WhatAJobHeldIsGivenBackBeforeItsEndIsTold) {
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  worker->run([held = std::move(held)] {},
              [&] {
                EXPECT_TRUE(watch.expired());
                seen += 'a';
              });
  run_until(1);
}

TEST_F(ThreadWorkerTest, ItsThreadHasANameANicenessAndNoSignals) {
  std::array<char, 16> name{};
  int nice = 0;
  sigset_t blocked{};
  ThreadWorker background(loop, {"pawl-background", 5});
  background.run(
      [&] {
        pthread_getname_np(pthread_self(), name.data(), name.size());
        nice = getpriority(PRIO_PROCESS, 0);  // of the calling thread, on Linux
        pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
      },
      [&] { seen += 'a'; });
  run_until(1);
  EXPECT_STREQ(name.data(), "pawl-background");
  EXPECT_GE(nice, 5);
  EXPECT_LT(getpriority(PRIO_PROCESS, 0), nice);
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 1);
  EXPECT_EQ(sigismember(&blocked, SIGINT), 1);
}

}  // namespace
}  // namespace pawl::engine
