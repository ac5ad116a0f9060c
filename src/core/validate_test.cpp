// SPDX-License-Identifier: Apache-2.0
// Bad input is refused with the field's name, and changes nothing.
#include "core/validate.h"

#include <gmock/gmock.h>

#include <functional>

#include "support/lab.h"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using namespace pawl::testing;

std::string field_of(const CommandBody& body) {
  const auto invalid = validate(Command{Time{}, body}, Limits{});
  return invalid ? invalid->field : "";
}

struct Case {
  const char* field;
  std::function<void(Ask&)> spoil;
};

TEST(Validate, NamesTheFieldOfABadAcquire) {
  const std::vector<Case> cases = {
      {"", [](Ask&) {}},
      {"namespace", [](Ask& a) { a.space = Namespace(""); }},
      {"namespace", [](Ask& a) { a.space = Namespace("a/b"); }},
      {"namespace", [](Ask& a) { a.space = Namespace(std::string(65, 'a')); }},
      {"resource", [](Ask& a) { a.terms.resources = {}; }},
      {"resource", [](Ask& a) { a.terms.resources = {ResourceName("")}; }},
      {"resource", [](Ask& a) { a.terms.resources = {ResourceName(std::string(513, 'r'))}; }},
      {"resource", [](Ask& a) { a.terms.resources = {ResourceName("a\nb")}; }},
      {"resource", [](Ask& a) { a.terms.resources = {ResourceName("\xc3\x28")}; }},
      {"resources", [](Ask& a) { a.terms.resources = {ResourceName("a"), ResourceName("a")}; }},
      {"resources", [](Ask& a) { a.terms.resources = {ResourceName("a"), ResourceName("")}; }},
      {"resources",
       [](Ask& a) {
         for (int i = 0; i < 64; ++i) a.terms.resources.emplace_back("r" + std::to_string(i));
       }},
      {"ownerId", [](Ask& a) { a.terms.owner = OwnerId(""); }},
      {"ownerId", [](Ask& a) { a.terms.owner = OwnerId(std::string(257, 'o')); }},
      {"leaseId", [](Ask& a) { a.id = LeaseId("short"); }},
      {"leaseId", [](Ask& a) { a.id = LeaseId(std::string(129, 'x')); }},
      {"leaseId", [](Ask& a) { a.id = LeaseId("spaces are not allowed"); }},
      {"ttlSeconds", [](Ask& a) { a.ttl(0s); }},
      {"ttlSeconds", [](Ask& a) { a.ttl(99ms); }},
      {"ttlSeconds", [](Ask& a) { a.ttl(24h + 1us); }},
      {"ttlSeconds", [](Ask& a) { a.ttl(-5s); }},
      {"waitSeconds", [](Ask& a) { a.waiting(10min + 1us); }},
      {"waitSeconds", [](Ask& a) { a.waiting(-1us); }},
      {"permits", [](Ask& a) { a.terms.permits = {1, 1}; }},
      {"permits.limit", [](Ask& a) { a.permits(0, 1); }},
      {"permits.limit", [](Ask& a) { a.permits(1'000'001, 1); }},
      {"permits.count", [](Ask& a) { a.permits(3, 0); }},
      {"permits.count", [](Ask& a) { a.permits(3, 4); }},
      {"maxHoldSeconds", [](Ask& a) { a.max_hold(-1s); }},
      {"minHoldSeconds", [](Ask& a) { a.min_hold(25h); }},
      {"lockDelaySeconds", [](Ask& a) { a.lock_delay(-1s); }},
      {"attempt", [](Ask& a) { a.attempt(0); }},
      {"metadata", [](Ask& a) { a.metadata.assign(17, {"k", "v"}); }},
      {"metadata", [](Ask& a) { a.metadata = {{"k", std::string(1024, 'v')}}; }},
      {"metadata", [](Ask& a) { a.metadata = {{"", "v"}}; }},
      {"metadata", [](Ask& a) { a.metadata = {{"k", "1"}, {"k", "2"}}; }},
      {"metadata", [](Ask& a) { a.metadata = {{"k", std::string("\0", 1)}}; }},
  };
  for (const Case& one : cases) {
    Ask request = ask("a", "db");
    one.spoil(request);
    EXPECT_EQ(field_of(request), one.field);
    Lab lab;
    const std::uint64_t before = state_hash(lab.state);
    const Effects effects = lab.acquire(request);
    if (std::string(one.field).empty()) continue;
    EXPECT_EQ(reply<Refused>(effects).code, RefusalCode::invalid);
    EXPECT_EQ(reply<Refused>(effects).field, one.field);
    EXPECT_EQ(state_hash(lab.state), before);  // nothing is half done
  }
}

