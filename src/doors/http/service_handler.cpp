// SPDX-License-Identifier: Apache-2.0
#include "doors/http/service_handler.h"

#include <utility>

#include "doors/http/server.h"
#include "service/metrics.h"

namespace pawl::doors::http {
namespace {

constexpr std::string_view kDoor = "http";

}  // namespace

ServiceHandler::ServiceHandler(service::Service& service, const ApiOptions& options)
    : service_(service), api_(service, options) {}

service::CallId ServiceHandler::take(const Request& request, OnReply done) {
  return api_.take(request, std::move(done));
}

void ServiceHandler::hung_up(service::CallId call) { service_.hung_up(call); }

void ServiceHandler::unheard(const service::Receipt& receipt) { service_.unheard(receipt); }

Answer ServiceHandler::refusal(const service::Problem& problem) { return Api::refusal(problem); }

service::Feed& ServiceHandler::feed() { return service_.feed(); }

void ServiceHandler::request_done(std::string_view call, int status, ports::Ticks took) {
  service_.metrics().request_done(kDoor, call, status, took);
}

void ServiceHandler::connection_opened() { service_.metrics().connection_opened(kDoor); }

void ServiceHandler::connection_closed() { service_.metrics().connection_closed(kDoor); }

void ServiceHandler::connection_refused(std::string_view why) {
  service_.metrics().connection_refused(kDoor, why);
}

void ServiceHandler::event_readers(std::size_t now) { service_.metrics().set_event_readers(now); }

ports::Result<std::unique_ptr<Server>, std::string> Server::open(boost::asio::io_context& io,
                                                                 service::Service& service,
                                                                 const ServerOptions& options,
                                                                 const ApiOptions& api) {
  return open(io, std::make_shared<ServiceHandler>(service, api), options);
}

}  // namespace pawl::doors::http
