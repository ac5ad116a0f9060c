// SPDX-License-Identifier: Apache-2.0
// Ten thousand clients that wait at once, as the product promises. The clients are a process of
// their own: one process may not have file descriptors enough for both ends.
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "doors/memory.h"
#include "doors/server_test.h"

namespace pawl::testing {
namespace {

constexpr std::size_t kWanted = 10'000;
constexpr std::size_t kDescriptorsForOthers = 200;
constexpr std::size_t kBytesEach = 10 * 1024;

// As many as both processes may have.
std::size_t raise_descriptors() {
  rlimit limit{};
  EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, kWanted + kDescriptorsForOthers);
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  return std::min<std::size_t>(kWanted, limit.rlim_cur - kDescriptorsForOthers);
}

int connect_to(std::uint16_t port) {
  const int made = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int result = ::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  return result == 0 ? made : -1;
}

bool is_answered(int socket) {
  std::array<char, 1024> buffer;
  std::size_t size = 0;
  while (size < buffer.size()) {
    const ssize_t got = ::recv(socket, buffer.data() + size, buffer.size() - size, 0);
    if (got <= 0) return false;
    size += static_cast<std::size_t>(got);
    const std::string_view text(buffer.data(), size);
    if (text.ends_with("\r\n\r\nat last")) return text.starts_with("HTTP/1.1 200 OK\r\n");
  }
  return false;
}

// The clients' process: connects them all, lets each ask, waits for all answers, and says how many
// came. Plain system calls only, and never returns.
[[noreturn]] void be_clients(int from_test, int to_test, std::size_t count) {
  ::alarm(static_cast<unsigned>(2 * kPatience.count()));
  std::uint16_t port = 0;
  if (::read(from_test, &port, sizeof port) != sizeof port) ::_exit(1);
  std::vector<int> sockets;
  sockets.reserve(count);
  const std::string request = post("/wait", "{\"resource\":\"tenant:job\",\"ownerId\":\"worker\"}");
  for (std::size_t i = 0; i < count; ++i) {
    const int socket = connect_to(port);
    if (socket < 0) ::_exit(2);
    if (::send(socket, request.data(), request.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(request.size())) {
      ::_exit(3);
    }
    sockets.push_back(socket);
  }
  const std::size_t answered =
      static_cast<std::size_t>(std::count_if(sockets.begin(), sockets.end(), is_answered));
  if (::write(to_test, &answered, sizeof answered) != sizeof answered) ::_exit(4);
  ::_exit(0);
}

struct TenThousandTest : ServerTest {
  std::array<int, 2> to_clients{};
  std::array<int, 2> from_clients{};
};

TEST_F(TenThousandTest, TenThousandClientsWaitAtOnceForLittleMemoryAndAreAllAnswered) {
  const std::size_t count = raise_descriptors();
  if (count < kWanted) {
    std::printf("only %zu clients: the hard limit of file descriptors allows no more\n", count);
  }
  ASSERT_EQ(::pipe(to_clients.data()), 0);
  ASSERT_EQ(::pipe(from_clients.data()), 0);
  const pid_t clients = ::fork();
  ASSERT_GE(clients, 0);
  if (clients == 0) be_clients(to_clients[0], from_clients[1], count);
  ::close(from_clients[1]);

  start();
  const std::size_t before = resident_bytes();
  ASSERT_EQ(::write(to_clients[1], &port, sizeof port), static_cast<ssize_t>(sizeof port));
  await_waiting(count);
  EXPECT_EQ(in_loop([&] { return server->connections(); }), count);
  const std::size_t each = growth_since(before) / count;
  RecordProperty("bytes_each", static_cast<int>(each));
  if (kCountsMemory) {
    EXPECT_LT(each, kBytesEach);
  }
  expect_well();  // others are served meanwhile

  answer_all();
  std::size_t answered = 0;
  ASSERT_EQ(::read(from_clients[0], &answered, sizeof answered),
            static_cast<ssize_t>(sizeof answered));
  EXPECT_EQ(answered, count);
  int status = 0;
  ASSERT_EQ(::waitpid(clients, &status, 0), clients);
  EXPECT_EQ(status, 0);
  await_connections(0);
  for (const int end : {to_clients[0], to_clients[1], from_clients[0]}) ::close(end);
}

}  // namespace
}  // namespace pawl::testing
