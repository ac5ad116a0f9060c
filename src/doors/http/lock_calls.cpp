// SPDX-License-Identifier: Apache-2.0
#include "doors/http/lock_calls.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "doors/http/pieces.h"
#include "doors/http/queries.h"
#include "doors/http/replies.h"
#include "doors/http/requests.h"
#include "service/json.h"

namespace pawl::doors::http {
namespace {

using service::CallId;
using service::Happened;
using service::Outcome;
using service::Problem;

Problem fits_no_request() {
  Problem problem;
  problem.detail = "the service gave an answer that fits no request";
  return problem;
}

// `format` makes the body of the answer, or nothing if the effect is none.
template <class Format>
void tell(const Responder& reply, const Outcome& outcome, Format format) {
  if (const auto* problem = std::get_if<Problem>(&outcome)) return reply.problem(*problem);
  const auto& happened = std::get<Happened>(outcome);
  Body body = format(happened.effect, Moment{happened.now, happened.wall, happened.now});
  if (!body) return reply.problem(fits_no_request());
  reply.json(std::move(*body), happened.receipt);
}

using Formatter = Body (*)(const core::Effect&, Moment);

template <class Command>
CallId submit(Call& call, Command command, Formatter format) {
  if (Verdict bad = settle_namespace(call.target, command.space)) return call.refuse(*bad);
  return call.service.call(std::move(command),
                           [reply = std::move(call.reply), format](const Outcome& outcome) {
                             tell(reply, outcome, format);
                           });
}

// A call on the lease that the path names.
template <class Command>
CallId submit_for_lease(Call& call, Formatter format) {
  Command command;
  if (Verdict bad = read(call.request.body, command)) return call.refuse(*bad);
  command.id = core::LeaseId(call.argument);
  return submit(call, std::move(command), format);
}

// Many renewals that are answered together, in the order asked for.
struct Batch {
  Responder reply;
  std::vector<core::LeaseId> ids;
  std::vector<std::string> results;
  std::size_t missing = 0;
  core::Time now{};

  void put(std::size_t at, const Outcome& outcome);
  void tell() const;
};

std::string not_renewed(const core::LeaseId& id, Problem problem) {
  problem.lease_id = {};  // it is told first
  std::string out;
  service::JsonWriter json(out);
  json.begin_object();
  json.key("renewed").boolean(false);
  json.key("leaseId").text(id.view());
  json.key("code").text(service::to_text(problem.code));
  write_members(json, problem);
  json.end_object();
  return out;
}

void Batch::put(std::size_t at, const Outcome& outcome) {
  if (const auto* problem = std::get_if<Problem>(&outcome)) {
    results[at] = not_renewed(ids[at], *problem);
    now = std::max(now, problem->state_time.value_or(now));
  } else {
    const auto& happened = std::get<Happened>(outcome);
    Body body = renew_reply(happened.effect, {happened.now, happened.wall, happened.now});
    results[at] = body ? std::move(*body) : not_renewed(ids[at], fits_no_request());
    now = std::max(now, happened.now);
  }
  if (--missing == 0) tell();
}

void Batch::tell() const {
  std::string out;
  std::size_t bytes = 64;
  for (const std::string& result : results) bytes += result.size() + 1;
  out.reserve(bytes);
  service::JsonWriter json(out);
  json.begin_object();
  json.key("results").begin_array();
  for (const std::string& result : results) json.raw(result);
  json.end_array();
  write_state_time(json, now);
  json.end_object();
  reply.json(std::move(out));
}

// All or nothing, as far as the request itself goes: one bad id, and none is renewed.
Verdict check_all(const RenewMany& request, const core::Limits& limits) {
  for (std::size_t i = 0; i < request.ids.size(); ++i) {
    Verdict bad = check_renewal({request.space, request.ids[i], request.ttl}, limits);
    if (!bad) continue;
    if (bad->field == "leaseId") bad->field = "leaseIds[" + std::to_string(i) + "]";
    return bad;
  }
  return {};
}

}  // namespace

CallId acquire(Call& call) {
  core::Acquire command;
  if (Verdict bad = read(call.request.body, command)) return call.refuse(*bad);
  if (Verdict bad = settle_namespace(call.target, command.space)) return call.refuse(*bad);
  std::string first = command.terms.resources.front().str();
  return call.service.call(std::move(command), [reply = std::move(call.reply),
                                                first = std::move(first)](const Outcome& outcome) {
    tell(reply, outcome, [&first](const core::Effect& effect, Moment moment) {
      return acquire_reply(effect, moment, first);
    });
  });
}

CallId renew(Call& call) { return submit_for_lease<core::Renew>(call, renew_reply); }
CallId upgrade(Call& call) { return submit_for_lease<core::Upgrade>(call, upgrade_reply); }
CallId downgrade(Call& call) { return submit_for_lease<core::Downgrade>(call, downgrade_reply); }

CallId release(Call& call) {
  return submit(call, core::Release{{}, core::LeaseId(call.argument)}, release_reply);
}

CallId force_release(Call& call) {
  core::ForceRelease command;
  if (Verdict bad = read(call.request.body, command)) return call.refuse(*bad);
  command.resource = core::ResourceName(call.argument);
  return submit(call, std::move(command), force_release_reply);
}

CallId renew_many(Call& call) {
  RenewMany request;
  if (Verdict bad = read(call.request.body, request)) return call.refuse(*bad);
  if (Verdict bad = settle_namespace(call.target, request.space)) return call.refuse(*bad);
  if (Verdict bad = check_all(request, call.service.limits())) return call.refuse(*bad);
  const std::size_t count = request.ids.size();
  const auto batch = std::make_shared<Batch>(
      Batch{std::move(call.reply), std::move(request.ids), {}, count, call.service.state_time()});
  batch->results.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    call.service.call(core::Renew{request.space, batch->ids[i], request.ttl},
                      [batch, i](const Outcome& outcome) { batch->put(i, outcome); });
  }
  return 0;
}

}  // namespace pawl::doors::http
