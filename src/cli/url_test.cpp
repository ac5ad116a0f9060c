// SPDX-License-Identifier: Apache-2.0
#include "cli/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl::cli {
namespace {

using ::testing::HasSubstr;

Address parsed(std::string_view url) {
  const auto result = parse_url(url);
  EXPECT_TRUE(result.ok()) << url << ": " << (result.ok() ? "" : result.fault());
  return result.ok() ? result.value() : Address{};
}

std::string refused(std::string_view url) {
  const auto result = parse_url(url);
  EXPECT_FALSE(result.ok()) << url;
  return result.ok() ? "" : result.fault();
}

TEST(Url, NamesAHostAndAPort) {
  EXPECT_EQ(parsed(kDefaultUrl), (Address{"127.0.0.1", 7420}));
  EXPECT_EQ(parsed("http://locks.example:81/"), (Address{"locks.example", 81}));
  EXPECT_EQ(parsed("http://locks.example"), (Address{"locks.example", 80}));
  EXPECT_EQ(parsed("pawl://locks.example"), (Address{"locks.example", 7420}));
  EXPECT_EQ(parsed("pawl://locks.example:9"), (Address{"locks.example", 9}));
  EXPECT_EQ(parsed("locks.example:9"), (Address{"locks.example", 9}));
  EXPECT_EQ(parsed("localhost"), (Address{"localhost", 7420}));
}

TEST(Url, AnIpv6AddressStandsInBrackets) {
  EXPECT_EQ(parsed("http://[::1]:7420"), (Address{"::1", 7420}));
  EXPECT_EQ(parsed("pawl://[fe80::1%eth0]"), (Address{"fe80::1%eth0", 7420}));
  EXPECT_EQ(parsed("http://[::1]:7420").authority(), "[::1]:7420");
  EXPECT_THAT(refused("http://::1:7420"), HasSubstr("brackets"));
  EXPECT_THAT(refused("http://[::1"), HasSubstr("']'"));
  EXPECT_THAT(refused("http://[::1]x"), HasSubstr("port"));
}

TEST(Url, WhatIsNotUnderstoodIsRefusedWithAReason) {
  EXPECT_THAT(refused("https://a:1"), HasSubstr("https is not supported"));
  EXPECT_THAT(refused("redis://a:1"), HasSubstr("http:// or pawl://"));
  EXPECT_THAT(refused("http://a:1/path"), HasSubstr("end after the port"));
  EXPECT_THAT(refused("http://a:1?x"), HasSubstr("end after the port"));
  EXPECT_THAT(refused("http://me:secret@a:1"), HasSubstr("not supported"));
  EXPECT_THAT(refused("pawl://a:1,b:1"), HasSubstr("name one"));
  EXPECT_THAT(refused(""), HasSubstr("host is missing"));
  EXPECT_THAT(refused("http://:80"), HasSubstr("host is missing"));
  for (const char* port : {"a:", "a:0", "a:65536", "a:-1", "a:+1", "a:1x", "a:99999999999"}) {
    EXPECT_THAT(refused(port), HasSubstr("1 to 65535")) << port;
  }
  EXPECT_THAT(refused("http://a b:1"), HasSubstr("no host has"));
  EXPECT_THAT(refused("http://a\r\nX: y:1"), HasSubstr("brackets"));
  EXPECT_THAT(refused("http://a\r\n:1"), HasSubstr("\\x0d\\n"));
}

}  // namespace
}  // namespace pawl::cli
