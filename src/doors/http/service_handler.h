// SPDX-License-Identifier: Apache-2.0
// The Handler that `pawl serve` has: requests go to the Api, hang-ups to the Service, figures to
// its Metrics. The service must outlive it. Owned by the loop.
#pragma once

#include "doors/http/handler.h"

namespace pawl::doors::http {

class ServiceHandler final : public Handler {
 public:
  ServiceHandler(service::Service& service, const ApiOptions& options);

  service::CallId take(const Request& request, OnReply done) override;
  void hung_up(service::CallId call) override;
  void unheard(const service::Receipt& receipt) override;
  Answer refusal(const service::Problem& problem) override;
  service::Feed& feed() override;
  void request_done(std::string_view call, int status, ports::Ticks took) override;
  void connection_opened() override;
  void connection_closed() override;
  void connection_refused(std::string_view why) override;
  void event_readers(std::size_t now) override;

 private:
  service::Service& service_;
  Api api_;
};

}  // namespace pawl::doors::http
