// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/notify.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "engine/host/temp_folder.h"

namespace pawl::cli {
namespace {

// The service manager's side.
class Manager {
 public:
  // '@' first: an abstract name.
  explicit Manager(const std::string& name) : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name.front() == '@') address.sun_path[0] = '\0';
    const std::size_t length = offsetof(sockaddr_un, sun_path) + name.size();
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&address), static_cast<socklen_t>(length)),
              0);
  }
  ~Manager() { ::close(fd_); }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  std::string heard() const {
    std::array<char, 256> text{};
    const ssize_t got = ::recv(fd_, text.data(), text.size(), MSG_DONTWAIT);
    return got < 0 ? "nothing" : std::string(text.data(), static_cast<std::size_t>(got));
  }

 private:
  int fd_;
};

TEST(Notifier, TellsTheManagerThroughAPath) {
  const engine::TempFolder folder;
  const std::string socket = (folder.path() / "socket").string();
  const Manager manager(socket);
  EXPECT_TRUE(Notifier(socket).tell("READY=1\nSTATUS=fine"));
  EXPECT_EQ(manager.heard(), "READY=1\nSTATUS=fine");
}

TEST(Notifier, TellsTheManagerThroughAnAbstractSocket) {
  const std::string socket = "@pawl-notify-test-" + std::to_string(::getpid());
  const Manager manager(socket);
  EXPECT_TRUE(Notifier(socket).tell("WATCHDOG=1"));
  EXPECT_EQ(manager.heard(), "WATCHDOG=1");
}

TEST(Notifier, WithoutAManagerNothingHappens) {
  EXPECT_FALSE(Notifier("").tell("READY=1"));
  EXPECT_FALSE(Notifier("relative").tell("READY=1"));
  EXPECT_FALSE(Notifier("/nonexistent/socket").tell("READY=1"));
  EXPECT_FALSE(Notifier('/' + std::string(200, 'x')).tell("READY=1"));
}

TEST(Notifier, FeedsTheWatchdogOnlyIfItIsMeant) {
  using std::chrono::microseconds;
  EXPECT_EQ(parse_watchdog("30000000", "42", 42), microseconds(30'000'000));
  EXPECT_EQ(parse_watchdog("30000000", nullptr, 42), microseconds(30'000'000));
  EXPECT_EQ(parse_watchdog("30000000", "41", 42), std::nullopt);
  EXPECT_EQ(parse_watchdog(nullptr, "42", 42), std::nullopt);
  for (const char* nonsense : {"", "0", "-1", "1s", "99999999999999999999"}) {
    EXPECT_EQ(parse_watchdog(nonsense, nullptr, 42), std::nullopt) << nonsense;
  }
}

}  // namespace
}  // namespace pawl::cli
