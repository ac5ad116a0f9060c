// SPDX-License-Identifier: Apache-2.0
#include "model/parse_command.h"

#include <gtest/gtest.h>

#include <string>

#include "support/print.h"

namespace pawl::testing {
namespace {

TEST(ParseCommand, WhatIsPrintedIsRead) {
  for (const std::string line : {
           "@0s advance",
           "@1.25s acquire default/lease-0003 by w2 exclusive [a,b] ttl=10s wait=5s attempt=2",
           "@1s acquire default/lease-0003 by \"w 2\" permit permits=2/5 [\"a,]b\"] ttl=unlimited "
           "max_hold=3s "
           "door=7 metadata={host:h1,note:\"a:b \\x22\"} once",
           "@0.000001s renew default/lease-0003 ttl=0.1s",
           "@3600s upgrade default/lease-0003 token=7 wait=1s attempt=2 door=1",
           "@1s cancel default/lease-0003 upgrade gone attempt=4",
           "@1s force_release default/\"a/b\" by op at_deadline reason=\"so it is\" only_token=4 "
           "wall_ms=12",
           "@-1s set_limits max_leases=5 retention=1s rule_version=2",
           "@1s release \"\"/\"\\x0a\"",
       }) {
    EXPECT_EQ(to_text(parse_command(line)), line);
  }
}

TEST(ParseCommand, NonsenseIsRefused) {
  for (const char* line :
       {"", "advance", "@1 advance", "@1s", "@1s dance", "@1s release lease-0001",
        "@1s advance further", "@1s cancel default/lease-0001 acquire slowly",
        "@1s acquire default/lease-0001 by w1 exclusive a ttl=1s"}) {
    EXPECT_THROW(parse_command(line), ParseError) << line;
  }
}

}  // namespace
}  // namespace pawl::testing
