// SPDX-License-Identifier: Apache-2.0
#include "doors/http/socket.h"

#include <gtest/gtest.h>
#include <netinet/tcp.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <string>

namespace pawl::doors::http {
namespace {

using boost::asio::ip::tcp;

struct SocketTest : ::testing::Test {
  SocketTest() {
    near.connect(acceptor.local_endpoint());
    acceptor.accept(far);
  }

  static int option(Socket& socket, int level, int name) {
    int value = -1;
    socklen_t size = sizeof value;
    EXPECT_EQ(::getsockopt(socket.native_handle(), level, name, &value, &size), 0);
    return value;
  }

  boost::asio::io_context io{1};
  tcp::acceptor acceptor{io, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)};
  Socket near{io};
  tcp::socket far{io};
  std::array<char, 64> buffer{};
};

TEST_F(SocketTest, APeerThatVanishesIsNoticedWithinTheTimeGiven) {
  set_up(near, std::chrono::milliseconds(5'000));
  EXPECT_EQ(option(near, IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(option(near, SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(near, IPPROTO_TCP, TCP_USER_TIMEOUT), 5'000);
  const int silent_seconds =
      option(near, IPPROTO_TCP, TCP_KEEPIDLE) +
      option(near, IPPROTO_TCP, TCP_KEEPCNT) * option(near, IPPROTO_TCP, TCP_KEEPINTVL);
  EXPECT_LE(silent_seconds, 5);
}

TEST_F(SocketTest, ReadingNeverWaitsAndTellsTheEndFromNothingYet) {
  EXPECT_EQ(receive_now(near, buffer).flow, Flow::later);
  EXPECT_EQ(far.write_some(boost::asio::buffer("abc", 3)), 3U);
  const Transfer got = receive_now(near, buffer);
  EXPECT_EQ(got.flow, Flow::moved);
  EXPECT_EQ(std::string(buffer.data(), got.bytes), "abc");
  far.shutdown(tcp::socket::shutdown_send);
  EXPECT_EQ(receive_now(near, buffer).flow, Flow::ended);
}

TEST_F(SocketTest, AResetConnectionIsBroken) {
  far.set_option(tcp::socket::linger(true, 0));
  far.close();
  EXPECT_EQ(receive_now(near, buffer).flow, Flow::broken);
  EXPECT_EQ(send_now(near, "a", "b").flow, Flow::broken);
}

TEST_F(SocketTest, TwoPiecesAreSentAsOneAndAFullSocketTakesNoMore) {
  EXPECT_EQ(send_now(near, "head ", "body").bytes, 9U);
  const std::size_t got = far.read_some(boost::asio::buffer(buffer));
  EXPECT_EQ(std::string(buffer.data(), got), "head body");
  EXPECT_EQ(send_now(near, "only head", {}).bytes, 9U);

  bound_send_buffer(near, 4096);
  const std::string much(1'000'000, 'm');
  Transfer sent{Flow::moved, 0};
  std::size_t total = 0;
  while (sent.flow == Flow::moved) {
    sent = send_now(near, much, much);
    total += sent.bytes;
  }
  EXPECT_EQ(sent.flow, Flow::later);
  EXPECT_LT(total, 50 * much.size());
}

}  // namespace
}  // namespace pawl::doors::http
