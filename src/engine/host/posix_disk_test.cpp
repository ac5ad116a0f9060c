// SPDX-License-Identifier: Apache-2.0
#include "engine/host/posix_disk.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "engine/host/temp_folder.h"

namespace pawl::engine {
namespace {

class PosixDiskTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = PosixDisk::at(folder.path());
    ASSERT_TRUE(opened.ok());
    disk = std::move(opened).value();
  }
  std::unique_ptr<ports::File> create(const std::string& path) {
    auto file = disk->create(path);
    EXPECT_TRUE(file.ok()) << path;
    return std::move(file).value();
  }
  std::string contents(const std::string& path) {
    auto file = disk->open(path);
    if (!file.ok()) return "(" + file.fault().reason + ")";
    std::string bytes(file.value()->size().value(), '\0');
    EXPECT_EQ(file.value()->read(0, bytes).value(), bytes.size());
    return bytes;
  }
  mode_t mode_of(const std::string& path) {
    struct stat about{};
    EXPECT_EQ(::stat((folder.path() / path).c_str(), &about), 0);
    return about.st_mode & 0777U;
  }

  TempFolder folder;
  std::unique_ptr<PosixDisk> disk;
};

TEST_F(PosixDiskTest, WhatIsWrittenIsReadBack) {
  const auto file = create("a");
  EXPECT_FALSE(file->write(0, "hello"));
  EXPECT_FALSE(file->write(7, "world"));  // the gap is zeros
  EXPECT_FALSE(file->sync());
  EXPECT_EQ(file->size().value(), 12U);
  EXPECT_EQ(contents("a"), std::string("hello\0\0world", 12));
  std::vector<char> into(20, 'x');
  EXPECT_EQ(file->read(10, into).value(), 2U);
  EXPECT_EQ(file->read(12, into).value(), 0U);
  EXPECT_EQ(file->read(99, into).value(), 0U);
}

TEST_F(PosixDiskTest, NothingThatIsThereIsCreatedAgain) {
  EXPECT_FALSE(create("a")->write(0, "kept"));
  const auto again = disk->create("a");
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.fault(), (ports::DiskError{"create", "a", "File exists", false, false}));
  EXPECT_EQ(contents("a"), "kept");
}

TEST_F(PosixDiskTest, WhatIsNotThereIsSaidToBeMissing) {
  EXPECT_EQ(disk->open("none").fault(),
            (ports::DiskError{"open", "none", "No such file or directory", true, false}));
  EXPECT_TRUE(disk->create("none/a").fault().not_found);
  EXPECT_TRUE(disk->list("none").fault().not_found);
  EXPECT_TRUE(disk->remove("none")->not_found);
  EXPECT_TRUE(disk->rename("none", "a")->not_found);
  EXPECT_TRUE(disk->sync_folder("none")->not_found);
  EXPECT_TRUE(disk->make_folder("none/deeper")->not_found);
}

TEST_F(PosixDiskTest, OnlyTheOwnerMayLook) {
  EXPECT_FALSE(disk->make_folder("log"));
  create("log/1");
  EXPECT_EQ(mode_of("log"), 0700U);
  EXPECT_EQ(mode_of("log/1"), 0600U);
}

TEST_F(PosixDiskTest, FoldersAreMadeOnceAndListedInOrder) {
  EXPECT_FALSE(disk->make_folder("log"));
  EXPECT_FALSE(disk->make_folder("log"));
  create("log/b");
  create("log/a");
  EXPECT_EQ(disk->list("log").value(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(disk->list("").value(), (std::vector<std::string>{"log"}));
  EXPECT_FALSE(disk->sync_folder("log"));
  EXPECT_FALSE(disk->sync_folder(""));
  EXPECT_EQ(disk->make_folder("log/a")->reason, "Not a directory");
}

TEST_F(PosixDiskTest, ARenameReplacesAndARemovedFileIsGone) {
  EXPECT_FALSE(create("old")->write(0, "old"));
  EXPECT_FALSE(create("new")->write(0, "new"));
  EXPECT_FALSE(disk->rename("new", "old"));
  EXPECT_EQ(contents("old"), "new");
  EXPECT_FALSE(disk->remove("old"));
  EXPECT_TRUE(disk->list("").value().empty());
}

TEST_F(PosixDiskTest, AnOpenDiskDoesNotCareWhereTheProcessStands) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path().parent_path());
  auto relative = PosixDisk::at(folder.path().filename());
  std::filesystem::current_path("/");
  ASSERT_TRUE(relative.ok());
  EXPECT_TRUE(relative.value()->create("a").ok());
  std::filesystem::current_path(before);
  EXPECT_EQ(contents("a"), "");
}

TEST_F(PosixDiskTest, AFullDiskIsReportedAsFull) {
  auto devices = PosixDisk::at("/dev");
  ASSERT_TRUE(devices.ok());
  auto full = devices.value()->open("full");
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(full.value()->write(0, "x"),
            (ports::DiskError{"write", "full", "No space left on device", false, true}));
}

TEST_F(PosixDiskTest, AWriteThatTheSystemCutsShortGoesOnUntilItIsRefused) {
  const auto file = create("a");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const ports::DiskStatus status = file->write(0, std::string(3000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(status, (ports::DiskError{"write", "a", "File too large", false, false}));
  EXPECT_EQ(file->size().value(), 1000U);
}

TEST_F(PosixDiskTest, ThreadsUseItAtOnce) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const std::string name = std::to_string(t) + "-" + std::to_string(i);
        auto file = disk->create(name);
        EXPECT_TRUE(file.ok() && !file.value()->write(0, name));
        EXPECT_FALSE(disk->rename(name, name + "+"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(disk->list("").value().size(), 80U);
}

}  // namespace
}  // namespace pawl::engine
