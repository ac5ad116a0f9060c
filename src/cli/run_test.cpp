// SPDX-License-Identifier: Apache-2.0
// The commands as a user meets them, against a real HTTP peer with canned answers.
#include "cli/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <sstream>

#include "cli/test_peer.h"
#include "core/validate.h"

namespace pawl::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

Ran run_at_terminal(std::vector<std::string> arguments, const std::string& typed, bool terminal) {
  std::istringstream in(typed);
  std::ostringstream out;
  std::ostringstream err;
  const Console console{in, out, err, terminal, false};
  const int code = run(std::move(arguments), console, {});
  return {code, out.str(), err.str()};
}

Ran run_pawl(std::vector<std::string> arguments) {
  return run_at_terminal(std::move(arguments), "", false);
}

boost::json::object body_of(const PeerRequest& request) {
  return boost::json::parse(request.body).as_object();
}

constexpr const char* kVersionAnswer =
    R"({"name":"pawl","version":"9.9.9","api":"v1","stateTimeMs":4096})";
constexpr const char* kGrant =
    R"({"acquired":true,"leaseId":"p1_1000_x","resource":"job","namespace":"default","ownerId":"me","mode":"exclusive",)"
    R"("fencingToken":42,"ttlSeconds":30,"validForSeconds":30,"expiresAt":"2026-04-30T23:59:31.250Z","createdAt":"2026-04-30T23:59:01.250Z",)"
    R"("waitedSeconds":0,"repeated":false,"stateTimeMs":4097})";

// Answers /v1/version, and everything else as told.
PeerAnswer with_version(PeerAnswer rest) {
  return [rest = std::move(rest)](const PeerRequest& request) {
    return request.target == "/v1/version" ? json_answer(200, kVersionAnswer) : rest(request);
  };
}

TEST(Acquire, AsksWithAnIdOfItsOwnAndPrintsLeaseTokenAndExpiry) {
  const TestPeer peer(with_version([](const PeerRequest&) { return json_answer(200, kGrant); }));
  const Ran ran = run_pawl({"acquire", "job", "--ttl", "1.5m", "--wait", "250ms", "--owner", "me",
                            "--meta", "a=b=c", "--meta", "d=", "--namespace", "n", "--max-hold",
                            "1h", "--url", peer.url()});
  EXPECT_EQ(ran.code, kOk) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("Acquired job\n"));
  EXPECT_THAT(ran.out, HasSubstr("lease    p1_1000_x\n"));
  EXPECT_THAT(ran.out, HasSubstr("token    42\n"));
  EXPECT_THAT(ran.out, HasSubstr("expires  in 30s (2026-04-30T23:59:31.250Z)\n"));
  const PeerRequest asked = peer.requests().at(1);
  EXPECT_EQ(asked.target, "/v1/locks/acquire");
  const auto body = body_of(asked);
  EXPECT_EQ(body.at("resource"), "job");
  EXPECT_EQ(body.at("ttlSeconds"), 90);
  EXPECT_EQ(body.at("waitSeconds"), 0.25);
  EXPECT_EQ(body.at("maxHoldSeconds"), 3600);
  EXPECT_EQ(body.at("ownerId"), "me");
  EXPECT_EQ(body.at("namespace"), "n");
  EXPECT_EQ(body.at("metadata"), (boost::json::object{{"a", "b=c"}, {"d", ""}}));
  EXPECT_FALSE(body.contains("attempt"));
  const auto made = core::made_at(std::string(body.at("leaseId").as_string()));
  ASSERT_TRUE(made);
  EXPECT_EQ(core::to_ms(*made), 4096);
}

