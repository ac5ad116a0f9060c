// SPDX-License-Identifier: Apache-2.0
// ports::Worker with a thread of its own, which takes no signals. Made, used and destroyed in the
// loop. The queue is as long as what its user has under way: the replica gives each worker one job
// at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "ports/loop.h"

namespace pawl::engine {

struct WorkerOptions {
  std::string name;  // shown by ps and top; at most 15 characters
  int nice = 0;      // larger: others come first
};

class ThreadWorker final : public ports::Worker {
 public:
  ThreadWorker(ports::Loop& loop, WorkerOptions options);
  ~ThreadWorker() override;
  ThreadWorker(const ThreadWorker&) = delete;
  ThreadWorker& operator=(const ThreadWorker&) = delete;

  void run(ports::Action job, ports::Action done) override;
  void stop() override;

 private:
  struct Task {
    ports::Action job;
    ports::Action done;
  };
  void work(const WorkerOptions& options);
  std::optional<Task> next();

  ports::Loop& loop_;
  std::shared_ptr<bool> alive_;  // read and written in the loop only
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> queue_;  // with mutex_
  bool stopping_ = false;   // with mutex_
  std::thread thread_;      // last: it uses all of the above
};

}  // namespace pawl::engine
