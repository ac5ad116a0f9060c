// SPDX-License-Identifier: Apache-2.0
// For tests: the API over a real service and core, in virtual time. Every answer is compared with
// openapi.json on the way. One thread.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "doors/http/api.h"
#include "doors/http/openapi_check.h"
#include "doors/http/routes.h"
#include "doors/http/target.h"
#include "support/service_lab.h"

namespace pawl::doors::http {

class ApiLab {
 public:
  explicit ApiLab(const service::ServiceOptions& with = {}) : lab(with) {}

  // A request that may still wait for its answer.
  struct Asked {
    service::CallId call = 0;
    std::optional<Reply> reply;

    const Answer& answer() const { return std::get<Answer>(reply.value()); }
    int status() const { return answer().status; }
    json::value body() const { return json::parse(answer().body); }
    // A member of the body, as JSON.
    std::string operator[](std::string_view name) const {
      const json::value whole = body();
      const json::value* member = whole.as_object().if_contains(name);
      return member == nullptr ? "absent" : json::serialize(*member);
    }
    std::string code() const { return reply ? (*this)["code"] : "unanswered"; }
  };

  Asked& send(const Request& request) {
    Asked& asked = asked_.emplace_back();
    asked.call = api.take(request, [&asked, this, method = std::string(request.method),
                                    target = std::string(request.target)](Reply reply) {
      EXPECT_FALSE(asked.reply) << "answered twice";
      asked.reply = std::move(reply);
      if (const auto* answer = std::get_if<Answer>(&*asked.reply)) check(method, target, *answer);
    });
    return asked;
  }
  Asked& post(std::string_view target, std::string_view body = "") {
    return send({"POST", target, "application/json", "", body});
  }
  Asked& get(std::string_view target) { return send({"GET", target, "", "", ""}); }
  Asked& del(std::string_view target) { return send({"DELETE", target, "", "", ""}); }

  // With the fields that every acquire needs; `more` begins with a comma.
  Asked& acquire(const std::string& resource, const std::string& lease,
                 const std::string& more = "") {
    const std::string body = R"({"resource":")" + resource + R"(","leaseId":")" + lease +
                             R"(","ownerId":"o","ttlSeconds":30)" + more + "}";
    return post("/v1/locks/acquire", body);
  }
  void pass(ports::Ticks by) {
    lab.loop.pass(by);
    lab.store.advance();
    lab.loop.run();
  }

  testing::ServiceLab lab;
  Api api{lab.service, {"1.2.3", 1, 1'000, 100}};

 private:
  static void check(const std::string& method, const std::string& text, const Answer& answer) {
    const bool is_problem = answer.status >= 400;
    EXPECT_EQ(answer.content_type == "application/problem+json", is_problem);
    const json::value& problem = openapi_tree().at_pointer("/components/schemas/Problem");
    Target target;
    std::variant<Found, NotRouted> found = NotRouted{};
    if (!target.parse(text)) found = find_route(method, target);
    if (!std::holds_alternative<Found>(found)) {
      EXPECT_TRUE(is_problem);
      EXPECT_EQ(SchemaCheck::mismatch(problem, json::parse(answer.body)), "") << answer.body;
      return;
    }
    const Route& route = *std::get<Found>(found).route;
    EXPECT_EQ(answer.call, route.call);
    if (method == "HEAD") return;
    std::string verb(route.method);
    for (char& c : verb) c = static_cast<char>(c - 'A' + 'a');
    const json::object& responses =
        openapi_tree().at("paths").at(route.path).at(verb).at("responses").as_object();
    const json::value* response = responses.if_contains(std::to_string(answer.status));
    ASSERT_NE(response, nullptr) << method << " " << text << " " << answer.body;
    const json::object& content = resolved(*response).at("content").as_object();
    const json::value* media = content.if_contains(answer.content_type);
    ASSERT_NE(media, nullptr) << answer.content_type;
    if (!answer.content_type.ends_with("json")) return;
    EXPECT_EQ(SchemaCheck::mismatch(media->at("schema"), json::parse(answer.body)), "")
        << answer.body;
  }

  std::deque<Asked> asked_;
};

}  // namespace pawl::doors::http
