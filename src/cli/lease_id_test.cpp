// SPDX-License-Identifier: Apache-2.0
#include "cli/lease_id.h"

#include <gtest/gtest.h>

#include <set>

#include "core/validate.h"
#include "engine/host/system_secrets.h"

namespace pawl::cli {
namespace {

TEST(LeaseId, SaysWhenItWasMadeInTheFormThatTheServiceReads) {
  engine::SystemSecrets secrets;
  for (const std::uint64_t ms : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40}) {
    const auto made = core::made_at(make_lease_id(ms, secrets));
    ASSERT_TRUE(made);
    EXPECT_EQ(static_cast<std::uint64_t>(core::to_ms(*made)), ms);
  }
}

TEST(LeaseId, IsNeverMadeTwice) {
  engine::SystemSecrets secrets;
  std::set<std::string> ids;
  for (int i = 0; i < 1'000; ++i) ids.insert(make_lease_id(7, secrets));
  EXPECT_EQ(ids.size(), 1'000U);
}

}  // namespace
}  // namespace pawl::cli