TEST(Acquire, ModesAndSeveralNamesReachTheService) {
  const TestPeer peer(with_version([](const PeerRequest&) { return json_answer(200, kGrant); }));
  run_pawl({"acquire", "a", "b", "--shared", "--url", peer.url()});
  run_pawl({"acquire", "a", "--permits", "5:2", "--url", peer.url()});
  const auto shared = body_of(peer.requests().at(1));
  EXPECT_EQ(shared.at("resources"), (boost::json::array{"a", "b"}));
  EXPECT_EQ(shared.at("mode"), "shared");
  EXPECT_THAT(std::string(shared.at("ownerId").as_string()), HasSubstr("@"));
  const auto permit = body_of(peer.requests().at(3));
  EXPECT_EQ(permit.at("mode"), "permit");
  EXPECT_EQ(permit.at("permits"), (boost::json::object{{"limit", 5}, {"count", 2}}));
}

TEST(Acquire, WithJsonPrintsTheAnswerAsItCame) {
  const TestPeer peer(with_version([](const PeerRequest&) { return json_answer(200, kGrant); }));
  const Ran ran = run_pawl({"acquire", "job", "--json", "--url", peer.url()});
  EXPECT_EQ(ran.out, std::string(kGrant) + "\n");
  EXPECT_THAT(ran.err, IsEmpty());
}

TEST(Acquire, ABusyLockNamesItsHolderAndExitsWithThree) {
  const TestPeer peer(with_version([](const PeerRequest&) {
    return json_answer(
        200,
        R"({"acquired":false,"reason":"held","leaseId":"p1_x","resource":"job","holders":[{"leaseId":"p1_y","ownerId":"wor\u001bker-1",)"
        R"("mode":"exclusive","fencingToken":41,"createdAt":"2026-04-30T23:59:01.250Z","expiresAt":null}],"holderCount":3,"waiters":2,"retryAfterSeconds":null})");
  }));
  const Ran ran = run_pawl({"acquire", "job", "--url", peer.url()});
  EXPECT_EQ(ran.code, kNotAcquired);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(ran.err, HasSubstr("job is held\n  held by wor\\x1bker-1, "));
  EXPECT_THAT(ran.err, HasSubstr("token 41, lease p1_y\n  and 2 others\n  2 wait for it\n"));
  EXPECT_THAT(ran.err, HasSubstr("pawl why job"));
}

TEST(Acquire, AWaitThatEndsInVainSaysWhoHoldsItNow) {
  const TestPeer peer(with_version([](const PeerRequest& request) {
    if (request.method == "POST")
      return json_answer(
          200,
          R"({"acquired":false,"reason":"timeout","leaseId":"p1_x","resource":"a/b","holders":[],"holderCount":0})");
    return json_answer(
        200,
        R"({"holders":[{"ownerId":"worker-9","mode":"exclusive","fencingToken":1,"leaseId":"l"}],"holderCount":1})");
  }));
  const Ran ran = run_pawl({"acquire", "a/b", "--wait", "2s", "--url", peer.url()});
  EXPECT_EQ(ran.code, kNotAcquired);
  EXPECT_THAT(ran.err, HasSubstr("could not be had within 2s\n  held by worker-9"));
  EXPECT_EQ(peer.requests().back().target, "/v1/resources/a%2Fb");
}

TEST(Acquire, ALostAnswerIsAskedForAgainWithTheSameId) {
  int posts = 0;
  const TestPeer peer(with_version([&posts](const PeerRequest&) {
    return ++posts == 1 ? std::string() : json_answer(200, kGrant);
  }));
  const Ran ran = run_pawl({"acquire", "job", "--url", peer.url()});
  EXPECT_EQ(ran.code, kOk) << ran.err;
  const auto first = body_of(peer.requests().at(1));
  const auto second = body_of(peer.requests().at(2));
  EXPECT_EQ(first.at("leaseId"), second.at("leaseId"));
  EXPECT_EQ(second.at("attempt"), 2);
}

