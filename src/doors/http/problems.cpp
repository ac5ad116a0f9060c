// SPDX-License-Identifier: Apache-2.0
#include "doors/http/problems.h"

#include <utility>

namespace pawl::doors::http {
namespace {

using service::JsonWriter;
using service::Problem;
using service::ProblemCode;

struct Form {
  int status;
  std::string_view title;
};

Form form_of(ProblemCode code) {
  switch (code) {
    case ProblemCode::malformed:
      return {400, "The request can't be read"};
    case ProblemCode::unknown_field:
      return {400, "There is no such field"};
    case ProblemCode::not_found:
      return {404, "There is no such path"};
    case ProblemCode::method_not_allowed:
      return {405, "The path has other methods"};
    case ProblemCode::cross_origin:
      return {403, "Web pages of other origins are refused"};
    case ProblemCode::too_large:
      return {413, "The request is too large"};
    case ProblemCode::timed_out:
      return {408, "The rest of the request never came"};
    case ProblemCode::invalid:
      return {422, "A value is not acceptable"};
    case ProblemCode::lease_not_found:
      return {404, "There is no such lease"};
    case ProblemCode::lease_lost:
      return {410, "The lease is over"};
    case ProblemCode::lease_not_held:
      return {409, "The lease still waits"};
    case ProblemCode::lease_id_conflict:
      return {409, "The lease id is taken"};
    case ProblemCode::lease_id_stale:
      return {409, "The lease id is too old"};
    case ProblemCode::superseded:
      return {409, "A newer attempt counts"};
    case ProblemCode::mode_mismatch:
      return {409, "The mode does not fit"};
    case ProblemCode::permit_limit_mismatch:
      return {409, "The permit limit does not fit"};
    case ProblemCode::upgrade_conflict:
      return {409, "Another upgrade waits"};
    case ProblemCode::token_mismatch:
      return {409, "The lease has another token"};
    case ProblemCode::renewal_refused:
      return {409, "An operator ends this lease"};
    case ProblemCode::not_held:
      return {409, "Nobody holds the resource"};
    case ProblemCode::not_holder:
      return {409, "That is not its holder"};
    case ProblemCode::no_deadline:
      return {409, "The lease has no deadline"};
    case ProblemCode::limit_reached:
      return {429, "A limit is reached"};
    case ProblemCode::too_many:
      return {429, "Too many connections"};
    case ProblemCode::overloaded:
      return {503, "Too much is under way"};
    case ProblemCode::not_leader:
      return {503, "Another node leads"};
    case ProblemCode::stopping:
      return {503, "The node is shutting down"};
    case ProblemCode::outcome_unknown:
      return {503, "The outcome is not known"};
    case ProblemCode::internal:
      return {500, "Something is wrong in the service"};
  }
  return {500, "Something is wrong in the service"};
}

void write_text(JsonWriter& json, std::string_view key, std::string_view value) {
  if (!value.empty()) json.key(key).text(value);
}

}  // namespace

Problem malformed(std::string detail) {
  Problem problem;
  problem.code = ProblemCode::malformed;
  problem.detail = std::move(detail);
  return problem;
}

Problem invalid(std::string field, std::string_view why) {
  Problem problem;
  problem.code = ProblemCode::invalid;
  problem.field = std::move(field);
  problem.detail = why;
  return problem;
}

int status_of(ProblemCode code) { return form_of(code).status; }

void write_members(JsonWriter& json, const Problem& problem) {
  const bool begins_with_field = problem.code == ProblemCode::invalid && !problem.field.empty();
  json.key("detail").text(begins_with_field ? problem.field + " " + problem.detail
                                            : problem.detail);
  json.key("retryable").boolean(service::retry_helps(problem.code));
  write_text(json, "field", problem.field);
  write_text(json, "leaseId", problem.lease_id.view());
  if (problem.cause) json.key("cause").text(service::to_text(*problem.cause));
  write_text(json, "actorId", problem.actor.view());
  write_text(json, "reason", problem.reason);
  if (problem.audit != core::kNoAudit)
    json.key("auditId").number(static_cast<std::uint64_t>(problem.audit));
  if (problem.token != core::kNoToken) json.key("fencingToken").token(problem.token);
  if (problem.code == ProblemCode::renewal_refused)
    json.key("validForSeconds").seconds(problem.valid_for);
  write_text(json, "leader", problem.leader);
  if (problem.state_time) json.key("stateTimeMs").signed_number(core::to_ms(*problem.state_time));
}

Answer answer_of(const Problem& problem) {
  const std::string_view code = service::to_text(problem.code);
  const Form form = form_of(problem.code);
  Answer answer;
  answer.status = form.status;
  answer.content_type = "application/problem+json";
  if (form.status == 429 || form.status == 503) answer.retry_after_s = 1;
  answer.body.reserve(320);
  JsonWriter json(answer.body);
  json.begin_object();
  json.key("type").text("urn:pawl:problem:" + std::string(code));
  json.key("title").text(form.title);
  json.key("status").signed_number(form.status);
  json.key("code").text(code);
  write_members(json, problem);
  json.end_object();
  return answer;
}

}  // namespace pawl::doors::http
