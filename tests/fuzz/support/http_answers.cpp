// SPDX-License-Identifier: Apache-2.0
#include "fuzz/support/http_answers.h"

#include <algorithm>
#include <array>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/json/parse.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "doors/http/response.h"

namespace pawl::fuzz {
namespace {

using doors::http::Answer;
namespace json = boost::json;
namespace beast_http = boost::beast::http;

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kProblem = "application/problem+json";
constexpr std::string_view kPlainText = "text/plain";

// Not 500: that is a bug of ours.
constexpr std::array kStatuses = {200, 400, 403, 404, 405, 408, 409, 410, 413, 422, 429, 503};

[[noreturn]] void broken(std::string_view rule, std::string_view text) {
  (void)std::fprintf(stderr, "an answer is not %.*s: %.*s\n", static_cast<int>(rule.size()),
                     rule.data(), static_cast<int>(text.size()), text.data());
  std::abort();
}

void expect(bool holds, std::string_view rule, std::string_view text) {
  if (!holds) broken(rule, text);
}

json::object object_in(std::string_view text) {
  boost::system::error_code error;
  const json::value value = json::parse({text.data(), text.size()}, error);
  expect(!error && value.is_object(), "one JSON object", text);
  return value.get_object();
}

std::string_view text_of(const json::object& object, std::string_view name, std::string_view all) {
  const json::value* const value = object.if_contains({name.data(), name.size()});
  expect(value != nullptr && value->is_string() && !value->get_string().empty(),
         "complete: a text is missing", all);
  return {value->get_string().data(), value->get_string().size()};
}

void check_problem(const Answer& answer) {
  const std::string& body = answer.body;
  const json::object problem = object_in(body);
  const std::string_view code = text_of(problem, "code", body);
  expect(text_of(problem, "type", body) == "urn:pawl:problem:" + std::string(code),
         "of its code's type", body);
  (void)text_of(problem, "title", body);
  (void)text_of(problem, "detail", body);
  const json::value* const status = problem.if_contains("status");
  expect(status != nullptr && *status == answer.status, "of its own status", body);
  const json::value* const retryable = problem.if_contains("retryable");
  expect(retryable != nullptr && retryable->is_bool(), "clear about retries", body);
  expect(answer.status != 405 || !answer.allow.empty(), "clear about what is allowed", body);
  expect(answer.status != 503 || answer.retry_after_s, "clear about when to retry", body);
}

void check_body(const Answer& answer) {
  if (answer.status >= 400) {
    expect(answer.content_type == kProblem, "a problem by type", answer.body);
    return check_problem(answer);
  }
  if (answer.content_type.starts_with(kPlainText))
    return expect(answer.body.ends_with('\n'), "whole lines", answer.body);
  expect(answer.content_type == kJson, "of an allowed type", answer.content_type);
  (void)object_in(answer.body);
}

// As a client reads it.
void check_bytes(std::string_view method, const Answer& answer) {
  std::string bytes;
  doors::http::append_head(bytes, answer, {});
  const bool no_body = method == "HEAD";
  if (!no_body) bytes += answer.body;
  beast_http::response_parser<beast_http::string_body> parser;
  parser.eager(true);
  parser.skip(no_body);
  parser.body_limit(boost::none);
  boost::system::error_code error;
  std::size_t taken = 0;
  while (!error && !parser.is_done() && taken < bytes.size())
    taken += parser.put(boost::asio::buffer(bytes.data() + taken, bytes.size() - taken), error);
  expect(!error && parser.is_done() && taken == bytes.size(), "one HTTP response", bytes);
  expect(parser.get().result_int() == static_cast<unsigned>(answer.status), "of its status", bytes);
  expect(no_body || parser.get().body() == answer.body, "of its length", bytes);
}

}  // namespace

void check_answer(std::string_view method, const Answer& answer) {
  expect(std::find(kStatuses.begin(), kStatuses.end(), answer.status) != kStatuses.end(),
         "of an allowed status", std::to_string(answer.status) + " " + answer.body);
  if (method != "HEAD" || !answer.body.empty()) check_body(answer);
  check_bytes(method, answer);
}

void check_event(const service::FeedEvent& event) {
  expect(event.json.find('\n') == std::string::npos, "one line", event.json);
  const json::object object = object_in(event.json);
  expect(text_of(object, "event", event.json) == event.name, "of its own name", event.json);
}

}  // namespace pawl::fuzz
