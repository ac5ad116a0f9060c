// SPDX-License-Identifier: Apache-2.0
// States that random commands have led into, through a snapshot and on: the same hash, the same
// future.
#include "codec/snapshot.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "codec/piece.h"
#include "codec/record_messages.h"
#include "core/check.h"
#include "core/snapshot.h"
#include "core/step.h"
#include "fuzz/support/command_maker.h"
#include "fuzz/support/forge.h"
#include "fuzz/support/samples.h"

namespace pawl::codec {
namespace {

using namespace pawl::core;
using namespace std::chrono_literals;
using testing::records_of;
using testing::snapshot_of;

std::unique_ptr<State> restore(const std::string& snapshot, std::uint64_t index_seed) {
  auto restored = read_snapshot(snapshot, index_seed);
  EXPECT_TRUE(restored.ok()) << restored.error().reason;
  return restored.ok() ? std::move(restored).value() : nullptr;
}

// How often the states that went through a snapshot had what.
class Features {
 public:
  void count(const State& state) {
    for (const SnapshotRecord& record : records_of(state)) {
      std::visit([this](const auto& one) { add(one); }, record);
    }
    if (state.space_by_name.size() > 1) ++seen_["two namespaces"];
  }
  int operator[](const std::string& name) const {
    const auto found = seen_.find(name);
    return found == seen_.end() ? 0 : found->second;
  }

 private:
  void add(const HeadRecord& head) {
    if (head.horizon > Time{}) ++seen_["horizon"];
    if (head.limits != Limits{}) ++seen_["limits"];
  }
  void add(const LeaseRecord& lease) {
    const bool detached = lease.attachment.detached_at != kNever;
    if (lease.held) ++seen_["held " + std::to_string(static_cast<int>(lease.mode))];
    if (lease.held && lease.mode != lease.terms.mode) ++seen_["mode changed"];
    if (lease.held && detached) ++seen_["held detached"];
    if (lease.confirmed) ++seen_["confirmed"];
    if (lease.held && lease.deadline == kNever) ++seen_["held for ever"];
    if (lease.doomed != kNoAudit) ++seen_["doomed"];
    if (lease.upgrade_attempt != 0) ++seen_["upgrade attempt"];
    if (lease.upgrade) ++seen_["upgrade"];
    if (lease.upgrade && lease.upgrade->attachment.detached_at != kNever)
      ++seen_["upgrade detached"];
    if (lease.upgrade && lease.upgrade->attachment.passed_over) ++seen_["upgrade passed over"];
    if (!lease.held) ++seen_["waiting"];
    if (!lease.held && detached) ++seen_["waiting detached"];
    if (lease.attachment.passed_over) ++seen_["passed over"];
    if (lease.terms.resources.size() > 1) ++seen_["several resources"];
    if (!lease.metadata.empty()) ++seen_["metadata"];
    if (lease.terms.max_hold > 0s) ++seen_["max hold"];
  }
  void add(const ClosureRecord& closure) {
    if (closure.all_until != Time{}) ++seen_["closed to all"];
    if (closure.exclusive_until != Time{}) ++seen_["closed to exclusive"];
    if (!closure.permits_until.empty()) ++seen_["closed permits"];
    if (closure.permits_until.size() > 1) ++seen_["permits closed until several times"];
  }
  void add(const EndRecord& end) {
    ++seen_["ended " + std::to_string(static_cast<int>(end.cause))];
  }
  void add(const AuditRecord& audit) {
    ++seen_["audit"];
    if (audit.holders.size() > 1) ++seen_["audit of several"];
  }

