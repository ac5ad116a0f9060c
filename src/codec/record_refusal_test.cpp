// SPDX-License-Identifier: Apache-2.0
// Records that are sound one by one, or not even that, and can't be a state: a reason comes back,
// nothing crashes. The frames around them are right, as a careful forger or a buggy writer would
// make them.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "codec/pawl.pb.h"
#include "codec/snapshot.h"
#include "fuzz/support/forge.h"
#include "fuzz/support/samples.h"

namespace pawl::codec {
namespace {

using namespace pawl::core;
using namespace std::chrono_literals;
using Records = std::vector<SnapshotRecord>;

std::string refusal(const std::string& snapshot) {
  const auto state = read_snapshot(snapshot);
  if (state.ok()) return "(none)";
  const std::string& reason = state.error().reason;
  const std::size_t record = reason.find("record ");  // "piece 0: record 7: why"
  return record == std::string::npos ? reason : reason.substr(reason.find(": ", record) + 2);
}

std::string refusal_after(const std::function<void(Records&)>& spoil) {
  Records records = testing::records_of(*testing::small_state());
  spoil(records);
  return refusal(testing::forge_snapshot(records));
}

std::string refusal_after_head(const std::function<void(HeadRecord&)>& spoil) {
  return refusal_after([&](Records& records) { spoil(std::get<HeadRecord>(records[0])); });
}

LeaseRecord& lease(Records& records, std::string_view id) {
  for (SnapshotRecord& record : records) {
    auto* found = std::get_if<LeaseRecord>(&record);
    if (found != nullptr && found->id.view() == id) return *found;
  }
  throw std::out_of_range(std::string(id));
}

std::string refusal_after(std::string_view id, const std::function<void(LeaseRecord&)>& spoil) {
  return refusal_after([&](Records& records) { spoil(lease(records, id)); });
}

template <class Record>
Record& nth(Records& records, std::size_t n = 0) {
  for (SnapshotRecord& record : records) {
    auto* found = std::get_if<Record>(&record);
    if (found != nullptr && n-- == 0) return *found;
  }
  throw std::out_of_range("no such record");
}

TEST(RecordRefusal, TheSampleItselfIsSound) {
  EXPECT_EQ(refusal_after([](Records&) {}), "(none)");
}

TEST(RecordRefusal, Head) {
  EXPECT_EQ(refusal_after_head([](HeadRecord& h) { h.hash += 1; }),
            "the state's hash is not the one in the head");
  EXPECT_EQ(refusal_after_head([](HeadRecord& h) { h.rule_version = 2; }),
            "rule version 2 is not known to this build");
  EXPECT_EQ(refusal_after_head([](HeadRecord& h) { h.last_token = kMaxToken + 1; }),
            "last token out of range");
  EXPECT_EQ(refusal_after_head([](HeadRecord& h) { h.last_token = 1; }),
            "lease reader-002: token out of range");
  EXPECT_EQ(refusal_after_head([](HeadRecord& h) { h.last_arrival = 1; }),
            "lease reader-001: its upgrade is out of range");
  EXPECT_EQ(refusal_after_head([](HeadRecord& h) { h.last_audit = 0; }),
            "lease doomed-001: an audit id from the future");
  EXPECT_EQ(refusal_after_head([](HeadRecord& h) { h.horizon = h.now + 1us; }),
            "horizon in the future");
  EXPECT_EQ(refusal_after_head([](HeadRecord& h) { h.limits.max_leases = 0; }),
            "limit maxLeases must be from 1 to 50000000");
  for (const auto count :
       {&HeadRecord::leases, &HeadRecord::closures, &HeadRecord::ends, &HeadRecord::audits}) {
    EXPECT_EQ(refusal_after_head([&](HeadRecord& h) { h.*count += 1; }), "records are missing");
  }
  EXPECT_EQ(refusal_after([](Records& r) { r.erase(r.begin()); }), "the head is missing");
  EXPECT_EQ(refusal_after([](Records& r) { r.insert(r.begin() + 1, r[0]); }), "a second head");
}

TEST(RecordRefusal, LeaseAlone) {
  EXPECT_EQ(refusal_after("doomed-001", [](LeaseRecord& l) { l.id = LeaseId("short"); }),
            "lease short: leaseId must be 8 to 128 of A-Z a-z 0-9 _ . -");
  EXPECT_EQ(refusal_after("doomed-001", [](LeaseRecord& l) { l.terms.resources.clear(); }),
            "lease doomed-001: resource is missing");
  EXPECT_EQ(refusal_after("doomed-001", [](LeaseRecord& l) { l.terms.ttl = 0s; }).substr(0, 28),
            "lease doomed-001: ttlSeconds");
  EXPECT_EQ(refusal_after("doomed-001", [](LeaseRecord& l) { l.arrival = 0; }),
            "lease doomed-001: arrival out of range");
  EXPECT_EQ(refusal_after("doomed-001", [](LeaseRecord& l) { l.token = kNoToken; }),
            "lease doomed-001: token out of range");
  EXPECT_EQ(refusal_after("doomed-001", [](LeaseRecord& l) { l.token = FencingToken{999}; }),
            "lease doomed-001: token out of range");
  EXPECT_EQ(refusal_after("doomed-001", [](LeaseRecord& l) { l.deadline = Time(1s); }),
            "lease doomed-001: times out of order");
  EXPECT_EQ(refusal_after("doomed-001", [](LeaseRecord& l) { l.renewed_at = l.since - 1us; }),
            "lease doomed-001: times out of order");
  EXPECT_EQ(refusal_after("doomed-001", [](LeaseRecord& l) { l.since = Time(1h); }),
            "lease doomed-001: times in the future");
  EXPECT_EQ(refusal_after("doomed-001", [](LeaseRecord& l) { l.terms.max_hold = 1ms; }),
            "lease doomed-001: goes on past its max hold");
  EXPECT_EQ(refusal_after("doomed-001", [](LeaseRecord& l) { l.mode = Mode::permit; }),
            "lease doomed-001: its mode does not fit what it asked for");
  EXPECT_EQ(refusal_after("gone-00001", [](LeaseRecord& l) { l.attachment.passed_over = true; }),
            "lease gone-00001: is held and passed over");
  EXPECT_EQ(refusal_after("reader-001", [](LeaseRecord& l) { l.upgrade->arrival = 0; }),
            "lease reader-001: its upgrade is out of range");
  EXPECT_EQ(refusal_after("doomed-001", [](LeaseRecord& l) { l.upgrade.emplace().arrival = 1; }),
            "lease doomed-001: an upgrade of what is not shared");
}

TEST(RecordRefusal, LeasesTogether) {
  EXPECT_EQ(refusal_after("gone-00001", [](LeaseRecord& l) { l.id = LeaseId("reader-001"); }),
            "lease reader-001 comes twice");
  // P1: two exclusive holders, a writer among readers, too many permits.
  EXPECT_EQ(refusal_after("doomed-001",
                          [](LeaseRecord& l) { l.terms.resources = {ResourceName("gone")}; }),
            "lease doomed-001 can't hold 'gone' beside the others");
  EXPECT_EQ(refusal_after("reader-002", [](LeaseRecord& l) { l.mode = Mode::exclusive; }),
            "lease reader-002 can't hold 'report' beside the others");
  EXPECT_EQ(refusal_after([](Records& records) {
              LeaseRecord twin = lease(records, "lease-0001");
              twin.id = LeaseId("lease-0002");
              twin.token = FencingToken{static_cast<std::uint64_t>(twin.token) + 1};
              twin.terms.permits.count = 8;
              for (std::size_t i = 0; i < records.size(); ++i) {
                const auto* at = std::get_if<LeaseRecord>(&records[i]);
                if (at == nullptr || at->id.view() != "lease-0001") continue;
                records.insert(records.begin() + static_cast<std::ptrdiff_t>(i) + 1, twin);
                break;
              }
            }),
            "lease lease-0002 can't hold 'tenant_123:billing-close:2026-04' beside the others");
  EXPECT_EQ(
      refusal_after("reader-002",
                    [](LeaseRecord& l) { l.upgrade.emplace(UpgradeRecord{1, {}, l.since, {}}); }),
      "two upgrades wait on 'report'");
  EXPECT_EQ(refusal_after("lease-0001",
                          [](LeaseRecord& l) {
                            l.space = Namespace("default");
                            l.terms.resources = {ResourceName("report")};
                          }),
            "'report' has two kinds or limits");
}

TEST(RecordRefusal, LeasesOutOfOrder) {
  EXPECT_EQ(refusal_after([](Records& r) { std::swap(r[1], r[2]); }), "tokens out of order");
  EXPECT_EQ(
      refusal_after([](Records& r) { std::swap(lease(r, "writer-001"), lease(r, "writer-002")); }),
      "waiters out of order");
  EXPECT_EQ(
      refusal_after([](Records& r) { std::swap(lease(r, "doomed-001"), lease(r, "writer-001")); }),
      "a held lease after a waiting one");
  EXPECT_EQ(refusal_after([](Records& r) {
              SnapshotRecord first = r[1];
              r.erase(r.begin() + 1);
              r.push_back(std::move(first));
            }),
            "a lease out of order");
}

TEST(RecordRefusal, Closures) {
  const auto closure = [](const std::function<void(ClosureRecord&)>& spoil, std::size_t n) {
    return refusal_after([&](Records& records) { spoil(nth<ClosureRecord>(records, n)); });
  };
  EXPECT_EQ(closure([](ClosureRecord& c) { c.all_until = Time(1us); }, 0),
            "'closed-1': closed until the past");
  EXPECT_EQ(closure([](ClosureRecord& c) { c.all_until = Time{}; }, 0),
            "'closed-1': closed in a way that does not fit it");
  EXPECT_EQ(closure([](ClosureRecord& c) { c.permits_until = {{Time(1h), 1}}; }, 1),
            "'closed-2': closed in a way that does not fit it");
  EXPECT_EQ(closure([](ClosureRecord& c) { c.permits_until[0].second = 9; }, 2),
            "'closed-3': more permits closed than there are");
  EXPECT_EQ(closure([](ClosureRecord& c) { c.permits_until[0].second = 0; }, 2),
            "'closed-3': closures out of order");
  EXPECT_EQ(closure([](ClosureRecord& c) { c.permits_until.push_back(c.permits_until[0]); }, 2),
            "'closed-3': closures out of order");
  EXPECT_EQ(closure([](ClosureRecord& c) { c.resource = ResourceName("closed-1"); }, 1),
            "'closed-1': is closed twice");
  EXPECT_EQ(closure([](ClosureRecord& c) { c.resource = ResourceName(""); }, 0),
            "'': resource must not be empty");
  EXPECT_EQ(closure([](ClosureRecord& c) { c.permit_limit = 4'000'000'000; }, 2).substr(0, 26),
            "'closed-3': permits.limit ");
}

TEST(RecordRefusal, EndsAndAudits) {
  EXPECT_EQ(refusal_after([](Records& r) { nth<EndRecord>(r, 1).at = Time{}; }),
            "ends out of order");
  EXPECT_EQ(refusal_after([](Records& r) { nth<EndRecord>(r).at = Time(1h); }),
            "ends out of order");
  EXPECT_EQ(refusal_after([](Records& r) { nth<EndRecord>(r).token = FencingToken{99}; }),
            "an end's token out of range");
  EXPECT_EQ(refusal_after([](Records& r) { nth<AuditRecord>(r).id = AuditId{9}; }),
            "audit records out of order");
  EXPECT_EQ(refusal_after([](Records& r) { nth<AuditRecord>(r).id = kNoAudit; }),
            "audit records out of order");
  EXPECT_EQ(refusal_after([](Records& r) { r.push_back(nth<EndRecord>(r)); }),
            "an end out of order");
  EXPECT_EQ(refusal_after([](Records& r) { r.push_back(nth<ClosureRecord>(r)); }),
            "a closure out of order");
}

// Below: what the codec itself refuses in a record, before it comes to the core.

std::string refusal_of(const v1::Piece& piece) {
  return refusal(testing::frame_snapshot(piece.SerializeAsString(), 0));
}

v1::Piece sound_piece() {
  v1::Piece piece;
  const std::string payload = testing::payload_of(testing::records_of(*testing::small_state()));
  EXPECT_TRUE(piece.ParseFromString(payload));
  return piece;
}

std::string refusal_of(const std::function<void(v1::Piece&)>& spoil) {
  v1::Piece piece = sound_piece();
  spoil(piece);
  return refusal_of(piece);
}

TEST(RecordRefusal, MissingFields) {
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_head()->clear_horizon_us(); }),
            "horizon is missing");
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_head()->clear_limits(); }),
            "limits are missing");
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_leases(0)->clear_space(); }),
            "namespace is missing");
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_leases(0)->clear_id(); }),
            "lease id is missing");
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_leases(0)->clear_terms(); }),
            "terms are missing");
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_leases(0)->mutable_held()->clear_mode(); }),
            "mode is missing");
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_closures(0)->clear_resource(); }),
            "resource is missing");
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_closures(2)->clear_permits(); }),
            "times and permits are not as many");
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_ends(0)->clear_cause(); }), "cause is missing");
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_audits(0)->clear_actor(); }),
            "actor is missing");
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_audits(0)->clear_reason(); }),
            "reason is missing");
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_audits(0)->clear_when(); }), "when is missing");
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_audits(0)->mutable_holders(0)->clear_id(); }),
            "a holder's id is missing");
}

