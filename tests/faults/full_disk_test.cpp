// SPDX-License-Identifier: Apache-2.0
// A disk that is full or fails stops the engine: it says so, answers nothing that is not on disk,
// and comes back with every answered grant once the disk is well.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "engine/fault.h"
#include "faults/test_size.h"
#include "faults/workload.h"

namespace pawl::testing {
namespace {

constexpr const char* kFull = "No space left on device";
constexpr const char* kBroken = "Input/output error";

bool names_a_file(const std::string& fault) {
  for (const char* file : {"log/", "log:", "snapshots", "FORMAT", "LOCK", "data folder"}) {
    if (fault.find(file) != std::string::npos) return true;
  }
  return false;
}

// `call`: the one that failed, where that is known. If it was about the data folder itself, then
// that goes without saying.
void expect_disk_fault(ChildProcess& child, const std::string& reason, const std::string& call) {
  EXPECT_EQ(to_text(child.wait()), to_text(Exit{0, engine::exit_code(engine::FaultKind::disk)}))
      << child.errors();
  const std::string fault = child.fault();
  EXPECT_NE(fault.find(reason), std::string::npos) << child.errors();
  EXPECT_TRUE(call.ends_with(" /data") || names_a_file(fault)) << fault;
}

// Starts, finds what was answered, and goes on.
void expect_well(const ChildOptions& options, Ledger& ledger) {
  ChildProcess child(options);
  Clients clients(child, ledger);
  ASSERT_TRUE(child.ready()) << to_text(child.wait()) << "\n" << child.errors();
  ASSERT_TRUE(clients.audit() && clients.ask_again() && clients.audit()) << child.errors();
  ASSERT_TRUE(acquire_one_by_one(clients, ledger, 10)) << child.errors();
  ASSERT_TRUE(clients.works_on("lease-afterwards") && clients.audit()) << child.errors();
  child.terminate();
  clients.last_words();
  EXPECT_EQ(to_text(child.wait()), to_text(Exit{0, 0})) << child.errors();
  for (const std::string& problem : ledger.judge()) ADD_FAILURE() << problem;
}

// A file system of its own, of 2 MiB, if this process may mount one.
class SmallDisk {
 public:
  explicit SmallDisk(const std::filesystem::path& folder) : folder_(folder) {
    std::filesystem::create_directories(folder_);
    mounted_ = ::mount("pawl-small-disk", folder_.c_str(), "tmpfs", 0, "size=2m") == 0;
    if (!mounted_) error_ = std::strerror(errno);
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool mounted() const { return mounted_; }
  const std::string& error() const { return error_; }

 private:
  std::filesystem::path folder_;
  bool mounted_ = false;
  std::string error_;
};

ChildOptions options_in(const std::filesystem::path& folder) {
  ChildOptions options;
  options.folder = folder;
  options.segment_bytes = 65'536;
  options.snapshot_log_bytes = 200'000;
  options.padding_bytes = 900;
  return options;
}

void fill_until_it_stops(const ChildOptions& options, Ledger& ledger) {
  ChildProcess child(options);
  Clients clients(child, ledger);
  ASSERT_TRUE(child.ready()) << to_text(child.wait()) << "\n" << child.errors();
  EXPECT_FALSE(acquire_one_by_one(clients, ledger, 5'000)) << "the disk is not full yet";
  clients.last_words();
  expect_disk_fault(child, kFull, "");
}

TEST(FullDisk, StopsTheEngineAndLosesNothingThatWasAnswered) {
  const Scratch scratch;
  const std::filesystem::path disk = scratch.path() / "disk";
  const SmallDisk small(disk);
  const StopAt pretending(scratch, "enospc", 200, "write");
  const ChildOptions options = options_in(disk / "data");
  ChildOptions filling = options;
  if (small.mounted()) {
    std::ofstream(disk / "filler") << std::string(1 << 20, 'x');
  } else {
    std::printf(
        "NOT on a full file system: a tmpfs can't be mounted here (%s). A library that answers "
        "ENOSPC stands in for it.\n",
        small.error().c_str());
    filling.stop = &pretending;
  }
  Ledger ledger;
  fill_until_it_stops(filling, ledger);
  const std::size_t grants = ledger.grants();
  EXPECT_GT(grants, 50U);
  // While there is no room it may start or not, but it does no harm.
  for (int i = 0; i < 3 && !HasFailure(); ++i) {
    ChildProcess child(options);
    Clients clients(child, ledger);
    const bool serves = child.ready() && clients.audit();
    if (serves) child.kill();
    clients.last_words();
    if (!serves) expect_disk_fault(child, kFull, "");
  }
  std::filesystem::remove(disk / "filler");
  expect_well(options, ledger);
  std::printf("the disk was full after %zu grants\n", grants);
}

struct Failure {
  const char* how;
  const char* kind;
  const char* reason;
  friend std::ostream& operator<<(std::ostream& out, const Failure& failure) {
    return out << failure.how << " at a call of kind " << failure.kind;
  }
};

// At the 1st, 2nd, 3rd, 5th, 8th... call of the kind, until the load does not come to it any more.
int fail_at_several(const Failure& failure) {
  int failed = 0;
  std::uint64_t n = 1;
  for (std::uint64_t step = 1; !::testing::Test::HasFailure(); step = std::exchange(n, n + step)) {
    const Scratch scratch;
    const StopAt stop(scratch, failure.how, n, failure.kind);
    SCOPED_TRACE(std::string(failure.how) + " at " + failure.kind + " " + std::to_string(n));
    ChildOptions options = options_in(scratch.path() / "data");
    options.segment_bytes = 8'192;
    options.snapshot_log_bytes = 9'000;
    Ledger ledger;
    {
      ChildOptions stopping = options;
      stopping.stop = &stop;
      ChildProcess child(stopping);
      Clients clients(child, ledger);
      const bool finished = child.ready() && acquire_one_by_one(clients, ledger, 25, &stop);
      if (finished) child.terminate();
      clients.last_words();
      if (!stop.stopped()) return failed;
      SCOPED_TRACE(stop.stopped_call());
      expect_disk_fault(child, failure.reason, stop.stopped_call());
      ++failed;
    }
    expect_well(options, ledger);
  }
  return failed;
}

class FailingCall : public ::testing::TestWithParam<Failure> {};

TEST_P(FailingCall, StopsTheEngineAndLosesNothingThatWasAnswered) {
  const Failure& failure = GetParam();
  const int failed = fail_at_several(failure);
  EXPECT_GT(failed, 0);
  std::printf("%s at %d different calls of kind %s\n", failure.how, failed, failure.kind);
}

INSTANTIATE_TEST_SUITE_P(
    Disk, FailingCall,
    ::testing::Values(Failure{"enospc", "write", kFull}, Failure{"enospc", "create", kFull},
                      Failure{"enospc", "folder", kFull}, Failure{"enospc", "sync", kFull},
                      Failure{"eio", "write", kBroken}, Failure{"eio", "sync", kBroken},
                      Failure{"eio", "create", kBroken}, Failure{"eio", "rename", kBroken},
                      Failure{"eio", "remove", kBroken}, Failure{"eio", "folder", kBroken}),
    [](const auto& test) { return std::string(test.param.how) + "_" + test.param.kind; });

}  // namespace
}  // namespace pawl::testing
