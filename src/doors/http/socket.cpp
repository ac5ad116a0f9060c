// SPDX-License-Identifier: Apache-2.0
#include "doors/http/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>

namespace pawl::doors::http {
namespace {

// The first probe after two silent seconds, then one a second.
constexpr int kProbeAfterSeconds = 2;
constexpr int kProbeEverySeconds = 1;
constexpr int kProbes = 3;

// A socket that takes no options is about to fail anyway, and then says so itself.
void set(Socket& socket, int level, int name, int value) {
  ::setsockopt(socket.native_handle(), level, name, &value, sizeof value);
}

Transfer transfer(ssize_t result) {
  if (result > 0) return {Flow::moved, static_cast<std::size_t>(result)};
  if (result == 0) return {Flow::ended, 0};
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {Flow::later, 0};
  return {Flow::broken, 0};
}

iovec piece(std::string_view text) {
  // sendmsg() only reads, its type is older than const.
  return {const_cast<char*>(text.data()), text.size()};
}

}  // namespace

void set_up(Socket& socket, std::chrono::milliseconds lost_timeout) {
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, kProbeAfterSeconds);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, kProbeEverySeconds);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  set_patience(socket, lost_timeout);
}

void set_patience(Socket& socket, std::chrono::milliseconds patience) {
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(patience.count()));
}

bool has_hung_up(Socket& socket) {
  pollfd asked{socket.native_handle(), POLLRDHUP, 0};
  return ::poll(&asked, 1, 0) > 0 && (asked.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

void bound_send_buffer(Socket& socket, std::size_t bytes) {
  set(socket, SOL_SOCKET, SO_SNDBUF, static_cast<int>(bytes));
}

Transfer receive_now(Socket& socket, std::span<char> into) {
  return transfer(::recv(socket.native_handle(), into.data(), into.size(), MSG_DONTWAIT));
}

Transfer send_now(Socket& socket, std::string_view first, std::string_view second) {
  std::array<iovec, 2> pieces{piece(first), piece(second)};
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = pieces.size();
  return transfer(::sendmsg(socket.native_handle(), &message, MSG_DONTWAIT | MSG_NOSIGNAL));
}

}  // namespace pawl::doors::http