TEST(Validate, TakesTextsUpToTheirLimitInBytesAndAnyScript) {
  Ask request = ask("a", std::string(512, 'r'));
  EXPECT_EQ(field_of(request), "");
  for (const char* name : {"Zürich:Ablösung", "請求:2026-04", "emoji 🔒", "a b/c%d"}) {
    EXPECT_EQ(field_of(ask("a", name)), "") << name;
  }
  // Not well-formed: overlong, surrogate, beyond the last character, cut off; and the controls of
  // Latin-1.
  for (const char* name : {"\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                           "\xf5\x80\x80\x80", "\xe2\x82", "\x80", "\xc2\x85", "\x7f"}) {
    EXPECT_EQ(field_of(ask("a", name)), "resource");
  }
}

TEST(Validate, LooksAtEveryByteOfALongText) {
  for (std::size_t at = 0; at < 20; ++at) {
    for (int byte = 0; byte < 128; ++byte) {
      std::string name(20, 'x');
      name[at] = static_cast<char>(byte);
      EXPECT_EQ(field_of(ask("a", name)), byte < 0x20 || byte == 0x7f ? "resource" : "") << byte;
    }
    std::string name(20, 'x');
    name.replace(at, 1, "é");
    EXPECT_EQ(field_of(ask("a", name)), "");
  }
}

TEST(Validate, SaysWhatWouldBeRight) {
  const auto invalid = validate(Command{Time{}, ask("a", "db").ttl(50ms)}, Limits{});
  ASSERT_TRUE(invalid);
  EXPECT_EQ(invalid->why, "must be from 0.1 s to 86400 s");
}

TEST(Validate, ChecksTheOtherCommandsToo) {
  EXPECT_EQ(field_of(Renew{kSpace, LeaseId("x"), 0s}), "leaseId");
  EXPECT_EQ(field_of(Renew{kSpace, id("a"), 1ms}), "ttlSeconds");
  EXPECT_EQ(field_of(Renew{kSpace, id("a"), 0s}), "");
  EXPECT_EQ(field_of(Release{Namespace(""), id("a")}), "namespace");
  EXPECT_EQ(field_of(Upgrade{kSpace, id("a"), FencingToken{1}, 11min, {}}), "waitSeconds");
  EXPECT_EQ(field_of(Upgrade{kSpace, id("a"), FencingToken{1}, 0s, {0, 1}}), "attempt");
  EXPECT_EQ(field_of(Downgrade{kSpace, LeaseId(""), FencingToken{1}}), "leaseId");
  EXPECT_EQ(field_of(CancelWait{kSpace, id("a"), {0, 0}, WaitKind::acquire, CancelReason::gone}),
            "attempt");
  ForceRelease force{kSpace, ResourceName("x"), ActorId("ops"), "why", id("a"), FencingToken{1}, {},
                     0};
  EXPECT_EQ(field_of(force), "fencingToken");
  force.only_token.reset();
  EXPECT_EQ(field_of(force), "");
  force.resource = ResourceName("");
  EXPECT_EQ(field_of(force), "resource");
  EXPECT_EQ(validate(Command{Time(-1us), Advance{}}, Limits{})->field, "at");
}

TEST(Validate, LimitsHaveLimits) {
  EXPECT_FALSE(validate(Limits{}));
  EXPECT_FALSE(validate(widest_limits()));
  Limits limits;
  limits.max_resource_bytes = 2049;
  EXPECT_EQ(validate(limits)->field, "maxResourceBytes");
  limits = {};
  limits.max_ttl = limits.min_ttl - 1us;
  EXPECT_EQ(validate(limits)->field, "maxTtl");
  limits = {};
  limits.max_wait = -1s;
  EXPECT_EQ(validate(limits)->field, "maxWait");
  limits = {};
  limits.retention = 0s;
  EXPECT_EQ(validate(limits)->field, "retention");
}

TEST(MadeAt, ReadsTheTimeOfAClientMadeId) {
  const std::string random(32, '0');
  EXPECT_EQ(made_at("p1_3e8_" + random), Time(1s));
  EXPECT_EQ(made_at("p1_0_" + random), Time{});
  EXPECT_EQ(made_at("p1_ffffffffffffffff_" + random), kNever);
  for (const std::string& other :
       {"p1__" + random, "p1_3E8_" + random, "p1_3e8_" + random + "0", "p2_3e8_" + random,
        "p1_3e8_" + std::string(32, 'g'), "p1_12345678901234567_" + random, std::string("p1_"),
        "lease_" + random, "p1_3e8-" + random}) {
    EXPECT_FALSE(made_at(other)) << other;
  }
}

}  // namespace
}  // namespace pawl::core