TEST(Acquire, ANewIdThatLooksOldToAServiceThatWasIdleIsMadeAgain) {
  int posts = 0;
  const TestPeer peer(with_version([&posts](const PeerRequest&) {
    return ++posts > 1
               ? json_answer(200, kGrant)
               : json_answer(
                     409, R"({"code":"lease_id_stale","detail":"too old","stateTimeMs":900000})");
  }));
  const Ran ran = run_pawl({"acquire", "job", "--url", peer.url()});
  EXPECT_EQ(ran.code, kOk) << ran.err;
  const auto second = body_of(peer.requests().at(2));
  EXPECT_THAT(std::string(second.at("leaseId").as_string()), StartsWith("p1_dbba0_"));
  EXPECT_FALSE(second.contains("attempt"));
}

TEST(Acquire, AnIdThatWasGivenIsNeverReplaced) {
  const TestPeer peer([](const PeerRequest&) {
    return json_answer(409, R"({"code":"lease_id_stale","detail":"too old","stateTimeMs":900000})");
  });
  EXPECT_EQ(run_pawl({"acquire", "job", "--lease-id", "my-own-id-1", "--url", peer.url()}).code,
            kFailed);
  EXPECT_EQ(peer.requests().size(), 1U);
}

TEST(Acquire, AnOutcomeThatStaysUnknownExitsWithSixAndNamesTheIdToRepeat) {
  const TestPeer peer([](const PeerRequest& request) {
    return json_answer(503,
                       R"({"code":"outcome_unknown","detail":"It may have happened.","leaseId":")" +
                           std::string(body_of(request).at("leaseId").as_string()) + "\"}");
  });
  const Ran ran = run_pawl(
      {"acquire", "job", "--lease-id", "my-own-id-1", "--attempt", "4", "--url", peer.url()});
  EXPECT_EQ(ran.code, kUnknown);
  EXPECT_EQ(peer.requests().size(), 2U) << "repeated once";
  EXPECT_THAT(ran.err, HasSubstr("--lease-id my-own-id-1 --attempt 6"));
}

TEST(Acquire, WhenNoAnswerEverComesTheOutcomeIsUnknown) {
  const TestPeer peer([](const PeerRequest&) { return ""; });
  const Ran ran = run_pawl({"acquire", "job", "--lease-id", "my-own-id-1", "--url", peer.url()});
  EXPECT_EQ(ran.code, kUnknown);
  EXPECT_THAT(ran.err, HasSubstr("may have happened"));
}

TEST(Commands, ARefusedValueIsBlamedOnItsFlag) {
  const TestPeer peer([](const PeerRequest&) {
    return json_answer(
        422,
        R"({"code":"invalid","status":422,"field":"ttlSeconds","detail":"must be at most 86400"})");
  });
  const Ran ran = run_pawl(
      {"acquire", "job", "--ttl", "2d", "--lease-id", "12345678", "--json", "--url", peer.url()});
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_THAT(ran.err, HasSubstr("pawl: --ttl: must be at most 86400\n"));
  EXPECT_THAT(ran.out, StartsWith("{\"code\":\"invalid\""))
      << "with --json the problem is the answer";
}

TEST(Commands, AServiceThatIsNotThereExitsWithFive) {
  std::string url;
  {
    url = TestPeer([](const PeerRequest&) { return ""; }).url();
  }
  for (const char* command : {"acquire", "why", "show", "renew", "release"}) {
    const Ran ran = run_pawl({command, "job-12345", "--url", url});
    EXPECT_EQ(ran.code, kUnreachable) << command;
    EXPECT_THAT(ran.err, HasSubstr("can't reach the service at " + url)) << command;
    EXPECT_THAT(ran.err, HasSubstr("hint: ")) << command;
  }
  EXPECT_EQ(run_pawl({"list", "--url", url}).code, kUnreachable);
  EXPECT_EQ(run_pawl({"status", "--url", url}).code, kUnreachable);
  EXPECT_EQ(run_pawl({"watch", "--url", url}).code, kUnreachable);
}

