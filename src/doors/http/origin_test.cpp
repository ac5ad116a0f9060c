// SPDX-License-Identifier: Apache-2.0
#include "doors/http/origin.h"

#include <gtest/gtest.h>

#include "doors/http/api_lab.h"

namespace pawl::doors::http {
namespace {

constexpr std::string_view kHost = "127.0.0.1:7420";
constexpr std::string_view kAcquire =
    R"({"resource":"r","leaseId":"lease-000a","ownerId":"o","ttlSeconds":30})";

Request acquire_from(std::string_view host, std::string_view origin, std::string_view site = "") {
  // As a form of a page can send it without asking first.
  return {"POST", "/v1/locks/acquire", "text/plain", "", kAcquire, host, origin, site};
}

bool refused(std::string_view host, std::string_view origin, std::string_view site = "") {
  return check_origin(acquire_from(host, origin, site)).has_value();
}

TEST(Origin, WhoIsNoBrowserIsNotAsked) {
  EXPECT_FALSE(refused(kHost, ""));
  EXPECT_FALSE(refused("", ""));
}

TEST(Origin, APageOfTheNodeItselfIsServed) {
  EXPECT_FALSE(refused(kHost, "http://127.0.0.1:7420", "same-origin"));
  EXPECT_FALSE(refused("[::1]:7420", "http://[::1]:7420"));
  EXPECT_FALSE(refused("Pawl.example", "https://pawl.EXAMPLE"));
  // Typed by hand, or a bookmark.
  EXPECT_FALSE(refused(kHost, "", "none"));
}

TEST(Origin, APortThatGoesWithoutSayingMayBeSaid) {
  EXPECT_FALSE(refused("pawl:80", "http://pawl"));
  EXPECT_FALSE(refused("pawl", "http://pawl:80"));
  EXPECT_FALSE(refused("pawl:443", "https://pawl"));
  EXPECT_TRUE(refused("pawl:443", "http://pawl"));
  EXPECT_TRUE(refused("pawl:80", "https://pawl"));
}

TEST(Origin, APageOfAnyOtherIsRefused) {
  for (const std::string_view origin :
       {"http://evil.example", "http://127.0.0.1", "http://127.0.0.1:3000", "http://localhost:7420",
        "https://127.0.0.1:7420.evil.example", "http://127.0.0.1:74200", "null", "127.0.0.1:7420",
        "http://", "chrome-extension://127.0.0.1:7420", "http://a, http://127.0.0.1:7420",
        "http://127.0.0.1:7420, http://a", "http://127.0.0.1:7420/", "\xff"}) {
    EXPECT_TRUE(refused(kHost, origin)) << origin;
    EXPECT_TRUE(refused(kHost, origin, "same-origin")) << origin;
  }
  EXPECT_TRUE(refused("", "http://")) << "not even where no host is named";
  EXPECT_TRUE(refused("", "http://127.0.0.1:7420"));
}

TEST(Origin, ARequestOfAnotherSiteIsRefusedThoughItHasNoOrigin) {
  EXPECT_TRUE(refused(kHost, "", "cross-site"));
  EXPECT_TRUE(refused(kHost, "http://127.0.0.1:7420", "Cross-Site"));
  EXPECT_TRUE(refused(kHost, "", "none, cross-site"));
  EXPECT_FALSE(refused(kHost, "", "same-site"));
}

TEST(Origin, ARefusalSaysWhichHeaderAndNothingIsDone) {
  ApiLab lab;
  const ApiLab::Asked& asked = lab.send(acquire_from(kHost, "http://evil.example"));
  EXPECT_EQ(asked.status(), 403);
  EXPECT_EQ(asked.code(), "\"cross_origin\"");
  EXPECT_EQ(asked["field"], "\"Origin\"");
  EXPECT_EQ(asked["retryable"], "false");
  EXPECT_EQ(lab.send(acquire_from(kHost, "", "cross-site"))["field"], "\"Sec-Fetch-Site\"");
  EXPECT_EQ(lab.get("/v1/resources/r")["holderCount"], "0");
  EXPECT_EQ(lab.send(acquire_from(kHost, "http://127.0.0.1:7420"))["acquired"], "true");
}

TEST(Origin, EveryCallIsKeptFromOtherPages) {
  ApiLab lab;
  for (const Route& route : routes()) {
    std::string path(route.path);
    if (const std::size_t open = path.find('{'); open != std::string::npos)
      path.replace(open, path.find('}') - open + 1, "lease-000a");
    EXPECT_EQ(lab.send({route.method, path, "", "", "", kHost, "null", ""}).status(), 403) << path;
  }
}

TEST(Origin, ABrowserThatAsksFirstIsToldThatThereIsNoSuchMethod) {
  ApiLab lab;
  const Request preflight{"OPTIONS", "/v1/locks/acquire",   "",          "", "",
                          kHost,     "http://evil.example", "cross-site"};
  EXPECT_EQ(lab.send(preflight).status(), 405);
}

}  // namespace
}  // namespace pawl::doors::http
