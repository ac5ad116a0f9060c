// SPDX-License-Identifier: Apache-2.0
#include "service/prefixes.h"

#include <gtest/gtest.h>

namespace pawl::service {
namespace {

TEST(PrefixesTest, APrefixIsTheFirstPartOfAName) {
  EXPECT_EQ(prefix_of("tenant_123:billing-close:2026-04"), "tenant_123");
  EXPECT_EQ(prefix_of("jobs/nightly:1"), "jobs");
  EXPECT_EQ(prefix_of("nightly"), "nightly");
  EXPECT_EQ(prefix_of("/jobs/nightly"), "jobs");
  EXPECT_EQ(prefix_of("jobs:"), "jobs");
  EXPECT_EQ(prefix_of(":/:"), "");
  EXPECT_EQ(prefix_of(""), "");
}

TEST(PrefixesTest, ALongOneIsCutBetweenCharacters) {
  EXPECT_EQ(prefix_of(std::string(500, 'x')), std::string(64, 'x'));
  std::string text(63, 'x');
  EXPECT_EQ(prefix_of(text + "\u00e4\u00e4:1"), text);
  EXPECT_EQ(prefix_of("x" + text.substr(2) + "\u00e4\u00e4:1"), "x" + text.substr(2) + "\u00e4");
}

TEST(PrefixesTest, OnlySoManyAreToldApart) {
  Prefixes prefixes(2);
  EXPECT_EQ(prefixes.number_of("a:1"), 1u);
  EXPECT_EQ(prefixes.number_of("b:1"), 2u);
  EXPECT_EQ(prefixes.number_of("c:1"), 0u);
  EXPECT_EQ(prefixes.number_of("a:2"), 1u);
  EXPECT_EQ(prefixes.number_of("other:1"), 0u);
  EXPECT_EQ(prefixes.number_of("::"), 0u);
  EXPECT_EQ(prefixes.size(), 3u);
  EXPECT_EQ(prefixes.text(0), "other");
  EXPECT_EQ(prefixes.text(2), "b");
}

TEST(PrefixesTest, NoneAtAllMayBeTold) {
  Prefixes prefixes(0);
  EXPECT_EQ(prefixes.number_of("a:1"), 0u);
  EXPECT_EQ(prefixes.size(), 1u);
}

}  // namespace
}  // namespace pawl::service
