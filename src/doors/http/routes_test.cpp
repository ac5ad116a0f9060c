// SPDX-License-Identifier: Apache-2.0
#include "doors/http/routes.h"

#include <gtest/gtest.h>

namespace pawl::doors::http {
namespace {

// "call argument", or the code, the methods and the detail of the refusal.
std::string found(std::string_view method, std::string_view text) {
  Target target;
  EXPECT_FALSE(target.parse(text)) << text;
  const auto result = find_route(method, target);
  if (const auto* route = std::get_if<Found>(&result))
    return std::string(route->route->call) + " " + std::string(route->argument);
  const auto& refused = std::get<NotRouted>(result);
  return std::string(service::to_text(refused.problem.code)) + " [" + refused.allow + "] " +
         refused.problem.detail;
}

TEST(Routes, EveryCallIsFoundByItsOwnPath) {
  for (const Route& route : routes()) {
    std::string path(route.path);
    const std::size_t open = path.find('{');
    const bool has_argument = open != std::string::npos;
    if (has_argument) path.replace(open, path.find('}') - open + 1, "some%2Fname");
    EXPECT_EQ(found(route.method, path),
              std::string(route.call) + (has_argument ? " some/name" : " "));
    if (route.method == "GET") {
      EXPECT_EQ(found("HEAD", path), found("GET", path));
    }
  }
}

TEST(Routes, AFixedPathGoesBeforeALeaseId) {
  EXPECT_EQ(found("POST", "/v1/locks/renew"), "renew_many ");
  EXPECT_EQ(found("GET", "/v1/locks/acquire"),
            "method_not_allowed [POST] this path has only the methods POST");
}

TEST(Routes, AWrongMethodIsToldTheRightOnes) {
  EXPECT_EQ(found("PUT", "/v1/locks/lease-0001"),
            "method_not_allowed [DELETE, GET, HEAD] this path has only the methods DELETE, GET, "
            "HEAD");
  EXPECT_EQ(found("get", "/v1/locks"),
            "method_not_allowed [GET, HEAD] this path has only the methods GET, HEAD");
}

TEST(Routes, AnUnknownPathIsToldTheNearest) {
  EXPECT_EQ(found("GET", "/v1/lokcs"),
            "not_found [] there is no path '/v1/lokcs'; did you mean '/v1/locks'?");
  EXPECT_EQ(found("POST", "/v1/fence/chek"),
            "not_found [] there is no path '/v1/fence/chek'; did you mean '/v1/fence/check'?");
  EXPECT_EQ(found("GET", "/favicon.ico"), "not_found [] there is no path '/favicon.ico'");
}

TEST(Routes, AnEmptyNameIsNoName) {
  for (const char* path : {"/", "/v1/locks/", "/v1/resources/", "/v1/resources//force-release",
                           "//v1/locks", "/v1//locks", "/v1/locks/lease-0001/renew/"}) {
    EXPECT_TRUE(found("GET", path).starts_with("not_found")) << path;
    EXPECT_TRUE(found("POST", path).starts_with("not_found")) << path;
  }
}

}  // namespace
}  // namespace pawl::doors::http
