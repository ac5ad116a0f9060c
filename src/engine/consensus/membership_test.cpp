// SPDX-License-Identifier: Apache-2.0
#include "engine/consensus/membership.h"

#include <gtest/gtest.h>

#include "support/random.h"

namespace pawl::engine {
namespace {

Membership three() {
  return {{{1, "one:1", Role::voter}, {5, "five:5", Role::standby}, {9, "nine:9", Role::spare}}};
}

TEST(MembershipTest, ComesBackFromItsBytes) {
  EXPECT_EQ(decode_membership(encode(three())), three());
  EXPECT_EQ(encode(three()).size() % 8, 0u);
}

TEST(MembershipTest, HasTheBytesThatLibraftGivesIt) {
  const Membership one{{{1, "a", Role::voter}}};
  const std::string expected("\1\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0a\0\1\0\0\0\0", 24);
  EXPECT_EQ(encode(one), expected);
}

TEST(MembershipTest, CountsItsVoters) {
  EXPECT_EQ(three().voters(), 1u);
  EXPECT_TRUE(three().sole_voter(1));
  EXPECT_FALSE(three().sole_voter(5));
  EXPECT_FALSE(three().sole_voter(2));
  EXPECT_EQ(three().find(5)->address, "five:5");
  EXPECT_EQ(three().find(2), nullptr);
}

TEST(MembershipTest, OneStepIsOneMember) {
  Membership other = three();
  EXPECT_TRUE(one_step_apart(three(), other));
  other.members[1].role = Role::voter;
  EXPECT_TRUE(one_step_apart(three(), other));
  other.members.pop_back();
  EXPECT_FALSE(one_step_apart(three(), other));
  Membership replaced = three();
  replaced.members[2] = {10, "nine:9", Role::spare};
  EXPECT_FALSE(one_step_apart(three(), replaced));
}

TEST(MembershipTest, RefusesBytesThatAreCutOrLongerThanTheyShouldBe) {
  const std::string good = encode(three());
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(decode_membership(std::string(good, 0, size))) << size;
  }
  EXPECT_FALSE(decode_membership(good + std::string(8, '\0')));
  EXPECT_FALSE(decode_membership(std::string(8, '\1')));
  EXPECT_FALSE(decode_membership(std::string("\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16)));
  EXPECT_FALSE(decode_membership(std::string(64, '\xff')));
}

TEST(MembershipTest, RefusesMembersThatBreakItsRules) {
  const auto with = [](std::size_t at, char byte) {
    std::string bytes = encode({{{1, "a", Role::voter}, {2, "b", Role::voter}}});
    bytes[at] = byte;
    return decode_membership(bytes);
  };
  EXPECT_TRUE(with(9, 1));
  EXPECT_FALSE(with(0, 2)) << "another format";
  EXPECT_FALSE(with(9, 0)) << "an id of zero";
  EXPECT_FALSE(with(9, 2)) << "an id twice";
  EXPECT_FALSE(with(9, 3)) << "out of order";
  EXPECT_FALSE(with(17, 'b')) << "an address twice";
  EXPECT_FALSE(with(19, 3)) << "no role";
}

TEST(MembershipTest, AnyBytesAreEitherRefusedOrAMembership) {
  const std::uint64_t seed = 20240611;
  SCOPED_TRACE("seed " + std::to_string(seed));
  pawl::testing::Random random(seed);
  const std::string good = encode(three());
  std::size_t accepted = 0;
  for (int i = 0; i < 50'000; ++i) {
    // A heap copy of the exact size, so that a read past the end is seen.
    std::vector<char> bytes(good.begin(), good.end());
    if (random.percent(30)) bytes.resize(random.below(80));
    for (std::uint64_t n = random.below(4); n > 0 && !bytes.empty(); --n) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.next());
    }
    const auto decoded = decode_membership({bytes.data(), bytes.size()});
    if (!decoded) continue;
    ++accepted;
    ASSERT_EQ(encode(*decoded), std::string(bytes.begin(), bytes.end()));
  }
  EXPECT_GT(accepted, 1'000u);
}

}  // namespace
}  // namespace pawl::engine