TEST(RecordRefusal, NumbersOutOfRange) {
  const std::uint64_t large = std::uint64_t{1} << 32;
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_head()->set_now_us(-1); }), "now is negative");
  EXPECT_EQ(refusal_of([&](v1::Piece& p) { p.mutable_head()->set_rule_version(large); }),
            "rule version is too large");
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_leases(0)->set_since_us(-1); }),
            "since is negative");
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_leases(0)->set_detached_us(-1); }),
            "detached time is out of range");
  EXPECT_EQ(refusal_of([](v1::Piece& p) {
              p.mutable_leases(0)->set_detached_us(kNever.time_since_epoch().count());
            }),
            "detached time is out of range");
  EXPECT_EQ(
      refusal_of([](v1::Piece& p) { p.mutable_leases(0)->mutable_held()->set_deadline_us(-1); }),
      "deadline is out of range");
  EXPECT_EQ(
      refusal_of([](v1::Piece& p) { p.mutable_leases(0)->mutable_held()->set_renewed_us(-1); }),
      "renewal time is negative");
  EXPECT_EQ(refusal_of([&](v1::Piece& p) {
              p.mutable_leases(0)->mutable_held()->set_upgrade_attempt(large);
            }),
            "upgrade attempt is too large");
  EXPECT_EQ(refusal_of([&](v1::Piece& p) { p.mutable_leases(0)->set_attempt(large); }),
            "attempt is too large");
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_closures(0)->set_all_until_us(-1); }),
            "closed until a negative time");
  EXPECT_EQ(refusal_of([&](v1::Piece& p) { p.mutable_closures(2)->set_permits(0, large); }),
            "closed permits are too many");
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_ends(0)->set_at_us(-1); }), "time is negative");
  EXPECT_EQ(
      refusal_of([](v1::Piece& p) { p.mutable_ends(0)->set_cause(static_cast<v1::EndCause>(10)); }),
      "cause is not known");
  EXPECT_EQ(refusal_of([&](v1::Piece& p) { p.mutable_audits(0)->set_holder_count(large); }),
            "holders are too many");
  EXPECT_EQ(
      refusal_of([](v1::Piece& p) { p.mutable_audits(0)->mutable_holders(0)->set_granted_us(-1); }),
      "a holder's grant time is negative");
}

