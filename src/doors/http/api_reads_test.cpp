// SPDX-License-Identifier: Apache-2.0
// The calls that look at what is there, through the API.
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>

#include "doors/http/api_lab.h"
#include "service/feed.h"

namespace pawl::doors::http {
namespace {

using namespace std::chrono_literals;
using Asked = ApiLab::Asked;

const std::string kA = "lease-000a";
const std::string kB = "lease-000b";
const std::string kC = "lease-000c";

TEST(ApiReads, ALockIsShown) {
  ApiLab lab;
  lab.acquire("r", kA, R"(,"metadata":{"host":"h","z":"\"q\""})");
  lab.pass(10s);
  lab.post("/v1/locks/" + kA + "/renew");
  const std::string record =
      R"({"resource":"r","namespace":"default","ownerId":"o","leaseId":"lease-000a",)"
      R"("mode":"exclusive","fencingToken":1,"ttlSeconds":30,)"
      R"("createdAt":"2026-04-01T00:00:00.000Z","renewedAt":"2026-04-01T00:00:10.000Z",)"
      R"("expiresAt":"2026-04-01T00:00:40.000Z","metadata":{"host":"h","z":"\"q\""})";
  EXPECT_EQ(lab.get("/v1/locks").answer().body, R"({"locks":[)" + record + R"(}],"next":null})");
  EXPECT_EQ(lab.get("/v1/locks/" + kA).answer().body,
            record + R"(,"state":"held","validForSeconds":30,"stateTimeMs":10000})");
}

TEST(ApiReads, AWaiterIsShownWithoutTimes) {
  ApiLab lab;
  lab.acquire("r", kA);
  lab.acquire("r", kB, R"(,"waitSeconds":20)");
  const Asked& shown = lab.get("/v1/locks/" + kB);
  EXPECT_EQ(shown["state"], "\"waiting\"");
  for (const char* name : {"fencingToken", "createdAt", "renewedAt", "expiresAt"})
    EXPECT_EQ(shown[name], "null") << name;
  EXPECT_EQ(shown["validForSeconds"], "0");
}

TEST(ApiReads, LocksAreListedInPages) {
  ApiLab lab;
  for (int i = 0; i < 25; ++i) {
    const std::string number = std::to_string(100 + i);
    lab.acquire("job:" + number + "/~&ä", "lease-" + number);
  }
  lab.acquire("other", kA);
  std::set<std::string> seen;
  std::string after;
  int pages = 0;
  do {
    const Asked& page = lab.get("/v1/locks?prefix=job%3A&limit=10" + after);
    ASSERT_EQ(page.status(), 200);
    const json::value body = page.body();
    for (const json::value& lock : body.at("locks").as_array())
      EXPECT_TRUE(seen.insert(text_of(lock.at("leaseId"))).second);
    after.clear();
    if (const json::value& next = body.at("next"); !next.is_null()) {
      after = "&after=";
      for (const char c : text_of(next)) {
        constexpr char kHex[] = "0123456789ABCDEF";
        const auto byte = static_cast<unsigned char>(c);
        after += {'%', kHex[byte >> 4], kHex[byte & 15]};
      }
    }
    ++pages;
  } while (!after.empty());
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(seen.size(), 25U);
}

TEST(ApiReads, BadPagesAreRefused) {
  ApiLab lab;
  for (const char* query : {"limit=0", "limit=1001", "limit=x", "limit=-1", "limit=", "limit=1.0"})
    EXPECT_EQ(lab.get("/v1/locks?" + std::string(query))["field"], "\"limit\"") << query;
  for (const char* after : {"", "x", "5", "5~", "~r", "-1~r", "9007199254740992~r", "1x~r"}) {
    const Asked& asked = lab.get("/v1/locks?after=" + std::string(after));
    EXPECT_EQ(asked.status(), 422) << after;
    EXPECT_EQ(asked["field"], "\"after\"") << after;
  }
  EXPECT_EQ(lab.get("/v1/audit?after=x")["field"], "\"after\"");
  EXPECT_EQ(lab.get("/v1/locks?namespace=a%2Fb")["field"], "\"namespace\"");
  EXPECT_EQ(lab.get("/v1/locks?limit=1000").status(), 200);
}

