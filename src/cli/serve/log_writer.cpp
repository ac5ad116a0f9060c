// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/log_writer.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace pawl::cli {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kRest{5};  // between two writes
constexpr std::chrono::seconds kPatience{2};   // for a reader that does not read, at the end
constexpr int kPollMs = 100;

bool is_regular(int fd) {
  struct stat about{};
  return ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

// Writes in pieces that poll() promises not to block, so that closing never hangs on a full pipe.
class PatientFile {
 public:
  explicit PatientFile(int fd) : fd_(fd), piece_(is_regular(fd) ? SIZE_MAX : PIPE_BUF) {}

  void hurry() { give_up_at_ = (steady_clock::now() + kPatience).time_since_epoch().count(); }

  // What can't be written is lost: there is nowhere left to say so.
  void write(std::string_view text) {
    while (!text.empty() && !gave_up()) {
      pollfd wanted{fd_, POLLOUT, 0};
      const int ready = ::poll(&wanted, 1, kPollMs);
      if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
      if (ready < 0 || (wanted.revents & POLLOUT) == 0) return;
      const ssize_t wrote = ::write(fd_, text.data(), std::min(text.size(), piece_));
      if (wrote >= 0) {
        text.remove_prefix(static_cast<std::size_t>(wrote));
      } else if (errno != EINTR && errno != EAGAIN) {
        return;
      }
    }
  }

 private:
  bool gave_up() const {
    const auto at = give_up_at_.load();
    return at != 0 && steady_clock::now().time_since_epoch().count() > at;
  }

  const int fd_;
  const std::size_t piece_;
  std::atomic<steady_clock::rep> give_up_at_{0};
};

}  // namespace

class LogWriter::Impl {
 public:
  explicit Impl(const LogWriterOptions& options)
      : options_(options), file_(options.fd), thread_([this] { work(); }) {}
  ~Impl() {
    file_.hurry();
    {
      const std::lock_guard hold(mutex_);
      ending_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  void put(std::string_view line) {
    bool wake = false;
    {
      const std::lock_guard hold(mutex_);
      if (waiting_.size() + line.size() >= options_.queue_bytes) {
        dropped_ += std::exchange(lines_, 0);
        waiting_.clear();
      }
      waiting_ += line;
      waiting_ += '\n';
      ++lines_;
      wake = std::exchange(idle_, false);
    }
    if (wake) changed_.notify_one();
  }

 private:
  void work() {
    std::string batch;
    std::unique_lock lock(mutex_);
    while (true) {
      idle_ = waiting_.empty();
      changed_.wait(lock, [this] { return !waiting_.empty() || ending_; });
      if (waiting_.empty()) return;
      batch.swap(waiting_);
      lines_ = 0;
      const std::size_t dropped = std::exchange(dropped_, 0);
      lock.unlock();
      if (dropped > 0) file_.write(options_.dropped_line(dropped) + '\n');
      file_.write(batch);
      batch.clear();
      lock.lock();
      changed_.wait_for(lock, kRest, [this] { return ending_; });
    }
  }

  const LogWriterOptions options_;
  PatientFile file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;
  std::size_t lines_ = 0;  // in what waits
  std::size_t dropped_ = 0;
  bool idle_ = false;  // the thread sleeps until there is something
  bool ending_ = false;
  std::thread thread_;
};

LogWriter::LogWriter(const LogWriterOptions& options) : impl_(std::make_unique<Impl>(options)) {}
LogWriter::~LogWriter() = default;

void LogWriter::put(std::string_view line) { impl_->put(line); }

}  // namespace pawl::cli
