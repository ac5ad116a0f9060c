// SPDX-License-Identifier: Apache-2.0
#include "engine/host/thread_worker.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <utility>

#include "core/assert.h"

namespace pawl::engine {
namespace {

// A thread begins with its maker's mask, so signals go to the threads that were there before.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all{};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

ThreadWorker::ThreadWorker(ports::Loop& loop, WorkerOptions options)
    : loop_(loop), alive_(std::make_shared<bool>(true)) {
  PAWL_ASSERT(options.name.size() <= 15);
  const AllSignalsBlocked blocked;
  thread_ = std::thread([this, options = std::move(options)] { work(options); });
}

ThreadWorker::~ThreadWorker() { ThreadWorker::stop(); }

void ThreadWorker::stop() {
  if (!thread_.joinable()) return;
  *alive_ = false;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
  queue_.clear();
}

void ThreadWorker::run(ports::Action job, ports::Action done) {
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (stopping_) return;
    queue_.push_back({std::move(job), std::move(done)});
  }
  changed_.notify_one();
}

void ThreadWorker::work(const WorkerOptions& options) {
  pthread_setname_np(pthread_self(), options.name.c_str());
  // Being nice is a courtesy: where it is not allowed, the work is done all the same.
  if (options.nice != 0) {
    setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), options.nice);
  }
  while (std::optional<Task> task = next()) {
    task->job();
    task->job = nullptr;  // what it held is given back here, not in the loop
    loop_.post([alive = alive_, done = std::move(task->done)] {
      if (*alive) done();
    });
  }
}

std::optional<ThreadWorker::Task> ThreadWorker::next() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  if (stopping_) return {};
  Task task = std::move(queue_.front());
  queue_.pop_front();
  return task;
}

}  // namespace pawl::engine