  std::map<std::string, int> seen_;
};

TEST(Snapshot, OfTheFirstStateIsOnePiece) {
  const State state;
  SnapshotWriter writer(state);
  const auto piece = writer.next_piece();
  ASSERT_TRUE(piece);
  EXPECT_EQ(writer.next_piece(), std::nullopt);
  EXPECT_EQ(writer.next_piece(), std::nullopt);
  const auto restored = restore(*piece, 5);
  ASSERT_TRUE(restored);
  EXPECT_EQ(state_hash(*restored), state_hash(state));
}

TEST(Snapshot, CarriesEveryRecordAsItIs) {
  const auto state = testing::small_state();
  const auto restored = restore(snapshot_of(*state), 2);
  ASSERT_TRUE(restored);
  EXPECT_EQ(records_of(*restored), records_of(*state));
}

// One story: random commands, and every now and then the state is replaced by what its snapshot
// gives, while another one goes on without. All effects and hashes must be the same from then on.
void run_story(std::uint64_t seed, int steps, Features& features) {
  testing::RandomChoices choices(seed);
  testing::CommandMaker maker(choices);
  State original(seed);
  std::unique_ptr<State> restored;
  for (int i = 0; i < steps; ++i) {
    if (i % 25 == 0) {
      features.count(original);
      const std::string snapshot = snapshot_of(original);
      auto fresh = restore(snapshot, seed + static_cast<std::uint64_t>(i) + 1000);
      ASSERT_TRUE(fresh) << "seed " << seed << " step " << i;
      ASSERT_EQ(state_hash(*fresh), state_hash(original));
      ASSERT_EQ(check(*fresh), std::nullopt) << "seed " << seed << " step " << i;
      ASSERT_EQ(snapshot_of(*fresh), snapshot) << "equal states give equal snapshots";
      // Half of the time the older copy goes on: its tables have another history by now.
      if (!restored || i % 50 == 0) restored = std::move(fresh);
      ASSERT_EQ(snapshot_of(*restored), snapshot) << "however they came about";
    }
    const Command command = maker.next(original);
    const Effects expected = step(original, command);
    const Effects actual = step(*restored, command);
    ASSERT_EQ(actual, expected) << "seed " << seed << " step " << i;
    ASSERT_EQ(state_hash(*restored), state_hash(original)) << "seed " << seed << " step " << i;
  }
  ASSERT_EQ(check(*restored), std::nullopt);
}

TEST(Snapshot, ARestoredStateHasTheSameHashAndTheSameFuture) {
  const char* all = std::getenv("PAWL_TEST_LONG");
  const std::uint64_t stories = all != nullptr && std::string(all) == "1" ? 2'000 : 60;
  Features features;
  for (std::uint64_t seed = 1; seed <= stories; ++seed) {
    run_story(seed, 400, features);
    if (HasFatalFailure()) return;
  }
  // The test is worth nothing unless all of this happened.
  for (const char* feature : {"two namespaces",
                              "horizon",
                              "limits",
                              "held 0",
                              "held 1",
                              "held 2",
                              "mode changed",
                              "held detached",
                              "confirmed",
                              "held for ever",
                              "doomed",
                              "upgrade attempt",
                              "upgrade",
                              "upgrade detached",
                              "upgrade passed over",
                              "waiting",
                              "waiting detached",
                              "passed over",
                              "several resources",
                              "metadata",
                              "max hold",
                              "closed to all",
                              "closed to exclusive",
                              "closed permits",
                              "permits closed until several times",
                              "audit",
                              "audit of several"}) {
    EXPECT_GE(features[feature], 5) << feature;
  }
  for (int cause = 0; cause <= static_cast<int>(EndCause::never_acquired); ++cause) {
    EXPECT_GE(features["ended " + std::to_string(cause)], 5) << cause;
  }
}

Acquire numbered(int i) {
  Acquire request;
  request.space = Namespace("default");
  request.id = LeaseId("lease-" + std::to_string(1'000'000 + i));
  request.terms.owner = OwnerId("worker");
  request.terms.resources = {ResourceName("resource-" + std::to_string(i))};
  request.terms.ttl = 1h;
  return request;
}

TEST(Snapshot, OfManyLeasesComesInPiecesOfModerateSize) {
  State state;
  for (int i = 0; i < 20'000; ++i) step(state, {Time(1us * i), numbered(i)});
  std::string whole;
  std::size_t pieces = 0;
  SnapshotWriter writer(state);
  SnapshotParser parser(3);
  while (const auto piece = writer.next_piece()) {
    EXPECT_LE(piece->size(), kPieceTargetBytes + 1024);
    const PieceHeader header = read_header(*piece);
    EXPECT_EQ(header.sequence, pieces);
    EXPECT_TRUE(header.pieces != 0 || piece->size() >= kPieceTargetBytes);
    EXPECT_EQ(parser.add_piece(*piece), std::nullopt);
    whole += *piece;
    ++pieces;
  }
  EXPECT_GE(pieces, 10U);
  const auto restored = parser.finish();
  ASSERT_TRUE(restored.ok()) << restored.error().reason;
  EXPECT_EQ(check(*restored.value()), std::nullopt);
  const auto split = split_pieces(whole);
  ASSERT_TRUE(split.ok());
  EXPECT_EQ(split.value().size(), pieces);
  EXPECT_EQ(piece_size(std::string_view(whole).substr(0, kPieceHeaderBytes)).value(),
            split.value()[0].size());
}

// A semaphore's permits may open at very many different times; they need not fit in one record.
TEST(Snapshot, SplitsAClosureWithManyTimes) {
  State state;
  const int permits = 3 * static_cast<int>(kMaxClosedTimes) + 7;
  for (int i = 0; i < permits; ++i) {
    Acquire request = numbered(i);
    request.terms.resources = {ResourceName("semaphore")};
    request.terms.mode = Mode::permit;
    request.terms.permits = {1'000'000, 1};
    request.terms.min_hold = 1h;
    const Time at(1us * i);
    step(state, {at, request});
    step(state, {at, Release{request.space, request.id}});
  }
  const std::string snapshot = snapshot_of(state);
  const auto restored = restore(snapshot, 9);
  ASSERT_TRUE(restored);
  EXPECT_EQ(state_hash(*restored), state_hash(state));
  EXPECT_EQ(snapshot_of(*restored), snapshot);
  EXPECT_EQ(check(*restored), std::nullopt);
}

}  // namespace
}  // namespace pawl::codec