TEST(ApiReads, AResourceExplainsWhyOneWaits) {
  ApiLab lab;
  lab.acquire("r", kC);
  lab.pass(4s);
  lab.del("/v1/locks/" + kC);
  lab.acquire("r", kA);
  lab.pass(2s);
  lab.acquire("r", kB, R"(,"waitSeconds":20)");
  lab.pass(1500ms);
  const Asked& shown = lab.get("/v1/resources/r");
  EXPECT_EQ(shown.answer().body,
            R"({"resource":"r","namespace":"default","holders":[{"leaseId":"lease-000a",)"
            R"("ownerId":"o","mode":"exclusive","fencingToken":2,)"
            R"("createdAt":"2026-04-01T00:00:04.000Z","expiresAt":"2026-04-01T00:00:34.000Z",)"
            R"("heldSeconds":3.5,"validForSeconds":26.5}],"holderCount":1,)"
            R"("waiters":[{"ownerId":"o","leaseId":"lease-000b","position":1,)"
            R"("waitingSeconds":1.5,"mode":"exclusive","upgrade":false,"detached":false}],)"
            R"("waiterCount":1,"lastToken":2,"closedUntil":null,)"
            R"("holdSeconds":{"p50":4,"p99":4,"count":1},"stateTimeMs":7500})");
}

TEST(ApiReads, AResourceThatNobodyKnowsIsEmpty) {
  ApiLab lab;
  EXPECT_EQ(lab.get("/v1/resources/no%2Fbody?namespace=n").answer().body,
            R"({"resource":"no/body","namespace":"n","holders":[],"holderCount":0,"waiters":[],)"
            R"("waiterCount":0,"lastToken":null,"closedUntil":null,"holdSeconds":null,)"
            R"("stateTimeMs":0})");
  EXPECT_EQ(lab.get("/v1/resources/a%00b")["field"], "\"resource\"");
  EXPECT_EQ(lab.get("/v1/resources/" + std::string(513, 'x')).status(), 422);
}

TEST(ApiReads, AResourceListsNoMoreThanAskedForAndCountsAll) {
  ApiLab lab;
  for (const std::string& id : {kA, kB, kC}) lab.acquire("r", id, R"(,"mode":"shared")");
  const Asked& shown = lab.get("/v1/resources/r?limit=2");
  EXPECT_EQ(shown.body().at("holders").as_array().size(), 2U);
  EXPECT_EQ(shown["holderCount"], "3");
  EXPECT_EQ(shown["lastToken"], "3");
}

TEST(ApiReads, AClosedResourceSaysUntilWhen) {
  ApiLab lab;
  lab.acquire("r", kA, R"(,"minHoldSeconds":20)");
  lab.del("/v1/locks/" + kA);
  EXPECT_EQ(lab.get("/v1/resources/r")["closedUntil"], "\"2026-04-01T00:00:20.000Z\"");
}

TEST(ApiReads, PermitsAndUpgradesAreShownWhereTheyWait) {
  ApiLab lab;
  const std::string permits = R"(,"mode":"permit","permits":{"limit":2,"count":2},"waitSeconds":9)";
  lab.acquire("p", kA, permits);
  lab.acquire("p", kB, permits);
  const json::value shown = lab.get("/v1/resources/p").body();
  EXPECT_EQ(shown.at("holders").at(0).at("permits").as_int64(), 2);
  EXPECT_EQ(shown.at("waiters").at(0).at("permits").as_int64(), 2);
  EXPECT_EQ(json::serialize(lab.get("/v1/locks/" + kB).body().at("permits")),
            R"({"limit":2,"count":2})");
  lab.acquire("s", kC, R"(,"mode":"shared")");
  lab.acquire("s", "lease-000d", R"(,"mode":"shared")");
  lab.post("/v1/locks/" + kC + "/upgrade", R"({"fencingToken":2,"waitSeconds":9})");
  const json::value waiter = lab.get("/v1/resources/s").body().at("waiters").at(0);
  EXPECT_TRUE(waiter.at("upgrade").as_bool());
  EXPECT_EQ(text_of(waiter.at("mode")), "exclusive");
}

