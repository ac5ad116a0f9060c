// SPDX-License-Identifier: Apache-2.0
#include "e2e/history/api.h"

#include <boost/json.hpp>
#include <cmath>
#include <map>

namespace pawl::testing {
namespace {

namespace json = boost::json;

double seconds(Micros time) { return static_cast<double>(time.count()) / 1e6; }

HttpRequest post(std::string target, const json::object& body) {
  return {"POST", std::move(target), json::serialize(body)};
}
std::string lease_target(const core::LeaseId& lease, const char* verb) {
  return "/v1/locks/" + lease.str() + verb;
}
// Names in these tests need no escapes.
std::string resource_target(const core::ResourceName& resource) {
  return "/v1/resources/" + resource.str();
}

std::string text(const json::object& from, std::string_view name) {
  const json::value* found = from.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}
bool flag(const json::object& from, std::string_view name) {
  const json::value* found = from.if_contains(name);
  return found != nullptr && found->is_bool() && found->get_bool();
}
double number(const json::object& from, std::string_view name) {
  const json::value* found = from.if_contains(name);
  return found != nullptr && found->is_number() ? found->to_number<double>() : 0.0;
}
Micros duration(const json::object& from, std::string_view name) {
  return Micros(std::llround(number(from, name) * 1e6));
}
core::Time state_time(const json::object& from) {
  return core::Time(std::chrono::milliseconds(std::llround(number(from, "stateTimeMs"))));
}

std::optional<json::object> parse_object(std::string_view text) {
  json::error_code error;
  json::value value = json::parse(text, error);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

void set_if(json::object& body, std::string_view name, Micros time) {
  if (time > Micros::zero()) body[name] = seconds(time);
}

}  // namespace

HttpRequest acquire_request(const Wish& wish, int attempt) {
  json::array names;
  for (const core::ResourceName& name : wish.resources) names.emplace_back(name.view());
  json::object body{{"ownerId", wish.owner},
                    {"leaseId", wish.lease.view()},
                    {"ttlSeconds", seconds(wish.ttl)},
                    {"mode", name_of(wish.mode)},
                    {"attempt", attempt},
                    {"resources", std::move(names)}};
  set_if(body, "waitSeconds", wish.wait);
  set_if(body, "maxHoldSeconds", wish.max_hold);
  set_if(body, "minHoldSeconds", wish.min_hold);
  set_if(body, "lockDelaySeconds", wish.lock_delay);
  if (wish.mode == core::Mode::permit)
    body["permits"] = {{"limit", wish.permits.limit}, {"count", wish.permits.count}};
  return post("/v1/locks/acquire", body);
}

HttpRequest renew_request(const core::LeaseId& lease) {
  return {"POST", lease_target(lease, "/renew"), "{}"};
}
HttpRequest release_request(const core::LeaseId& lease) {
  return {"DELETE", lease_target(lease, ""), ""};
}
HttpRequest upgrade_request(const core::LeaseId& lease, core::FencingToken known, Micros wait,
                            int attempt) {
  json::object body{{"fencingToken", static_cast<std::uint64_t>(known)}, {"attempt", attempt}};
  set_if(body, "waitSeconds", wait);
  return post(lease_target(lease, "/upgrade"), body);
}
HttpRequest downgrade_request(const core::LeaseId& lease, core::FencingToken known) {
  return post(lease_target(lease, "/downgrade"),
              {{"fencingToken", static_cast<std::uint64_t>(known)}});
}
HttpRequest show_request(const core::ResourceName& resource) {
  return {"GET", resource_target(resource), ""};
}
HttpRequest force_request(const core::ResourceName& resource, const core::LeaseId& lease,
                          bool at_deadline) {
  json::object body{{"actorId", "operator"}, {"reason", "a test"}};
  if (!lease.empty()) body["leaseId"] = lease.view();
  if (at_deadline) body["when"] = "at_deadline";
  return post(resource_target(resource) + "/force-release", body);
}

std::optional<LockAnswer> parse_answer(const HttpAnswer& answer) {
  const std::optional<json::object> body = parse_object(answer.body);
  if (!body) return std::nullopt;
  LockAnswer made;
  made.status = answer.status;
  for (const char* word : {"acquired", "renewed", "upgraded", "downgraded", "released"})
    made.yes = made.yes || flag(*body, word);
  made.repeated = flag(*body, "repeated");
  made.token = core::FencingToken{static_cast<std::uint64_t>(number(*body, "fencingToken"))};
  made.valid_for = duration(*body, "validForSeconds");
  made.waited = duration(*body, "waitedSeconds");
  made.state_time = state_time(*body);
  made.reason = text(*body, "reason");
  made.code = text(*body, "code");
  made.cause = text(*body, "cause");
  if (const json::value* holders = body->if_contains("holders"); holders && holders->is_array()) {
    for (const json::value& holder : holders->get_array()) {
      if (holder.is_object()) made.holders.emplace_back(text(holder.get_object(), "leaseId"));
    }
  }
  return made;
}

bool is_transient(const LockAnswer& answer) { return answer.status == 503; }

std::optional<StateEvent> parse_end(const std::string& line) {
  using Kind = StateEvent::Kind;
  static const std::map<std::string, Kind, std::less<>> kEnds{
      {"lock_expired", Kind::expired},          {"lock_max_hold_reached", Kind::max_hold_over},
      {"lock_abandoned", Kind::abandoned},      {"lock_released", Kind::other_end},
      {"lock_force_released", Kind::other_end},
  };
  const std::optional<json::object> body = parse_object(line);
  if (!body) return std::nullopt;
  const auto kind = kEnds.find(text(*body, "event"));
  if (kind == kEnds.end()) return std::nullopt;
  return StateEvent{kind->second, core::LeaseId(text(*body, "leaseId")), state_time(*body),
                    core::Duration{0}, core::Duration{0}};
}

}  // namespace pawl::testing
