// SPDX-License-Identifier: Apache-2.0
#include "schedules/coverage.h"

#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "model/reference_model.h"
#include "schedules/generate.h"

namespace pawl::testing {
namespace {

// The schedules that schedules_test runs.
constexpr std::uint64_t kSeeds = 20'000;
constexpr std::uint64_t kLeast = 50;

TEST(Coverage, TheSchedulesReachEveryRule) {
  Coverage coverage;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    ReferenceModel model;
    for (const core::Command& command : generate(seed, shape_of(seed)))
      coverage.count(model.step(command));
  }
  std::cout << coverage.table();
  for (const std::string& name : coverage.missing(kLeast))
    ADD_FAILURE() << "hardly reached: " << name;
}

}  // namespace
}  // namespace pawl::testing
