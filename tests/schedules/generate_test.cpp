// SPDX-License-Identifier: Apache-2.0
#include "schedules/generate.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "model/parse_command.h"
#include "support/print.h"
#include "support/random.h"

namespace pawl::testing {
namespace {

std::uint64_t digest(const Schedule& schedule) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const core::Command& command : schedule) {
    for (const char c : to_text(command))
      hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return hash;
}

TEST(Generate, TheSameSeedMakesTheSameSchedule) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    EXPECT_EQ(generate(seed, shape_of(seed)), generate(seed, shape_of(seed)));
  }
}

TEST(Generate, RandomIsTheSameEverywhere) {
  Random random(1);
  EXPECT_EQ(random.next(), 2469588189546311528ULL);  // as the standard specifies the engine
}

TEST(Generate, OtherSeedsMakeOtherSchedules) {
  std::set<std::uint64_t> digests;
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    digests.insert(digest(generate(seed, shape_of(seed))));
  EXPECT_EQ(digests.size(), 200U);
}

TEST(Generate, EveryShapeOccurs) {
  std::set<std::string> names;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) names.insert(shape_of(seed).name);
  EXPECT_EQ(names.size(), 14U);
}

TEST(Generate, EveryCommandCanBeReadBackFromItsText) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    for (const core::Command& command : generate(seed, shape_of(seed))) {
      EXPECT_EQ(parse_command(to_text(command)), command) << to_text(command);
    }
  }
}

}  // namespace
}  // namespace pawl::testing
