// SPDX-License-Identifier: Apache-2.0
// A connection's socket: how it is set up, and reads and writes that never wait. Used in the loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace pawl::doors::http {

using Socket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

// Answers leave at once, and a peer that vanishes without a word is noticed within `lost_timeout`
// (P7): while it owes us an acknowledgement by TCP_USER_TIMEOUT, otherwise by probes.
void set_up(Socket& socket, std::chrono::milliseconds lost_timeout);

// The peer may take longer to read: a stream whose reader pauses is not a peer that vanished.
void set_patience(Socket& socket, std::chrono::milliseconds patience);

// The peer has closed the connection, though there may be bytes before the end that nobody has
// read.
bool has_hung_up(Socket& socket);

// The kernel keeps no more than about this for a reader that does not read.
void bound_send_buffer(Socket& socket, std::size_t bytes);

enum class Flow : std::uint8_t {
  moved,   // `bytes` of them, perhaps not all
  later,   // it would have to wait
  ended,   // the peer has said that it sends nothing more
  broken,  // the connection is no more
};
struct Transfer {
  Flow flow = Flow::broken;
  std::size_t bytes = 0;
};

Transfer receive_now(Socket& socket, std::span<char> into);
// The two, one after the other; either may be empty, but not both.
Transfer send_now(Socket& socket, std::string_view first, std::string_view second);

}  // namespace pawl::doors::http
