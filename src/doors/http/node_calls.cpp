// SPDX-License-Identifier: Apache-2.0
#include "doors/http/node_calls.h"

#include <string>
#include <utility>

#include "doors/http/openapi.h"
#include "doors/http/pieces.h"
#include "service/json.h"
#include "service/metrics.h"
#include "service/verdict.h"

namespace pawl::doors::http {
namespace {

using ports::NotSubmitted;
using service::CallId;
using service::JsonWriter;

template <class Write>
CallId tell_object(Call& call, Write write) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write(json);
  json.end_object();
  call.reply.json(std::move(out));
  return 0;
}

}  // namespace

CallId show_cluster(Call& call) {
  const ports::Office office = call.service.office();
  return tell_object(call, [&](JsonWriter& json) {
    json.key("nodeId").number(call.options.node_id);
    json.key("role").text(office.in_office ? "leader" : "follower");
    json.key("leader");
    office.leader.empty() ? json.null() : json.text(office.leader);
    json.key("ready").boolean(call.service.ready());
    json.key("members").begin_array().begin_object();
    json.key("nodeId").number(call.options.node_id);
    json.key("self").boolean(true);
    json.end_object().end_array();
    write_state_time(json, call.service.state_time());
  });
}

CallId show_version(Call& call) {
  return tell_object(call, [&](JsonWriter& json) {
    json.key("name").text("pawl");
    json.key("version").text(call.options.version);
    json.key("api").text("v1");
    write_state_time(json, call.service.state_time());
  });
}

CallId healthz(Call& call) {
  return tell_object(call, [](JsonWriter& json) { json.key("status").text("ok"); });
}

CallId readyz(Call& call) {
  if (call.service.ready())
    return tell_object(call, [](JsonWriter& json) { json.key("ready").boolean(true); });
  // One that leads and still grants nothing is on its way out.
  const ports::Office office = call.service.office();
  const auto why = office.in_office ? NotSubmitted::Why::stopping : NotSubmitted::Why::not_leader;
  return call.refuse(service::problem_of(NotSubmitted{why, office.leader}));
}

CallId metrics(Call& call) {
  call.service.refresh_metrics();
  Answer answer;
  answer.content_type = "text/plain; version=0.0.4";
  answer.body = call.service.metrics().text();
  call.reply.tell(std::move(answer));
  return 0;
}

CallId openapi(Call& call) {
  call.reply.json(std::string(openapi_document()));
  return 0;
}

}  // namespace pawl::doors::http
