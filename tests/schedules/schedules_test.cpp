// SPDX-License-Identifier: Apache-2.0
// The core against the reference model: random schedules, and the golden traces.
//   PAWL_TEST_LONG=1    fifty times as many schedules
//   PAWL_SCHEDULES=N    so many
//   PAWL_SEED=N         only this one, with all its commands
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "model/trace.h"
#include "schedules/core_subject.h"
#include "schedules/run.h"
#include "schedules/shape.h"
#include "support/print.h"

namespace pawl::testing {
namespace {

constexpr std::uint64_t kBaseSeed = 1;
constexpr std::uint64_t kParts = 8;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 10);
}

std::uint64_t schedule_count() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  std::uint64_t count = 4'000;
  std::cout << "under a sanitizer: a fifth of the usual schedules\n";
#else
  std::uint64_t count = 20'000;
#endif
  if (number_from("PAWL_TEST_LONG", 0) == 1) count *= 50;
  return number_from("PAWL_SCHEDULES", count);
}

class Schedules : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Schedules, TheCoreDoesWhatTheRulesSay) {
  const std::uint64_t each = (schedule_count() + kParts - 1) / kParts;
  Seeds seeds{kBaseSeed + GetParam() * each, each};
  if (std::getenv("PAWL_SEED") != nullptr) seeds = {number_from("PAWL_SEED", kBaseSeed), 1};
  std::cout << "seeds " << seeds.first << " to " << seeds.first + seeds.count - 1 << "\n";
  EXPECT_EQ(run_seeds(seeds, core_subject(), true, note_seed_for_crash), "");
}

INSTANTIATE_TEST_SUITE_P(Part, Schedules, ::testing::Range(std::uint64_t{0}, kParts));

// The first schedule, or the one that PAWL_SEED names, told command by command.
TEST(OneSchedule, TheCoreDoesWhatTheRulesSay) {
  const std::uint64_t seed = number_from("PAWL_SEED", kBaseSeed);
  note_seed_for_crash(seed);
  const Shape shape = shape_of(seed);
  std::cout << "seed " << seed << ", shape \"" << shape.name << "\"\n";
  const std::unique_ptr<Subject> core = core_subject()();
  for (const core::Command& command : generate(seed, shape)) {
    std::cout << to_text(command) << std::endl << to_lines(core->step(command), "    ");
  }
  EXPECT_EQ(run_seeds({seed, 1}, core_subject(), true, {}), "");
}

TEST(Traces, TheCoreFollowsTheGoldenTraces) {
  EXPECT_EQ(check_traces([] {
              std::shared_ptr<Subject> core = core_subject()();
              return [core](const core::Command& command) { return core->step(command); };
            }),
            "");
}

}  // namespace
}  // namespace pawl::testing
