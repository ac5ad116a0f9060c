// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/greeting.h"

#include <gtest/gtest.h>

namespace pawl::cli {
namespace {

TEST(Greeting, ShowsWhereItIsAndACallThatCanBePasted) {
  const std::string text = to_text(Greeting{"1.2.3", "127.0.0.1:7420", "pawl-data"});
  EXPECT_NE(text.find("Pawl 1.2.3"), std::string::npos);
  EXPECT_NE(text.find("curl http://127.0.0.1:7420/v1/locks/acquire -d '{"), std::string::npos);
  EXPECT_NE(text.find("pawl-data"), std::string::npos);
}

TEST(Greeting, NoShellTakesAnIpv6AddressForAPattern) {
  const std::string text = to_text(Greeting{"1", "[::1]:1", "d"});
  EXPECT_NE(text.find("curl 'http://[::1]:1/v1/locks/acquire' -d"), std::string::npos);
}

TEST(Greeting, EveryInterfaceIsReachedByLoopback) {
  EXPECT_EQ(url_of("0.0.0.0:7420"), "http://127.0.0.1:7420");
  EXPECT_EQ(url_of("[::]:7420"), "http://[::1]:7420");
  EXPECT_EQ(url_of("[::1]:1"), "http://[::1]:1");
  EXPECT_EQ(url_of("10.0.0.1:1"), "http://10.0.0.1:1");
}

}  // namespace
}  // namespace pawl::cli