TEST(Commands, SomethingElseAtTheAddressIsRecognised) {
  const TestPeer peer([](const PeerRequest&) { return raw_answer(200, "text/html", "<html>"); });
  const Ran ran = run_pawl({"why", "x", "--url", peer.url()});
  EXPECT_EQ(ran.code, kFailed);
  EXPECT_THAT(ran.err, HasSubstr("is not a Pawl service"));
}

TEST(Renew, OneAndManyAndThoseThatAreLost) {
  const TestPeer peer([](const PeerRequest& request) {
    if (request.target == "/v1/locks/one-lease/renew")
      return json_answer(
          200,
          R"({"renewed":true,"leaseId":"one-lease","fencingToken":5,"validForSeconds":60,"expiresAt":"2026-04-30T23:59:31.250Z"})");
    return json_answer(
        200,
        R"({"results":[{"renewed":true,"leaseId":"a-lease-1","validForSeconds":60,"expiresAt":"2026-04-30T23:59:31.250Z"},)"
        R"({"renewed":false,"leaseId":"a-lease-2","code":"lease_lost","detail":"It is over.","cause":"expired"}]})");
  });
  const Ran one = run_pawl({"renew", "one-lease", "--ttl", "1m", "--url", peer.url()});
  EXPECT_EQ(one.code, kOk) << one.err;
  EXPECT_THAT(one.out, HasSubstr("Renewed one-lease\n  token    5\n  expires  in 1m"));
  EXPECT_EQ(peer.requests().at(0).body, R"({"ttlSeconds":60})");
  const Ran many = run_pawl({"renew", "a-lease-1", "a-lease-2", "--url", peer.url()});
  EXPECT_EQ(many.code, kLost);
  EXPECT_THAT(many.out, HasSubstr("a-lease-1  renewed"));
  EXPECT_THAT(many.err, HasSubstr("a-lease-2: It is over; cause: expired"));
  EXPECT_EQ(peer.requests().at(1).target, "/v1/locks/renew");
}

TEST(Release, SaysWhatWasReleasedAndWhatWasLostBefore) {
  const TestPeer peer([](const PeerRequest& request) {
    if (request.target == "/v1/locks/mine-1234?namespace=n")
      return json_answer(
          200, R"({"released":true,"leaseId":"mine-1234","fencingToken":5,"cause":"released"})");
    return json_answer(410,
                       R"({"code":"lease_lost","detail":"The lease is over.","cause":"expired"})");
  });
  const Ran released = run_pawl({"release", "mine-1234", "--namespace", "n", "--url", peer.url()});
  EXPECT_EQ(released.code, kOk);
  EXPECT_EQ(released.out, "Released mine-1234 (token 5)\n");
  EXPECT_EQ(peer.requests().at(0).method, "DELETE");
  const Ran lost = run_pawl({"release", "other-123", "--url", peer.url()});
  EXPECT_EQ(lost.code, kLost);
  EXPECT_THAT(lost.err, HasSubstr("cause: expired"));
}

TEST(Show, PrintsEveryFactOfALease) {
  const TestPeer peer([](const PeerRequest&) {
    return json_answer(
        200,
        R"({"resource":"a","resources":["a","b"],"namespace":"default","ownerId":"w","leaseId":"l-1234567","mode":"permit",)"
        R"("permits":{"limit":5,"count":2},"fencingToken":7,"ttlSeconds":90,"createdAt":"2020-01-01T00:00:00.000Z","renewedAt":null,"expiresAt":null,)"
        R"("metadata":{"team":"x"},"state":"held","validForSeconds":null})");
  });
  const Ran ran = run_pawl({"show", "l-1234567", "--url", peer.url()});
  EXPECT_EQ(ran.code, kOk);
  for (const char* fact :
       {"l-1234567 is held\n", "resource   a, b\n", "mode       permit 2 of 5\n",
        "ttl        1m30s\n", "expires    never\n", "metadata   team=x\n", " ago\n"})
    EXPECT_THAT(ran.out, HasSubstr(fact));
}

