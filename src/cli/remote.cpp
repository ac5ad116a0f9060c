// SPDX-License-Identifier: Apache-2.0
#include "cli/remote.h"

#include <boost/json/parse.hpp>
#include <utility>

#include "cli/fields.h"
#include "cli/problem_text.h"
#include "cli/text.h"

namespace pawl::cli {
namespace {

std::optional<Json> parse_object(const std::string& text) {
  boost::json::error_code error;
  boost::json::value value = boost::json::parse(text, error);
  if (error || !value.is_object()) return {};
  return std::move(value.get_object());
}

// The service's clock if the answer shows that ours is another; else ours, which is finer.
WallTime service_now(const std::optional<WallTime>& date) {
  const WallTime now =
      std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  constexpr std::chrono::seconds kTolerated{2};
  if (!date || (now - *date < kTolerated && *date - now < kTolerated)) return now;
  return *date;
}

bool is_good(int status) { return status >= 200 && status < 300; }

}  // namespace

Target& Target::segment(std::string_view value) {
  text_ += '/';
  text_ += percent_encoded(value);
  return *this;
}

Target& Target::literal(std::string_view path) {
  text_ += path;
  return *this;
}

Target& Target::query(std::string_view name, std::string_view value) {
  if (value.empty()) return *this;
  text_ += std::exchange(next_, '&');
  text_ += name;
  text_ += '=';
  text_ += percent_encoded(value);
  return *this;
}

HttpClient::Patience Remote::patience(std::chrono::microseconds extra) const {
  return std::chrono::ceil<HttpClient::Patience>(where_.patience + extra);
}

Remote::Reply Remote::get(Target target) const {
  return get_global(target.query("namespace", where_.name_space));
}

Remote::Reply Remote::get_global(const Target& target) const {
  return answer(http_.call({.method = "GET", .target = target.text()}, patience({})), false);
}

Remote::Reply Remote::remove(Target target) const {
  target.query("namespace", where_.name_space);
  return answer(http_.call({.method = "DELETE", .target = target.text()}, patience({})), true);
}

Remote::Reply Remote::post(const Target& target, std::string body,
                           std::chrono::microseconds extra) const {
  HttpRequest request{.method = "POST", .target = target.text(), .body = std::move(body)};
  return answer(http_.call(request, patience(extra)), true);
}

ports::Result<std::string, Trouble> Remote::text(const Target& target) const {
  auto reply = http_.call({.method = "GET", .target = target.text()}, patience({}));
  if (!reply) return unreachable(reply.fault());
  if (!is_good(reply.value().status)) return trouble_of(reply.value());
  return std::move(reply.value().body);
}

Remote::Reply Remote::answer(const HttpClient::Reply& reply, bool changes_something) const {
  if (!reply) {
    Trouble trouble = unreachable(reply.fault());
    if (!changes_something || !reply.fault().sent) return trouble;
    trouble.code = kUnknown;
    trouble.message = "no answer came from " + where_.url() + " (" + reply.fault().why +
                      "): it may have happened";
    trouble.hint = "repeat it, or look with 'pawl why' or 'pawl show'";
    return trouble;
  }
  const HttpResponse& response = reply.value();
  if (!is_good(response.status)) return trouble_of(response);
  std::optional<Json> json = parse_object(response.body);
  if (!json) {
    Trouble trouble = trouble_of(response);
    if (changes_something) trouble.code = kUnknown;
    return trouble;
  }
  return Answer{response.body, std::move(*json), service_now(response.date)};
}

Remote::Reply send_safely(const std::function<Remote::Reply(unsigned)>& send) {
  Remote::Reply first = send(0);
  if (first.ok() || first.fault().code != kUnknown) return first;
  Remote::Reply second = send(1);
  // That the second try never arrived says nothing about the first.
  if (!second.ok() && second.fault().code == kUnreachable) return first;
  return second;
}

Trouble Remote::trouble_of(const HttpResponse& response) const {
  const std::optional<Json> problem = parse_object(response.body);
  if (problem && !text_at(*problem, "code").empty()) {
    Trouble trouble = trouble_from(*problem);
    trouble.problem = response.body;
    return trouble;
  }
  Trouble trouble;
  trouble.message = "what answers at " + where_.url() + " is not a Pawl service (status " +
                    std::to_string(response.status) + ")";
  trouble.hint = "check --url or PAWL_URL";
  return trouble;
}

Trouble Remote::unreachable(const HttpFault& fault) const {
  Trouble trouble;
  trouble.code = kUnreachable;
  trouble.message = "can't reach the service at " + where_.url() + ": " + fault.why;
  trouble.hint = "is it running? Start one with 'pawl serve', or name it with --url or PAWL_URL";
  return trouble;
}

}  // namespace pawl::cli