TEST(RecordRefusal, UnknownFieldsAreNotSkipped) {
  const auto add = [](google::protobuf::Message* message) {
    message->GetReflection()->MutableUnknownFields(message)->AddVarint(99, 1);
  };
  const char* unknown = "has an unknown field";
  EXPECT_EQ(refusal_of([&](v1::Piece& p) { add(p.mutable_head()); }), unknown);
  EXPECT_EQ(refusal_of([&](v1::Piece& p) { add(p.mutable_leases(0)); }), unknown);
  EXPECT_EQ(refusal_of([&](v1::Piece& p) { add(p.mutable_leases(0)->mutable_held()); }), unknown);
  EXPECT_EQ(refusal_of(
                [&](v1::Piece& p) { add(p.mutable_leases(0)->mutable_held()->mutable_upgrade()); }),
            unknown);
  EXPECT_EQ(refusal_of([&](v1::Piece& p) { add(p.mutable_closures(0)); }), unknown);
  EXPECT_EQ(refusal_of([&](v1::Piece& p) { add(p.mutable_ends(0)); }), unknown);
  EXPECT_EQ(refusal_of([&](v1::Piece& p) { add(p.mutable_audits(0)); }), unknown);
  EXPECT_EQ(refusal_of([&](v1::Piece& p) { add(p.mutable_audits(0)->mutable_holders(0)); }),
            "a holder has an unknown field");
  EXPECT_EQ(refusal_of([&](v1::Piece& p) { add(p.mutable_head()->mutable_limits()); }),
            "limits have an unknown field");
}

TEST(RecordRefusal, AClosuresRestFollowsIt) {
  const char* missing = "a closure's rest is missing";
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_closures(0)->set_more(true); }), missing);
  EXPECT_EQ(refusal_of([](v1::Piece& p) { p.mutable_closures(2)->set_more(true); }), missing);
  EXPECT_EQ(refusal_of([](v1::Piece& p) {
              p.mutable_closures(2)->set_more(true);
              p.clear_ends();
              p.clear_audits();
            }),
            "piece 0: a closure's rest is missing");
}

}  // namespace
}  // namespace pawl::codec