std::string page_of(const PeerRequest& request) {
  const auto record = [](const char* name, int token) {
    return std::string(R"({"resource":")") + name +
           R"(","ownerId":"w","leaseId":"l","mode":"exclusive","fencingToken":)" +
           std::to_string(token) +
           R"(,"ttlSeconds":0.25,"createdAt":"2020-01-01T00:00:00.000Z","expiresAt":null,"metadata":{}})";
  };
  const bool second = request.target.find("after=7~a") != std::string::npos;
  return json_answer(200, second ? "{\"locks\":[" + record("b", 8) + "],\"next\":null}"
                                 : "{\"locks\":[" + record("a\\u001b", 7) + "],\"next\":\"7~a\"}");
}

TEST(List, FollowsThePagesInOneTable) {
  const TestPeer peer(page_of);
  const Ran ran = run_pawl({"list", "ten:", "--all", "--url", peer.url()});
  EXPECT_EQ(ran.code, kOk) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("RESOURCE  OWNER  MODE       TOKEN  ACQUIRED"));
  EXPECT_THAT(ran.out, HasSubstr("\na\\x1b     w      exclusive      7  "));
  EXPECT_THAT(ran.out, HasSubstr("\nb         w      exclusive      8  "));
  EXPECT_EQ(peer.requests().at(0).target, "/v1/locks?prefix=ten%3A&limit=1000");
  EXPECT_EQ(peer.requests().size(), 2U);
}

TEST(List, TellsWhereToGoOn) {
  const TestPeer peer(page_of);
  const Ran ran = run_pawl({"list", "--limit", "1", "--url", peer.url()});
  EXPECT_THAT(ran.err, HasSubstr("--after '7~a'"));
  EXPECT_EQ(peer.requests().size(), 1U);
}

TEST(List, AllPagesAreOneJsonDocument) {
  const TestPeer peer(page_of);
  const Ran ran = run_pawl({"list", "--all", "--json", "--url", peer.url()});
  const auto document = boost::json::parse(ran.out).as_object();
  EXPECT_EQ(document.at("locks").as_array().size(), 2U);
  EXPECT_TRUE(document.at("next").is_null());
  EXPECT_THAT(ran.out, HasSubstr("\"ttlSeconds\":0.25,"));
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b")));
}

TEST(List, OfNothingSaysSo) {
  const TestPeer peer(
      [](const PeerRequest&) { return json_answer(200, R"({"locks":[],"next":null})"); });
  const Ran ran = run_pawl({"list", "--url", peer.url()});
  EXPECT_EQ(ran.code, kOk);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_EQ(ran.err, "Nothing is held.\n");
}

TEST(Audit, ListsWhoEndedWhatAndWhy) {
  const TestPeer peer([](const PeerRequest& request) {
    const bool second = request.target.find("after=3") != std::string::npos;
    return json_answer(
        200,
        second
            ? R"({"records":[],"next":null})"
            : R"({"records":[{"id":3,"action":"FORCE_UNLOCK","resource":"job","actorId":"ops","reason":"stuck","holders":[{"ownerId":"w1"}],)"
              R"("holderCount":2,"createdAt":"2020-01-01T00:00:00.000Z"}],"next":3})");
  });
  const Ran ran = run_pawl({"audit", "--all", "--url", peer.url()});
  EXPECT_EQ(ran.code, kOk) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("FORCE_UNLOCK  job       ops    w1 and 1 more  stuck\n"));
}

TEST(Failures, AreListedByPrefixAndOwner) {
  const TestPeer peer([](const PeerRequest&) {
    return json_answer(
        200,
        R"({"failures":[{"at":"2020-01-01T00:00:00.000Z","leaseId":"l-1","resource":"job","ownerId":null,"code":"lease_lost","cause":"expired","lateSeconds":1.5}]})");
  });
  const Ran ran = run_pawl({"failures", "jo", "--owner", "w", "--url", peer.url()});
  EXPECT_EQ(ran.code, kOk);
  EXPECT_THAT(ran.out, HasSubstr("job       -      lease_lost  expired  1.5s  l-1\n"));
  EXPECT_EQ(peer.requests().at(0).target, "/v1/renewal-failures?prefix=jo&ownerId=w&limit=100");
}

