// SPDX-License-Identifier: Apache-2.0
#include "engine/host/folder_lock.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include "engine/host/temp_folder.h"

namespace pawl::engine {
namespace {

struct Events final : ports::Observer {
  void event(ports::Severity severity, std::string_view name,
             std::span<const ports::Field> fields) override {
    std::string text = severity == ports::Severity::warning ? "warning " : "";
    text += name;
    for (const ports::Field& field : fields) {
      if (field.name == "mode") text += " " + std::string(std::get<std::string_view>(field.value));
    }
    seen.push_back(text);
  }
  std::vector<std::string> seen;
};

class FolderLockTest : public ::testing::Test {
 protected:
  auto take() { return FolderLock::take(folder, events); }
  std::string refusal() {
    const auto second = take();
    if (second.ok()) return "(not refused)";
    EXPECT_EQ(second.fault().kind, FaultKind::in_use);
    return to_text(second.fault());
  }

  TempFolder around;
  std::filesystem::path folder = around.path() / "data";
  Events events;
};

// A process that takes the folder and holds it until it is killed.
class Holder {
 public:
  explicit Holder(const std::filesystem::path& folder) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      Events events;
      const auto lock = FolderLock::take(folder, events);
      const char byte = lock.ok() ? 'y' : 'n';
      if (::write(ready[1], &byte, 1) == 1) ::pause();
      ::_exit(0);
    }
    char byte = '?';
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Holder() { kill(); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

TEST_F(FolderLockTest, TheFolderIsMadeForItsOwnerOnly) {
  ASSERT_TRUE(take().ok());
  struct stat about{};
  ASSERT_EQ(::stat(folder.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0700U);
  ASSERT_EQ(::stat((folder / "LOCK").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
  EXPECT_TRUE(events.seen.empty());
}

TEST_F(FolderLockTest, AnotherProcessIsRefusedAndToldWho) {
  const Holder holder(folder);
  EXPECT_EQ(refusal(), "Another process (pid " + std::to_string(holder.pid()) +
                           ") uses the data folder " + folder.string() +
                           ". Stop it first, or give this one a folder of its own.");
}

TEST_F(FolderLockTest, TheSameProcessIsRefusedToo) {
  const auto first = take();
  ASSERT_TRUE(first.ok());
  EXPECT_NE(refusal().find("(pid " + std::to_string(::getpid()) + ")"), std::string::npos);
}

TEST_F(FolderLockTest, NothingIsWonByRemovingLock) {
  const Holder holder(folder);
  ASSERT_TRUE(std::filesystem::remove(folder / "LOCK"));
  EXPECT_EQ(refusal().rfind("Another process uses the data folder", 0), 0U);
}

TEST_F(FolderLockTest, AKilledHolderHoldsNothing) {
  Holder holder(folder);
  holder.kill();
  EXPECT_TRUE(take().ok());
  EXPECT_TRUE(take().ok());  // and neither does one that let go
}

TEST_F(FolderLockTest, LockSaysWhoHoldsIt) {
  {
    std::filesystem::create_directory(folder);
    std::ofstream(folder / "LOCK") << "123456789 is a longer text than any pid\n";
  }
  const auto lock = take();
  ASSERT_TRUE(lock.ok());
  std::ifstream file(folder / "LOCK");
  std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(all, std::to_string(::getpid()) + "\n");
}

TEST_F(FolderLockTest, AFolderThatOthersMayEnterIsUsedWithAWarning) {
  ASSERT_EQ(::mkdir(folder.c_str(), 0700), 0);
  ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
  ASSERT_TRUE(take().ok());
  EXPECT_EQ(events.seen, (std::vector<std::string>{"warning data_folder_permissions 0755"}));
  struct stat about{};
  ASSERT_EQ(::stat(folder.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0755U);
}

TEST_F(FolderLockTest, OnlyOneFolderIsMade) {
  folder = around.path() / "none" / "data";
  const auto lock = take();
  ASSERT_FALSE(lock.ok());
  EXPECT_EQ(lock.fault().kind, FaultKind::disk);
  EXPECT_NE(to_text(lock.fault()).find("does not exist. Make it first"), std::string::npos);
}

TEST_F(FolderLockTest, AFileIsNoDataFolder) {
  std::ofstream(folder) << "x";
  const auto lock = take();
  ASSERT_FALSE(lock.ok());
  EXPECT_NE(lock.fault().what.find("Not a directory"), std::string::npos);
}

}  // namespace
}  // namespace pawl::engine
