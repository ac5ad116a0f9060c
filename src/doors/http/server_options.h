// SPDX-License-Identifier: Apache-2.0
// What an operator can set about the HTTP server. Plain values with working defaults.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace pawl::doors::http {

struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 7420;  // 0: any free one
  std::size_t max_connections = 16'384;
  std::size_t max_header_bytes = 16 * 1024;  // also of what is read ahead
  std::size_t max_body_bytes = 64 * 1024;
  std::size_t max_event_readers = 100;
  // From the first byte of a request to its last header.
  std::chrono::milliseconds header_timeout{10'000};
  std::chrono::milliseconds body_timeout{10'000};
  std::chrono::milliseconds idle_timeout{75'000};   // between requests
  std::chrono::milliseconds write_timeout{10'000};  // for a client that does not read
  std::chrono::milliseconds lost_timeout{5'000};    // a peer that vanished without a word
  std::chrono::milliseconds heartbeat{15'000};      // of event streams
};

}  // namespace pawl::doors::http