std::string forced(const PeerRequest& request) {
  if (request.method == "GET")
    return json_answer(
        200,
        R"({"holders":[{"leaseId":"held-lease","ownerId":"worker-1","mode":"exclusive","fencingToken":4,"heldSeconds":60,"validForSeconds":9}],"holderCount":1})");
  return json_answer(
      200,
      R"({"released":[{"leaseId":"held-lease","ownerId":"worker-1","mode":"exclusive","fencingToken":4}],"releasedCount":1,"when":"now",)"
      R"("audit":{"id":12,"actorId":"ops","reason":"stuck"}})");
}

TEST(ForceRelease, ShowsTheHolderAsksAndEndsOnlyThatOne) {
  const TestPeer peer(forced);
  const Ran ran = run_at_terminal(
      {"force-release", "job", "--reason", "stuck", "--actor", "ops", "--url", peer.url()}, "y\n",
      true);
  EXPECT_EQ(ran.code, kOk) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("job is held by worker-1, for 1m, ends in 9s"));
  EXPECT_THAT(ran.err, HasSubstr("[y/N]"));
  EXPECT_THAT(ran.out, HasSubstr("Force-released: job\n"));
  EXPECT_THAT(ran.out, HasSubstr("Audit record 12 by ops: stuck\n"));
  const PeerRequest post = peer.requests().at(1);
  EXPECT_EQ(post.target, "/v1/resources/job/force-release");
  EXPECT_EQ(post.body, R"({"actorId":"ops","reason":"stuck","leaseId":"held-lease"})");
}

TEST(ForceRelease, AnythingButYesDoesNothing) {
  const TestPeer peer(forced);
  for (const char* typed : {"n\n", "\n", "", "yep\n"}) {
    const Ran ran = run_at_terminal(
        {"force-release", "job", "--reason", "stuck", "--url", peer.url()}, typed, true);
    EXPECT_EQ(ran.code, kFailed) << typed;
    EXPECT_THAT(ran.err, HasSubstr("Nothing was done."));
  }
  for (const PeerRequest& request : peer.requests()) EXPECT_EQ(request.method, "GET");
}

TEST(ForceRelease, WithoutATerminalItNeedsToBeToldYes) {
  const TestPeer peer(forced);
  const Ran refused = run_pawl({"force-release", "job", "--reason", "stuck", "--url", peer.url()});
  EXPECT_EQ(refused.code, kUsage);
  EXPECT_THAT(peer.requests(), IsEmpty());
  const Ran done = run_pawl({"force-release", "job", "--reason", "stuck", "--token", "4",
                             "--at-deadline", "--yes", "--url", peer.url()});
  EXPECT_EQ(done.code, kOk) << done.err;
  const auto body = body_of(peer.requests().at(0));
  EXPECT_EQ(body.at("fencingToken"), 4);
  EXPECT_EQ(body.at("when"), "at_deadline");
}

TEST(ForceRelease, NeedsAReason) {
  const Ran ran = run_pawl({"force-release", "job", "--yes"});
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_THAT(ran.err, HasSubstr("--reason is required"));
}

