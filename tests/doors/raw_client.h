// SPDX-License-Identifier: Apache-2.0
// A client that says exactly the bytes it is told to, when it is told to: well-behaved or not.
// Blocking; everything it waits for has a deadline, and missing it fails the test. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace pawl::testing {

// Far beyond what anything should take, also on a busy machine: only a broken server waits it out.
inline constexpr std::chrono::seconds kPatience{60};

struct Response {
  int status = 0;                              // 0: there was none
  std::map<std::string, std::string> headers;  // names as sent
  std::string body;

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

class RawClient {
 public:
  // With `receive_buffer_bytes` the kernel keeps only about so much that this client has not read.
  explicit RawClient(std::uint16_t port, int receive_buffer_bytes = 0);
  ~RawClient() { close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  RawClient(RawClient&& other) noexcept;

  // False: the server does not want it any more.
  bool send(std::string_view bytes);

  // The next response; `to_head`: to a HEAD request, so without a body.
  Response response(bool to_head = false);
  // As much as comes until this text has come.
  std::string read_until(std::string_view text);
  // Everything up to the end, whichever way the server ends it.
  std::string read_to_end();
  bool is_over() { return read_to_end().empty(); }

  void half_close();
  void reset();  // RST, not FIN
  void close();

 private:
  // False: it has ended.
  bool fill();

  int socket_ = -1;
  std::string in_;
};

std::string get(std::string_view target, std::string_view more_headers = "");
std::string post(std::string_view target, std::string_view body);

}  // namespace pawl::testing
