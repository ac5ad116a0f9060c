// SPDX-License-Identifier: Apache-2.0
#include "doors/http/api.h"

#include <utility>

#include "doors/http/call.h"
#include "doors/http/fields.h"
#include "doors/http/origin.h"
#include "doors/http/problems.h"
#include "doors/http/routes.h"
#include "doors/http/target.h"

namespace pawl::doors::http {
namespace {

constexpr std::string_view kNoCall = "none";

Verdict check_query(const Route& route, const Target& target) {
  for (const auto& [name, value] : target.query()) {
    bool known = false;
    for (const std::string_view query : route.queries) known = known || query == name;
    if (!known) return unknown_field({}, name, route.queries);
  }
  return {};
}

Verdict check_form(const Route& route, const Request& request, const Target& target) {
  if (const Verdict bad = check_origin(request)) return bad;
  if (route.fields.empty() && !request.body.empty()) return malformed("this call takes no body");
  return check_query(route, target);
}

}  // namespace

class Api::Impl {
 public:
  Impl(service::Service& service, const ApiOptions& options)
      : service_(service), options_(options) {}

  service::CallId take(const Request& request, OnReply done) {
    Target target;
    if (const Verdict bad = target.parse(request.target)) return refuse(*bad, {}, done);
    const auto found = find_route(request.method, target);
    if (const auto* refused = std::get_if<NotRouted>(&found))
      return refuse(refused->problem, refused->allow, done);
    const auto& [route, argument] = std::get<Found>(found);
    Call call{service_, options_, request, target, argument, {route->call, std::move(done)}};
    if (const Verdict bad = check_form(*route, request, target)) return call.refuse(*bad);
    return route->serve(call);
  }

 private:
  static service::CallId refuse(const service::Problem& problem, const std::string& allow,
                                const OnReply& done) {
    Answer answer = answer_of(problem);
    answer.allow = allow;
    answer.call = kNoCall;
    done(std::move(answer));
    return 0;
  }

  service::Service& service_;
  const ApiOptions options_;
};

Api::Api(service::Service& service, const ApiOptions& options)
    : impl_(std::make_unique<Impl>(service, options)) {}
Api::~Api() = default;

service::CallId Api::take(const Request& request, OnReply done) {
  return impl_->take(request, std::move(done));
}

Answer Api::refusal(const service::Problem& problem) {
  Answer answer = answer_of(problem);
  answer.call = kNoCall;
  answer.close = true;
  return answer;
}

}  // namespace pawl::doors::http