TEST(Watch, GoesOnAfterALostConnectionWhereItStopped) {
  int connections = 0;
  const TestPeer peer([&connections](const PeerRequest&) -> std::string {
    const std::string head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: pawl events\n\n";
    if (++connections == 1)
      return head +
             "id: 7\nevent: lock_acquired\ndata: "
             "{\"event\":\"lock_acquired\",\"at\":\"2026-04-30T23:59:01.250Z\","
             "\"resource\":\"job\\u001b\",\"ownerId\":\"w\",\"mode\":\"shared\",\"fencingToken\":7,"
             "\"waitedSeconds\":2}\n\n";
    if (connections == 2) return "";
    return head +
           "event: missed\ndata: {\"event\":\"missed\",\"detail\":\"Some were missed.\"}\n\n"
           "id: 9\nevent: lock_expired\ndata: "
           "{\"event\":\"lock_expired\",\"resource\":\"job\"}\n\n";
  });
  const Ran ran = run_pawl({"watch", "jo", "--count", "3", "--url", peer.url()});
  EXPECT_EQ(ran.code, kOk) << ran.err;
  EXPECT_THAT(
      ran.out,
      StartsWith(
          "23:59:01  lock_acquired            job\\x1b  w  token 7, mode shared, waited 2s\n"));
  EXPECT_THAT(ran.out, HasSubstr("lock_expired"));
  EXPECT_THAT(ran.err, HasSubstr("trying again"));
  EXPECT_THAT(ran.err, HasSubstr("Some were missed."));
  ASSERT_EQ(peer.requests().size(), 3U);
  EXPECT_EQ(peer.requests().at(0).target, "/v1/events?prefix=jo");
  EXPECT_THAT(peer.requests().at(0).head, Not(HasSubstr("Last-Event-ID")));
  EXPECT_THAT(peer.requests().at(2).head, HasSubstr("Last-Event-ID: 7\r\n"));
}

TEST(Watch, WithJsonPrintsOneObjectALine) {
  const TestPeer peer([](const PeerRequest&) {
    return "HTTP/1.1 200 OK\r\n\r\nid: 1\nevent: a\ndata: {\"x\":1}\n\nid: 2\nevent: b\ndata: "
           "{\"y\":\ndata: 2}\n\n";
  });
  EXPECT_EQ(run_pawl({"watch", "--json", "--count", "2", "--url", peer.url()}).out,
            "{\"x\":1}\n{\"y\": 2}\n");
}

TEST(Watch, ARefusalThatNoRetryMendsEndsIt) {
  const TestPeer peer([](const PeerRequest&) {
    return json_answer(422, R"({"code":"invalid","field":"namespace","detail":"is too long"})");
  });
  const Ran ran = run_pawl({"watch", "--namespace", "x", "--url", peer.url()});
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_THAT(ran.err, HasSubstr("--namespace: is too long"));
}

PeerAnswer status_peer(bool ready) {
  return with_version([ready](const PeerRequest& request) {
    if (request.target == "/v1/cluster")
      return json_answer(200,
                         R"({"nodeId":1,"role":"leader","leader":null,"ready":true,"members":[]})");
    if (request.target == "/metrics")
      return raw_answer(200, "text/plain",
                        "# HELP pawl_leases_held x\npawl_leases_held 12\npawl_leases_waiting 3\n");
    return ready ? json_answer(200, R"({"ready":true})")
                 : json_answer(503, R"({"code":"stopping","detail":"The node is stopping."})");
  });
}

TEST(Status, SaysWhetherTheServiceCanGrant) {
  const TestPeer peer(status_peer(true));
  const Ran ran = run_pawl({"status", "--namespace", "n", "--url", peer.url()});
  EXPECT_EQ(ran.code, kOk) << ran.err;
  for (const char* fact :
       {" is ready\n", "version  9.9.9\n", "role     leader\n", "held     12\n", "waiting  3\n"})
    EXPECT_THAT(ran.out, HasSubstr(fact));
  const auto json =
      boost::json::parse(run_pawl({"status", "--json", "--url", peer.url()}).out).as_object();
  EXPECT_EQ(json.at("ready"), true);
  EXPECT_EQ(json.at("held"), 12);
}

