// SPDX-License-Identifier: Apache-2.0
// What stands behind the HTTP server: takes whole requests, and hears of clients that went away.
// The server knows nothing of locks; service_handler.h is the real one, tests have their own.
// Called in the loop only, and never from within one of its own calls except through OnReply.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "doors/http/api.h"
#include "ports/clock.h"
#include "service/feed.h"
#include "service/problem.h"
#include "service/service.h"

namespace pawl::doors::http {

class Handler {
 public:
  using OnReply = std::function<void(Reply)>;

  virtual ~Handler() = default;

  // `done` is called once, perhaps before take() returns; unless the call is hung up first. Zero:
  // the call is answered, or is none that anybody could wait for.
  virtual service::CallId take(const Request& request, OnReply done) = 0;
  // The client left before its answer was there, and `done` must not be called (P7).
  virtual void hung_up(service::CallId call) = 0;
  // An answer could not be written whole.
  virtual void unheard(const service::Receipt& receipt) = 0;
  // The answer to what could not become a Request.
  virtual Answer refusal(const service::Problem& problem) = 0;
  // What streams of events are made from.
  virtual service::Feed& feed() = 0;

  virtual void request_done(std::string_view call, int status, ports::Ticks took) = 0;
  virtual void connection_opened() = 0;
  virtual void connection_closed() = 0;
  virtual void connection_refused(std::string_view why) = 0;
  virtual void event_readers(std::size_t now) = 0;
};

}  // namespace pawl::doors::http
