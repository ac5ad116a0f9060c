// SPDX-License-Identifier: Apache-2.0
// A blocking HTTP/1.1 client for one request at a time: a new connection each, a deadline on
// everything, bounds on what an answer may hold. Not thread-safe, holds nothing between calls.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/times.h"
#include "cli/url.h"
#include "ports/result.h"

namespace pawl::cli {

struct HttpRequest {
  std::string_view method = "GET";    // a literal
  std::string target{};               // path and query, encoded
  std::optional<std::string> body{};  // JSON
  std::string_view accept = "*/*";    // a literal
  std::string last_event_id{};
};

struct HttpResponse {
  int status = 0;
  std::string content_type;
  std::string body;
  std::optional<WallTime> date;
};

struct HttpFault {
  std::string why;
  // The whole request was sent: the service may have acted on it (P11).
  bool sent = false;
};

class HttpClient {
 public:
  using Patience = std::chrono::milliseconds;
  using Reply = ports::Result<HttpResponse, HttpFault>;
  // A piece of a body as it arrives; false: enough.
  using OnBytes = std::function<bool(std::string_view)>;

  explicit HttpClient(Address address) : address_(std::move(address)) {}

  // The whole answer, within `patience`.
  Reply call(const HttpRequest& request, Patience patience) const;

  // The body of a 200 goes to `on_bytes` as it arrives, until that has enough or the service ends
  // it; the answer then has no body. A stream silent for longer than `silence` is a fault. Any
  // other answer is read whole.
  Reply follow(const HttpRequest& request, Patience silence, const OnBytes& on_bytes) const;

 private:
  Address address_;
};

}  // namespace pawl::cli
