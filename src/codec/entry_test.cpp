// SPDX-License-Identifier: Apache-2.0
#include "codec/entry.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "core/step.h"
#include "core/validate.h"
#include "fuzz/support/command_maker.h"
#include "fuzz/support/samples.h"

namespace pawl::codec {
namespace {

using namespace pawl::core;
using namespace std::chrono_literals;
using testing::full_acquire;
using testing::one_of_each;

void expect_round_trip(const std::vector<Command>& commands) {
  const std::string entry = encode_entry(commands);
  EXPECT_EQ(entry.size() % kEntryAlignment, 0U);
  std::size_t most = kEntryHeaderBytes + kEntryAlignment;
  for (const Command& command : commands) most += most_entry_bytes(command);
  EXPECT_LE(entry.size(), most);
  const auto decoded = decode_entry(entry);
  ASSERT_TRUE(decoded.ok()) << decoded.error().reason;
  EXPECT_EQ(decoded.value(), commands);
  EXPECT_EQ(encode_entry(decoded.value()), entry);
}

TEST(Entry, CarriesEveryKindOfCommandAndEveryField) {
  for (const Command& command : one_of_each()) {
    SCOPED_TRACE(command.body.index());
    expect_round_trip({command});
  }
}

TEST(Entry, CarriesABatchInOrder) { expect_round_trip(one_of_each()); }

TEST(Entry, CarriesNoCommandsAtAll) { expect_round_trip({}); }

TEST(Entry, CarriesCommandsThatSayTheLeast) {
  for (const CommandBody& body :
       std::vector<CommandBody>{Acquire{}, Renew{}, Release{}, Upgrade{}, Downgrade{}, CancelWait{},
                                ForceRelease{}, Advance{}, Takeover{}, SetLimits{}}) {
    SCOPED_TRACE(body.index());
    expect_round_trip({{Time{}, body}});
  }
}

TEST(Entry, CarriesTextsAsTheyAre) {
  std::string odd;
  for (int c = 0; c < 256; ++c) odd.push_back(static_cast<char>(c));
  Acquire acquire = full_acquire();
  acquire.space = Namespace(odd);
  acquire.id = LeaseId(std::string("\0\0", 2));
  acquire.terms.owner = OwnerId("");
  acquire.terms.resources = {ResourceName(odd), ResourceName(""), ResourceName("\xff\xfe")};
  acquire.metadata = {{odd, ""}, {"", odd}, {"", ""}};
  ForceRelease force;
  force.reason = odd;
  force.actor = ActorId(std::string(1, '\0'));
  force.only_lease = LeaseId("");
  force.only_token = FencingToken{0};
  expect_round_trip({{Time{}, acquire}, {Time{}, force}});
}

TEST(Entry, CarriesTheLargestAndSmallestNumbers) {
  Acquire acquire = full_acquire();
  acquire.terms.ttl = acquire.terms.max_hold = acquire.terms.min_hold = kUnlimited;
  acquire.terms.lock_delay = acquire.wait = kUnlimited;
  acquire.terms.permits = {~0U, ~0U};
  acquire.ticket = {~0U, ~0U};
  Upgrade upgrade;
  upgrade.known = FencingToken{~std::uint64_t{0}};
  upgrade.ticket = {0, 0};
  ForceRelease early;
  early.wall_ms = std::numeric_limits<std::int64_t>::min();
  ForceRelease late;
  late.wall_ms = std::numeric_limits<std::int64_t>::max();
  SetLimits widest{widest_limits(), ~0U};
  expect_round_trip(
      {{kNever, acquire}, {kNever, upgrade}, {Time{}, early}, {Time{}, late}, {Time{}, widest}});
}

TEST(Entry, CarriesEveryEnumValue) {
  for (const Mode mode : {Mode::exclusive, Mode::shared, Mode::permit}) {
    Acquire acquire = full_acquire();
    acquire.terms.mode = mode;
    expect_round_trip({{Time{}, acquire}});
  }
  for (const WaitKind kind : {WaitKind::acquire, WaitKind::upgrade}) {
    for (const CancelReason reason : {CancelReason::timeout, CancelReason::gone}) {
      expect_round_trip({{Time{}, CancelWait{Namespace("n"), LeaseId("i"), {}, kind, reason}}});
    }
  }
  for (const ForceWhen when : {ForceWhen::now, ForceWhen::at_deadline}) {
    ForceRelease force;
    force.when = when;
    expect_round_trip({{Time{}, force}});
  }
}

TEST(Entry, CarriesRandomBatches) {
  testing::RandomChoices choices(7);
  testing::CommandMaker maker(choices);
  State state;
  for (int round = 0; round < 200; ++round) {
    std::vector<Command> batch;
    for (std::uint64_t i = choices.below(40); i > 0; --i) {
      batch.push_back(maker.next(state));
      step(state, batch.back());
    }
    expect_round_trip(batch);
  }
}

TEST(Entry, HasRoomForTheLargestCommandThatIsValidUnderAnyLimits) {
  const Limits widest = widest_limits();
  Acquire acquire = full_acquire();
  acquire.space = Namespace(std::string(kMaxNamespaceBytes, 'n'));
  acquire.id = LeaseId(std::string(kMaxLeaseIdBytes, 'i'));
  acquire.terms.owner = OwnerId(std::string(widest.max_owner_bytes, 'o'));
  acquire.terms.resources.clear();
  for (std::uint32_t i = 0; i < widest.max_resources; ++i) {
    std::string name = std::to_string(i);
    name.resize(widest.max_resource_bytes, '.');
    acquire.terms.resources.emplace_back(std::move(name));
  }
  acquire.metadata.clear();
  for (std::uint32_t i = 0; i < widest.max_metadata_pairs; ++i) {
    acquire.metadata.emplace_back("key" + std::to_string(i), std::string(249, 'v'));
  }
  const Command command{kNever, acquire};
  ASSERT_EQ(validate(command, widest), std::nullopt);
  EXPECT_LE(kEntryHeaderBytes + kEntryAlignment + most_entry_bytes(command), kMaxEntryBytes);
  expect_round_trip({command});
}

TEST(Entry, CarriesAsManyCommandsAsItMay) {
  const std::vector<Command> most(kMaxEntryCommands, Command{Time(1s), Takeover{}});
  expect_round_trip(most);
}

using EntryDeath = ::testing::Test;

TEST(EntryDeath, ABatchPastTheBoundsIsABug) {
  const std::vector<Command> more(kMaxEntryCommands + 1, Command{Time(1s), Takeover{}});
  EXPECT_DEATH((void)encode_entry(more), "kMaxEntryCommands");
}

TEST(EntryDeath, ACommandThatNoReaderWouldTakeIsABug) {
  const Command negative{Time{}, Renew{Namespace("n"), LeaseId("i"), Duration(-1)}};
  EXPECT_DEATH((void)encode_entry({&negative, 1}), "duration");
}

}  // namespace
}  // namespace pawl::codec
