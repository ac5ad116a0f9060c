// SPDX-License-Identifier: Apache-2.0
// One life of pawl_lock_child, from spawn to its end, and what stands around it: a folder for the
// test, and the library that stops it at a chosen call. Every read and wait has a deadline. One
// thread. A child never outlives the object, nor the test's own process.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/stop_at.h"

namespace pawl::testing {

using Clock = std::chrono::steady_clock;
using Moment = Clock::time_point;

// Long enough that only a process that hangs is caught by it.
inline constexpr std::chrono::seconds kPatience{60};

// A folder of its own, removed when the test has passed and kept when it has not.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The calls below a folder, counted, and perhaps stopped at (stop_at.h). One for each life.
class StopAt {
 public:
  // Only counts.
  explicit StopAt(const Scratch& scratch);
  StopAt(const Scratch& scratch, std::string how, std::uint64_t at, std::string kind = "");
  ~StopAt();
  StopAt(const StopAt&) = delete;
  StopAt& operator=(const StopAt&) = delete;

  std::vector<std::string> environment() const;
  std::uint64_t calls() const;
  bool stopped() const;
  std::string stopped_call() const;  // "fdatasync /data/log/..."; empty: it has not come to that

 private:
  std::filesystem::path folder_;
  std::filesystem::path file_;
  std::string how_;
  std::uint64_t at_ = 0;
  std::string kind_;
  StopPage* page_ = nullptr;
};

struct ChildOptions {
  std::filesystem::path folder;
  std::uint64_t segment_bytes = 0;  // zero: as the engine has it; the next two as well
  std::uint64_t snapshot_log_bytes = 0;
  std::uint64_t padding_bytes = 0;  // in every acquire
  const StopAt* stop = nullptr;     // must outlive the child
};

struct Exit {
  int signal = 0;  // zero: it ended by itself
  int code = 0;
  friend bool operator==(const Exit&, const Exit&) = default;
};
std::string to_text(const Exit& exit);

class ChildProcess {
 public:
  explicit ChildProcess(const ChildOptions& options);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // One line. False: nobody reads it any more.
  bool send(std::string line);

  enum class Read : std::uint8_t { line, timeout, closed };
  Read read_line(std::string& line, Moment deadline);
  // Whether it said `ready`, by then.
  bool ready(Moment deadline = Clock::now() + kPatience);

  void kill();       // SIGKILL; what it had answered can still be read
  void terminate();  // SIGTERM
  // What it still says is lost. One that does not end in time is killed, and says so.
  Exit wait();
  std::string errors() const;  // all of stderr so far
  std::string fault() const;   // from "fault:" on; empty: none

 private:
  int errors_ = -1;  // its stderr: a file in memory
  int pid_ = -1;
  int input_ = -1;  // the child's
  int output_ = -1;
  std::string received_;
  std::optional<Exit> exit_;
};

}  // namespace pawl::testing