TEST(ApiReads, TheTrailIsReadInPages) {
  ApiLab lab;
  for (int i = 0; i < 5; ++i) {
    const std::string resource = (i == 2 ? "other" : "job:") + std::to_string(i);
    lab.acquire(resource, "lease-000" + std::to_string(i));
    lab.pass(1s);
    lab.post("/v1/resources/" + resource + "/force-release", R"({"actorId":"a","reason":"r"})");
  }
  const Asked& first = lab.get("/v1/audit?prefix=job%3A&limit=2");
  EXPECT_EQ(first.body().at("records").as_array().size(), 2U);
  EXPECT_EQ(first["next"], "2");
  EXPECT_EQ(text_of(first.body().at("records").at(1).at("createdAt")), "2026-04-01T00:00:02.000Z");
  const Asked& second = lab.get("/v1/audit?prefix=job%3A&limit=2&after=2");
  EXPECT_EQ(second.body().at("records").at(0).at("id").as_int64(), 4);
  EXPECT_EQ(second["next"], "null");
  EXPECT_EQ(lab.get("/v1/audit?namespace=n")["records"], "[]");
}

TEST(ApiReads, AFenceCheckKnowsLiveTokens) {
  ApiLab lab;
  lab.acquire("r", kA);
  const auto check = [&](const std::string& body) {
    return lab.post("/v1/fence/check", body).answer().body;
  };
  EXPECT_EQ(check(R"({"resource":"r","fencingToken":1})"),
            R"({"valid":true,"currentToken":1,"stateTimeMs":0})");
  EXPECT_EQ(check(R"({"resource":"r","fencingToken":2})"),
            R"({"valid":false,"currentToken":1,"stateTimeMs":0})");
  EXPECT_EQ(check(R"({"resource":"s","fencingToken":1})"),
            R"({"valid":false,"currentToken":null,"stateTimeMs":0})");
  EXPECT_EQ(lab.post("/v1/fence/check", R"({"resource":"","fencingToken":1})").status(), 422);
}

TEST(ApiReads, FailedRenewalsCanBeInspected) {
  ApiLab lab;
  lab.acquire("r", kA);
  lab.pass(32s);
  lab.post("/v1/locks/" + kA + "/renew");
  const Asked& shown = lab.get("/v1/renewal-failures");
  EXPECT_EQ(shown.answer().body,
            R"({"failures":[{"at":"2026-04-01T00:00:32.000Z","namespace":"default",)"
            R"("leaseId":"lease-000a","resource":"r","ownerId":"o","fencingToken":1,)"
            R"("code":"lease_lost","cause":"expired","lateSeconds":0}]})");
  EXPECT_EQ(lab.get("/v1/renewal-failures?ownerId=p")["failures"], "[]");
  EXPECT_EQ(lab.get("/v1/renewal-failures?prefix=s")["failures"], "[]");
  EXPECT_EQ(lab.get("/v1/renewal-failures?namespace=n")["failures"], "[]");
}

TEST(ApiReads, EventsAreAStreamFromNowOn) {
  ApiLab lab;
  lab.acquire("r", kA);
  const Asked& asked = lab.get("/v1/events?prefix=a");
  const auto& stream = std::get<Stream>(asked.reply.value());
  EXPECT_EQ(stream.from, lab.lab.service.feed().end());
  EXPECT_EQ(stream.filter.prefix, "a");
  ASSERT_TRUE(stream.filter.space);
  EXPECT_EQ(stream.filter.space->view(), "default");
  EXPECT_FALSE(stream.missed);
  const Asked& all = lab.get("/v1/events?namespace=*");
  EXPECT_FALSE(std::get<Stream>(all.reply.value()).filter.space);
  EXPECT_EQ(lab.get("/v1/events?namespace=a%20b").status(), 422);
}

