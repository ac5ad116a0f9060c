// SPDX-License-Identifier: Apache-2.0
// The HTTP API without HTTP: a request that was read whole goes in, an answer to write comes out,
// at once or when the lock is granted. Paths and fields are those of openapi.json; every refusal is
// problem+json. Owned by the loop. See routes.cpp for the table of all calls.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "service/feed.h"
#include "service/service.h"

namespace pawl::doors::http {

// Views into the session's buffers, valid during take().
struct Request {
  std::string_view method;
  std::string_view target;        // path and query, as sent
  std::string_view content_type;  // empty: none
  std::string_view last_event_id;
  std::string_view body;
  // By these a browser's page is known; empty: not sent.
  std::string_view host = {};
  std::string_view origin = {};
  std::string_view fetch_site = {};  // Sec-Fetch-Site
};

struct Answer {
  int status = 200;
  std::string_view content_type = "application/json";  // a literal
  std::string body;
  std::string allow;                      // 405: the methods that are
  std::optional<unsigned> retry_after_s;  // 429, 503
  std::optional<service::Receipt> receipt;
  std::string_view call;  // the name of the call, for metrics; a literal
  bool close = false;     // nothing more is answered on this connection
};

// The answer is a stream of server-sent events.
struct Stream {
  service::FeedFilter filter;
  service::Feed::Place from = 0;
  bool missed = false;  // events were missed before `from`
};

using Reply = std::variant<Answer, Stream>;

struct ApiOptions {
  std::string version = "0.0.0";
  std::uint64_t node_id = 1;
  std::size_t max_page = 1'000;  // of any listing
  std::size_t default_page = 100;
};

class Api {
 public:
  using OnReply = std::function<void(Reply)>;

  Api(service::Service& service, const ApiOptions& options);
  ~Api();

  // `done` is called once, perhaps before take() returns; unless the call is hung up first. Zero:
  // the call is answered, or is none that anybody could wait for.
  service::CallId take(const Request& request, OnReply done);

  // What could not become a Request at all.
  static Answer refusal(const service::Problem& problem);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::doors::http
