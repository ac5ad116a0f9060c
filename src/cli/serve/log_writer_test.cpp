// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/log_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

namespace pawl::cli {
namespace {

class Pipe {
 public:
  // As small as pipes are, so that it is soon full.
  Pipe() {
    EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0);
    EXPECT_GT(::fcntl(ends_[1], F_SETPIPE_SZ, 4096), 0);
  }
  ~Pipe() {
    close_reader();
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int writer() const { return ends_[1]; }
  void close_reader() { shut(ends_[0]); }
  void close_writer() { shut(ends_[1]); }
  // Until the writing end is closed.
  std::vector<std::string> lines() const {
    std::string text;
    std::array<char, 4096> some{};
    for (ssize_t got = 0; (got = ::read(ends_[0], some.data(), some.size())) > 0;) {
      text.append(some.data(), static_cast<std::size_t>(got));
    }
    std::vector<std::string> all;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) all.push_back(line);
    return all;
  }

 private:
  static void shut(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

LogWriterOptions to(const Pipe& pipe, std::size_t queue_bytes) {
  return {pipe.writer(), queue_bytes,
          [](std::size_t dropped) { return "dropped " + std::to_string(dropped); }};
}

TEST(LogWriter, WritesEveryLineInOrderBeforeItIsGone) {
  Pipe pipe;
  std::vector<std::string> seen;
  std::thread reader([&] { seen = pipe.lines(); });
  {
    LogWriter writer(to(pipe, 1'000'000));
    for (int i = 0; i < 5'000; ++i) writer.put("line " + std::to_string(i));
  }
  pipe.close_writer();
  reader.join();
  ASSERT_EQ(seen.size(), 5'000U);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], "line " + std::to_string(i));
}

TEST(LogWriter, DropsWhatWaitedWhenNobodyReadsAndSaysHowMuch) {
  Pipe pipe;
  constexpr std::size_t kPut = 5'000;
  const std::string padding(200, '.');
  std::optional<LogWriter> writer(std::in_place, to(pipe, 20'000));
  for (std::size_t i = 0; i < kPut; ++i) writer->put(std::to_string(i) + ' ' + padding);
  std::vector<std::string> seen;
  std::thread reader([&] { seen = pipe.lines(); });
  writer.reset();
  pipe.close_writer();
  reader.join();

  std::size_t written = 0;
  std::size_t dropped = 0;
  for (const std::string& line : seen) {
    if (line.starts_with("dropped ")) {
      dropped += std::stoul(line.substr(8));
    } else {
      ++written;
    }
  }
  EXPECT_GT(dropped, 0U);
  EXPECT_EQ(written + dropped, kPut);
  EXPECT_EQ(seen.back(), std::to_string(kPut - 1) + ' ' + padding);
}

TEST(LogWriter, EndsAlsoWhenNobodyEverReads) {
  Pipe pipe;
  LogWriter writer(to(pipe, 20'000));
  for (int i = 0; i < 5'000; ++i) writer.put(std::string(200, '.'));
  SUCCEED() << "the test is that it comes to its end";
}

TEST(LogWriter, EndsWhenTheReaderIsGone) {
  Pipe pipe;
  ::signal(SIGPIPE, SIG_IGN);
  LogWriter writer(to(pipe, 20'000));
  pipe.close_reader();
  for (int i = 0; i < 1'000; ++i) writer.put("line");
  SUCCEED() << "the test is that it comes to its end";
}

}  // namespace
}  // namespace pawl::cli
