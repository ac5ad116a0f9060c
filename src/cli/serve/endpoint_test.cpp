// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/endpoint.h"

#include <gtest/gtest.h>

namespace pawl::cli {
namespace {

TEST(Endpoint, ReadsAddressesNamesAndBracketedIpv6) {
  EXPECT_EQ(parse_endpoint("127.0.0.1:7420").value(), (Endpoint{"127.0.0.1", 7420}));
  EXPECT_EQ(parse_endpoint("localhost:0").value(), (Endpoint{"localhost", 0}));
  EXPECT_EQ(parse_endpoint("[::1]:65535").value(), (Endpoint{"::1", 65535}));
  EXPECT_EQ(parse_endpoint("lock-1.example.org:80").value(), (Endpoint{"lock-1.example.org", 80}));
}

TEST(Endpoint, IsWrittenAsItIsRead) {
  for (const char* text : {"127.0.0.1:7420", "[::1]:7420", "localhost:0", "0.0.0.0:1"}) {
    EXPECT_EQ(to_text(parse_endpoint(text).value()), text);
  }
}

TEST(Endpoint, SaysWhatIsWrong) {
  const auto fault = [](const char* text) {
    const auto endpoint = parse_endpoint(text);
    return endpoint ? std::string("nothing") : endpoint.fault();
  };
  EXPECT_NE(fault("").find("no port"), std::string::npos);
  EXPECT_NE(fault("127.0.0.1").find("no port"), std::string::npos);
  EXPECT_NE(fault("[::1]").find("no port"), std::string::npos);
  EXPECT_NE(fault(":7420").find("no host"), std::string::npos);
  EXPECT_NE(fault("::1:7420").find("brackets"), std::string::npos);
  EXPECT_NE(fault("[127.0.0.1]:7420").find("brackets"), std::string::npos);
  EXPECT_NE(fault("[::1]x:7420").find("between"), std::string::npos);
  EXPECT_NE(fault("127.0.0.1:").find("port"), std::string::npos);
  EXPECT_NE(fault("127.0.0.1:65536").find("port"), std::string::npos);
  EXPECT_NE(fault("127.0.0.1:-1").find("port"), std::string::npos);
  EXPECT_NE(fault("127.0.0.1:80x").find("port"), std::string::npos);
  EXPECT_NE(fault("127.0.0.300:80").find("neither"), std::string::npos);
  EXPECT_NE(fault("a b:80").find("neither"), std::string::npos);
  EXPECT_NE(fault("http://localhost:80").find("ambiguous"), std::string::npos);
}

TEST(Endpoint, KnowsWhatOnlyThisMachineReaches) {
  for (const char* text : {"127.0.0.1:1", "127.8.8.8:1", "[::1]:1", "localhost:1"}) {
    EXPECT_TRUE(is_loopback(parse_endpoint(text).value())) << text;
  }
  for (const char* text : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "example.org:1"}) {
    EXPECT_FALSE(is_loopback(parse_endpoint(text).value())) << text;
  }
}

}  // namespace
}  // namespace pawl::cli
