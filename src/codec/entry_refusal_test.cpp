// SPDX-License-Identifier: Apache-2.0
// What decode_entry() refuses, and what it says then.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "codec/bytes.h"
#include "codec/entry.h"
#include "codec/pawl.pb.h"
#include "codec/shared_messages.h"
#include "fuzz/support/forge.h"
#include "fuzz/support/samples.h"

namespace pawl::codec {
namespace {

using core::Command;
using core::Time;
using testing::frame_entry;

std::string refusal(std::string_view bytes) {
  const auto decoded = decode_entry(bytes);
  return decoded.ok() ? "(none)" : decoded.error().reason;
}

std::string sample() { return encode_entry(testing::one_of_each()); }

// Of an entry with one command, this one.
std::string refusal_of(const v1::Command& command) {
  v1::Entry entry;
  *entry.add_commands() = command;
  return refusal(frame_entry(entry.SerializeAsString()));
}

v1::Command sound_acquire() {
  v1::Command command;
  v1::Acquire& acquire = *command.mutable_acquire();
  acquire.set_space("default");
  acquire.set_id("lease-0001");
  acquire.mutable_terms()->set_owner("worker");
  acquire.mutable_terms()->set_mode(v1::MODE_EXCLUSIVE);
  return command;
}

std::string refusal_of_acquire(const std::function<void(v1::Acquire&)>& spoil) {
  v1::Command command = sound_acquire();
  spoil(*command.mutable_acquire());
  return refusal_of(command);
}

TEST(EntryRefusal, EveryFlippedBitIsSeen) {
  const std::string sound = sample();
  for (std::size_t bit = 0; bit < sound.size() * 8; ++bit) {
    std::string damaged = sound;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    ASSERT_FALSE(decode_entry(damaged).ok()) << "bit " << bit;
  }
}

TEST(EntryRefusal, EveryCutIsSeen) {
  const std::string sound = sample();
  for (std::size_t size = 0; size < sound.size(); ++size) {
    const auto cut = decode_entry(std::string_view(sound).substr(0, size));
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_EQ(cut.error().offset, size);
    EXPECT_NE(cut.error().reason.find(size < 16 ? "at least 16 bytes" : "cut off"),
              std::string::npos);
  }
}

TEST(EntryRefusal, SaysWhatIsWrongWithTheFrame) {
  const auto with = [](std::size_t at, auto number) {
    std::string entry = sample();
    put_le(entry.data() + at, number);
    return refusal(entry);
  };
  EXPECT_EQ(refusal(""), "an entry is at least 16 bytes, this is 0");
  EXPECT_EQ(refusal(std::string(64, '\0')), "not a log entry of Pawl");
  EXPECT_EQ(refusal(testing::snapshot_of(core::State())), "not a log entry of Pawl");
  EXPECT_EQ(with(4, std::uint16_t{0}), "version 0 was never written");
  EXPECT_EQ(with(4, std::uint16_t{2}), "written by a newer Pawl: version 2, this build reads 1");
  EXPECT_EQ(with(6, std::uint16_t{1}), "reserved bytes are not zero");
  EXPECT_EQ(with(8, ~std::uint32_t{0}), "longer than 4194304 bytes");
  EXPECT_EQ(with(8, std::uint32_t{4194304 - 15}), "longer than 4194304 bytes");
  EXPECT_EQ(with(8, std::uint32_t{1}), "something follows the entry");
  EXPECT_EQ(with(12, std::uint32_t{1}), "the checksum is wrong");
  EXPECT_EQ(refusal(sample() + std::string(8, '\0')), "something follows the entry");
  EXPECT_EQ(refusal(sample() + sample()), "something follows the entry");
}

TEST(EntryRefusal, PaddingIsZero) {
  v1::Entry message;
  *message.add_commands() = sound_acquire();
  const std::string payload = message.SerializeAsString();
  ASSERT_NE(payload.size() % 8, 0U);
  std::string entry = frame_entry(payload);
  ASSERT_EQ(refusal(entry), "(none)");
  entry.back() = 'x';
  EXPECT_EQ(refusal(testing::reseal_entry(entry)), "the padding is not zero");
}

TEST(EntryRefusal, CountsTheCommandsBeforeItTakesMemoryForThem) {
  std::string many;
  for (std::size_t i = 0; i <= kMaxEntryCommands; ++i) many += std::string("\x0a\x02\x52\x00", 4);
  EXPECT_EQ(refusal(frame_entry(many)), "more than 4096 commands");
}

TEST(EntryRefusal, ThePayloadIsARowOfCommands) {
  const char* row = "the payload is not a row of commands";
  EXPECT_EQ(refusal(frame_entry("\x0a")), row);                          // no length
  EXPECT_EQ(refusal(frame_entry("\x0a\x05xx")), row);                    // too short
  EXPECT_EQ(refusal(frame_entry("\x08\x01")), row);                      // a number
  EXPECT_EQ(refusal(frame_entry("\x0a\x82\x80\x80\x80\x80\x01")), row);  // a length without end
  EXPECT_EQ(refusal(frame_entry(std::string("\x0a\x82\x00\x52\x00", 5))),
            row);  // longer than needed
  EXPECT_EQ(refusal(frame_entry(std::string("\x12\x00", 2))), "command 1 of 1: is something else");
}

TEST(EntryRefusal, ACommandSaysOneThing) {
  EXPECT_EQ(refusal_of(v1::Command()), "command 1 of 1: says nothing");
  v1::Entry entry;
  entry.add_commands()->mutable_takeover();
  entry.add_commands();
  EXPECT_EQ(refusal(frame_entry(entry.SerializeAsString())), "command 2 of 2: says nothing");
}

TEST(EntryRefusal, UnknownKindsAndFieldsAreNotSkipped) {
  const std::string kind("\x0a\x03\xa2\x06\x00", 5);  // field 100 of a command
  EXPECT_EQ(refusal(frame_entry(kind)),
            "command 1 of 1: is of a kind that this build does not know");
  const auto with_unknown = [](google::protobuf::Message& message) {
    message.GetReflection()->MutableUnknownFields(&message)->AddVarint(99, 1);
  };
  EXPECT_EQ(refusal_of_acquire([&](v1::Acquire& a) { with_unknown(a); }),
            "command 1 of 1: has an unknown field");
  EXPECT_EQ(refusal_of_acquire([&](v1::Acquire& a) { with_unknown(*a.mutable_terms()); }),
            "command 1 of 1: terms have an unknown field");
  EXPECT_EQ(refusal_of_acquire([&](v1::Acquire& a) { with_unknown(*a.add_metadata()); }),
            "command 1 of 1: metadata has an unknown field");
  v1::Command other;
  with_unknown(*other.mutable_advance());
  EXPECT_EQ(refusal_of(other), "command 1 of 1: has an unknown field");
  with_unknown(*other.mutable_takeover());
  EXPECT_EQ(refusal_of(other), "command 1 of 1: has an unknown field");
  with_unknown(*other.mutable_force_release());
  EXPECT_EQ(refusal_of(other), "command 1 of 1: has an unknown field");
  with_unknown(*other.mutable_set_limits());
  EXPECT_EQ(refusal_of(other), "command 1 of 1: has an unknown field");
}

TEST(EntryRefusal, TheOneFormIsTheOnlyForm) {
  const char* form = "command 1 of 1: is not in the form in which it is written";
  const auto framed = [](const std::string& command) {
    return refusal(
        frame_entry("\x0a" + std::string(1, static_cast<char>(command.size())) + command));
  };
  EXPECT_EQ(framed(std::string("\x08\x01\x52\x00", 4)), "(none)");
  EXPECT_EQ(framed(std::string("\x08\x00\x52\x00", 4)), form);      // a zero written out
  EXPECT_EQ(framed(std::string("\x08\x81\x00\x52\x00", 5)), form);  // a number longer than needed
  EXPECT_EQ(framed(std::string("\x08\x01\x08\x01\x52\x00", 6)), form);  // a field twice
  EXPECT_EQ(framed(std::string("\x4a\x00\x52\x00", 4)), form);          // two bodies
  EXPECT_EQ(framed(std::string("\x08\x01\x52\x05", 4)), form);          // not a message
}

TEST(EntryRefusal, MissingFields) {
  EXPECT_EQ(refusal_of_acquire([](v1::Acquire&) {}), "(none)");
  EXPECT_EQ(refusal_of_acquire([](v1::Acquire& a) { a.clear_space(); }),
            "command 1 of 1: namespace is missing");
  EXPECT_EQ(refusal_of_acquire([](v1::Acquire& a) { a.clear_id(); }),
            "command 1 of 1: lease id is missing");
  EXPECT_EQ(refusal_of_acquire([](v1::Acquire& a) { a.clear_terms(); }),
            "command 1 of 1: terms are missing");
  EXPECT_EQ(refusal_of_acquire([](v1::Acquire& a) { a.mutable_terms()->clear_owner(); }),
            "command 1 of 1: owner is missing");
  EXPECT_EQ(refusal_of_acquire([](v1::Acquire& a) { a.mutable_terms()->clear_mode(); }),
            "command 1 of 1: mode is missing");
  v1::Command command;
  command.mutable_renew();
  EXPECT_EQ(refusal_of(command), "command 1 of 1: namespace is missing");
  v1::CancelWait& cancel = *command.mutable_cancel_wait();
  cancel.set_space("s");
  cancel.set_id("i");
  EXPECT_EQ(refusal_of(command), "command 1 of 1: kind of wait is missing");
  cancel.set_kind(v1::WAIT_KIND_ACQUIRE);
  EXPECT_EQ(refusal_of(command), "command 1 of 1: reason to cancel is missing");
  v1::ForceRelease& force = *command.mutable_force_release();
  EXPECT_EQ(refusal_of(command), "command 1 of 1: namespace is missing");
  force.set_space("s");
  EXPECT_EQ(refusal_of(command), "command 1 of 1: resource is missing");
  force.set_resource("r");
  EXPECT_EQ(refusal_of(command), "command 1 of 1: actor is missing");
  force.set_actor("a");
  EXPECT_EQ(refusal_of(command), "command 1 of 1: reason is missing");
  force.set_reason("r");
  EXPECT_EQ(refusal_of(command), "command 1 of 1: when is missing");
  v1::SetLimits& set = *command.mutable_set_limits();
  EXPECT_EQ(refusal_of(command), "command 1 of 1: limits are missing");
  write(core::Limits{}, *set.mutable_limits());
  EXPECT_EQ(refusal_of(command), "(none)");
  set.mutable_limits()->clear_max_audit();
  EXPECT_EQ(refusal_of(command), "command 1 of 1: a limit is missing");
}

TEST(EntryRefusal, NumbersOutOfRange) {
  const std::uint64_t large = std::uint64_t{1} << 32;
  const auto terms = [](const std::function<void(v1::Terms&)>& spoil) {
    return refusal_of_acquire([&](v1::Acquire& a) { spoil(*a.mutable_terms()); });
  };
  EXPECT_EQ(terms([](v1::Terms& t) { t.set_mode(static_cast<v1::Mode>(4)); }),
            "command 1 of 1: mode is not known");
  EXPECT_EQ(terms([](v1::Terms& t) { t.set_mode(static_cast<v1::Mode>(-1)); }),
            "command 1 of 1: mode is not known");
  EXPECT_EQ(terms([](v1::Terms& t) { t.set_ttl_us(-1); }), "command 1 of 1: ttl is negative");
  EXPECT_EQ(terms([](v1::Terms& t) { t.set_max_hold_us(-1); }),
            "command 1 of 1: max hold is negative");
  EXPECT_EQ(terms([](v1::Terms& t) { t.set_min_hold_us(-1); }),
            "command 1 of 1: min hold is negative");
  EXPECT_EQ(terms([](v1::Terms& t) { t.set_lock_delay_us(-1); }),
            "command 1 of 1: lock delay is negative");
  EXPECT_EQ(terms([&](v1::Terms& t) { t.set_permit_limit(large); }),
            "command 1 of 1: permit limit is too large");
  EXPECT_EQ(terms([&](v1::Terms& t) { t.set_permit_count(large); }),
            "command 1 of 1: permit count is too large");
  EXPECT_EQ(refusal_of_acquire([](v1::Acquire& a) { a.set_wait_us(-1); }),
            "command 1 of 1: wait is negative");
  EXPECT_EQ(refusal_of_acquire([&](v1::Acquire& a) { a.set_attempt(large); }),
            "command 1 of 1: attempt is too large");
  EXPECT_EQ(refusal_of_acquire([&](v1::Acquire& a) { a.set_door(large); }),
            "command 1 of 1: door is too large");
  v1::Command command = sound_acquire();
  command.set_at_us(-1);
  EXPECT_EQ(refusal_of(command), "command 1 of 1: time is negative");

  v1::Command other;
  v1::CancelWait& cancel = *other.mutable_cancel_wait();
  cancel.set_space("s");
  cancel.set_id("i");
  cancel.set_kind(static_cast<v1::WaitKind>(3));
  EXPECT_EQ(refusal_of(other), "command 1 of 1: kind of wait is not known");
  cancel.set_kind(v1::WAIT_KIND_UPGRADE);
  cancel.set_reason(static_cast<v1::CancelReason>(3));
  EXPECT_EQ(refusal_of(other), "command 1 of 1: reason to cancel is not known");
  v1::ForceRelease& force = *other.mutable_force_release();
  force.set_space("s");
  force.set_resource("r");
  force.set_actor("a");
  force.set_reason("r");
  force.set_when(static_cast<v1::ForceWhen>(3));
  EXPECT_EQ(refusal_of(other), "command 1 of 1: when is not known");
  v1::SetLimits& set = *other.mutable_set_limits();
  write(core::Limits{}, *set.mutable_limits());
  set.set_rule_version(large);
  EXPECT_EQ(refusal_of(other), "command 1 of 1: rule version is too large");
  set.mutable_limits()->set_max_waiters(large);
  EXPECT_EQ(refusal_of(other), "command 1 of 1: a limit is too large");
  set.mutable_limits()->set_min_ttl_us(-1);
  EXPECT_EQ(refusal_of(other), "command 1 of 1: a limit is negative");
}

}  // namespace
}  // namespace pawl::codec