TEST(Status, AServiceThatCannotGrantFails) {
  const TestPeer peer(status_peer(false));
  const Ran ran = run_pawl({"status", "--url", peer.url()});
  EXPECT_EQ(ran.code, kFailed);
  EXPECT_THAT(ran.out, HasSubstr(" is not ready\n"));
  EXPECT_THAT(ran.out, HasSubstr("The node is stopping"));
}

TEST(Version, IsOursAndTheServices) {
  const TestPeer peer(with_version([](const PeerRequest&) { return ""; }));
  EXPECT_THAT(run_pawl({"version", "--url", peer.url()}).out,
              HasSubstr("service 9.9.9 at " + peer.url()));
  EXPECT_EQ(run_pawl({"--version"}).code, kOk);
}

TEST(Usage, AMistypedCommandOrFlagFindsItsNeighbour) {
  const Ran command = run_pawl({"aquire", "x"});
  EXPECT_EQ(command.code, kUsage);
  EXPECT_THAT(command.err, HasSubstr("did you mean 'acquire'?"));
  const Ran flag = run_pawl({"acquire", "x", "--tll=3s"});
  EXPECT_EQ(flag.code, kUsage);
  EXPECT_THAT(flag.err, HasSubstr("there is no --tll; did you mean '--ttl'?"));
  EXPECT_THAT(run_pawl({"\x1b[2J"}).err, HasSubstr("\\x1b[2J"));
}

TEST(Usage, EachWrongValueIsNamed) {
  const auto err = [](std::vector<std::string> arguments) {
    const Ran ran = run_pawl(std::move(arguments));
    EXPECT_EQ(ran.code, kUsage);
    return ran.err;
  };
  EXPECT_THAT(err({"acquire"}), HasSubstr("NAME is required"));
  EXPECT_THAT(err({"acquire", "x", "--ttl", "3"}), HasSubstr("--ttl: '3' is not a duration"));
  EXPECT_THAT(err({"acquire", "x", "--permits", "a"}), HasSubstr("LIMIT or LIMIT:COUNT"));
  EXPECT_THAT(err({"acquire", "x", "--meta", "a"}), HasSubstr("'a' is not KEY=VALUE"));
  EXPECT_THAT(err({"acquire", "x", "--shared", "--permits", "2"}), HasSubstr("exclude"));
  EXPECT_THAT(err({"acquire", "[a,b]"}), HasSubstr("brackets"));
  EXPECT_THAT(err({"show", "x", "--url", "ftp://x"}), HasSubstr("http:// or pawl://"));
  EXPECT_THAT(err({"list", "--limit", "0"}), HasSubstr("--limit: must be at least 1"));
  EXPECT_THAT(err({"list", "--all", "--limit", "3"}), HasSubstr("excludes"));
  EXPECT_THAT(err({"completion", "tcsh"}), HasSubstr("tcsh"));
  EXPECT_THAT(err({}), HasSubstr("Subcommands:"));
}

TEST(Usage, EveryCommandHasHelpWithExamplesAndACompletion) {
  const std::string bash = run_pawl({"completion", "bash"}).out;
  for (const char* command : {"acquire", "renew", "release", "list", "show", "why", "force-release",
                              "audit", "failures", "watch", "status", "version", "completion"}) {
    const Ran ran = run_pawl({command, "--help"});
    EXPECT_EQ(ran.code, kOk) << command;
    EXPECT_THAT(ran.out, HasSubstr("Examples:\n  ")) << command;
    EXPECT_THAT(bash, HasSubstr(std::string("\n    ") + command + ")\n"));
    EXPECT_EQ(run_pawl({"help", command}).out, ran.out);
  }
  EXPECT_THAT(bash, HasSubstr("--lock-delay"));
  EXPECT_THAT(run_pawl({"completion", "zsh"}).out, StartsWith("#compdef pawl\n"));
  EXPECT_THAT(run_pawl({"completion", "fish"}).out, HasSubstr("-a acquire"));
}

}  // namespace
}  // namespace pawl::cli