TEST(ApiReads, EventsGoOnWhereTheReaderWas) {
  ApiLab lab;
  lab.acquire("r", kA);
  lab.acquire("s", kB);
  service::Feed& feed = lab.lab.service.feed();
  std::vector<std::string> ids;
  feed.read(0, {}, 100, [&](const service::FeedEvent& event) {
    if (event.id) ids.push_back(to_text(*event.id));
    return true;
  });
  ASSERT_GE(ids.size(), 2U);
  const Asked& query = lab.get("/v1/events?after=" + ids[0]);
  EXPECT_EQ(std::get<Stream>(query.reply.value()).from, 1U);
  EXPECT_FALSE(std::get<Stream>(query.reply.value()).missed);
  // A browser that comes back has the same target as before, and a newer header.
  const Asked& header = lab.send({"GET", "/v1/events?after=" + ids[0], "", ids[1], ""});
  EXPECT_EQ(std::get<Stream>(header.reply.value()).from, 2U);
  const Asked& unknown = lab.get("/v1/events?after=999999-0-0");
  EXPECT_TRUE(std::get<Stream>(unknown.reply.value()).missed);
  EXPECT_EQ(lab.get("/v1/events?after=x")["field"], "\"after\"");
  EXPECT_EQ(lab.send({"GET", "/v1/events", "", "x", ""})["field"], "\"Last-Event-ID\"");
}

TEST(ApiReads, HeadIsAsGet) {
  ApiLab lab;
  EXPECT_EQ(lab.send({"HEAD", "/v1/locks", "", "", ""}).answer().body,
            lab.get("/v1/locks").answer().body);
  const Asked& events = lab.send({"HEAD", "/v1/events", "", "", ""});
  EXPECT_EQ(events.answer().content_type, "text/event-stream");
  EXPECT_EQ(lab.send({"HEAD", "/v1/locks/acquire", "", "", ""}).status(), 405);
}

TEST(ApiReads, TheNodeTellsAboutItself) {
  ApiLab lab;
  lab.pass(5s);
  lab.acquire("r", kA);
  EXPECT_EQ(lab.get("/healthz").answer().body, R"({"status":"ok"})");
  EXPECT_EQ(lab.get("/readyz").answer().body, R"({"ready":true})");
  EXPECT_EQ(lab.get("/v1/version").answer().body,
            R"({"name":"pawl","version":"1.2.3","api":"v1","stateTimeMs":5000})");
  EXPECT_EQ(lab.get("/v1/cluster").answer().body,
            R"({"nodeId":1,"role":"leader","leader":null,"ready":true,)"
            R"("members":[{"nodeId":1,"self":true}],"stateTimeMs":5000})");
  const Asked& metrics = lab.get("/metrics");
  EXPECT_EQ(metrics.answer().content_type, "text/plain; version=0.0.4");
  EXPECT_NE(metrics.answer().body.find("pawl_"), std::string::npos);
  EXPECT_EQ(lab.get("/openapi.json").answer().body, openapi_document());
}

TEST(ApiReads, ANodeThatCantGrantIsAliveButNotReady) {
  ApiLab lab;
  lab.lab.store.set_office({false, "other:7420"});
  EXPECT_EQ(lab.get("/healthz").status(), 200);
  const Asked& follower = lab.get("/readyz");
  EXPECT_EQ(follower.status(), 503);
  EXPECT_EQ(follower.code(), "\"not_leader\"");
  EXPECT_EQ(follower["leader"], "\"other:7420\"");
  EXPECT_EQ(lab.get("/v1/cluster")["role"], "\"follower\"");
  lab.lab.store.set_office({true, ""});
  lab.lab.service.drain(1s, [] {});
  EXPECT_EQ(lab.get("/readyz").code(), "\"stopping\"");
  EXPECT_EQ(lab.acquire("r", kA).code(), "\"stopping\"");
}

}  // namespace
}  // namespace pawl::doors::http
