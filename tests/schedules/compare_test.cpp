// SPDX-License-Identifier: Apache-2.0
#include "schedules/compare.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "model/reference_model.h"
#include "schedules/run.h"

namespace pawl::testing {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A model whose tenth fencing token is the ninth again: what P2 forbids.
class RepeatsAToken {
 public:
  core::Effects step(const core::Command& command) {
    core::Effects effects = model_.step(command);
    for (core::Effect& effect : effects.all) {
      auto* granted = std::get_if<core::Granted>(&effect);
      if (granted != nullptr && granted->lease.token == core::FencingToken{10}) {
        granted->lease.token = core::FencingToken{9};
      }
    }
    return effects;
  }

 private:
  ReferenceModel model_;
};

// A model with other words for people.
class OtherWords {
 public:
  core::Effects step(const core::Command& command) {
    core::Effects effects = model_.step(command);
    for (core::Effect& effect : effects.all) {
      if (auto* refused = std::get_if<core::Refused>(&effect)) refused->why = "other words";
    }
    return effects;
  }

 private:
  ReferenceModel model_;
};

class BreaksAtTheFifthStep : public SubjectOf<ReferenceModel> {
 public:
  std::optional<std::string> check() override {
    if (++steps_ < 5) return std::nullopt;
    return "a planted breach";
  }

 private:
  int steps_ = 0;
};

TEST(Compare, TheModelAgreesWithItself) {
  EXPECT_EQ(run_seeds({1, 200}, subject_of<ReferenceModel>(), true, {}), "");
}

TEST(Compare, ATokenThatRepeatsIsFoundAndCutDown) {
  const std::string story = run_seeds({1, 200}, subject_of<RepeatsAToken>(), true, {});
  EXPECT_TRUE(contains(story, "seed ")) << story;
  EXPECT_TRUE(contains(story, "shape \"")) << story;
  EXPECT_TRUE(contains(story, "token=10")) << story;
  EXPECT_TRUE(contains(story, "actual: ")) << story;
  std::size_t commands = 0;
  for (const char c : story) commands += c == '@' ? 1 : 0;
  EXPECT_GE(commands, 10U) << story;  // ten grants,
  EXPECT_LE(commands, 15U) << story;  // and hardly anything else
}

TEST(Compare, WhatIsWrittenForPeopleIsNotCompared) {
  EXPECT_EQ(run_seeds({1, 200}, subject_of<OtherWords>(), true, {}), "");
}

TEST(Compare, ABrokenStateIsReportedEvenIfTheEffectsAreRight) {
  const auto make = [] { return std::make_unique<BreaksAtTheFifthStep>(); };
  const std::string story = run_seeds({1, 1}, make, false, {});
  EXPECT_TRUE(contains(story, "a planted breach")) << story;
  EXPECT_FALSE(contains(story, "actual: ")) << story;
}

}  // namespace
}  // namespace pawl::testing
