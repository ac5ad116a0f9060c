// SPDX-License-Identifier: Apache-2.0
#include "codec/crc32c.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace pawl::codec {
namespace {

// RFC 3720 appendix B.4, and the check value of the CRC catalogues.
TEST(Crc32c, GivesThePublishedValues) {
  std::string up;
  std::string down;
  for (int i = 0; i < 32; ++i) up.push_back(static_cast<char>(i));
  for (int i = 31; i >= 0; --i) down.push_back(static_cast<char>(i));
  for (const auto& crc : {crc32c, crc32c_by_table}) {
    EXPECT_EQ(crc("", 0), 0U);
    EXPECT_EQ(crc("123456789", 0), 0xe3069283U);
    EXPECT_EQ(crc(std::string(32, '\0'), 0), 0x8a9136aaU);
    EXPECT_EQ(crc(std::string(32, '\xff'), 0), 0x62a8ab43U);
    EXPECT_EQ(crc(up, 0), 0x46dd794eU);
    EXPECT_EQ(crc(down, 0), 0x113fdb5cU);
  }
}

TEST(Crc32c, IsTheSameByTableAndByProcessorAtEveryLengthAndAddress) {
  std::mt19937 random(1);
  std::string bytes(300, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t length = 0; begin + length <= bytes.size(); ++length) {
      const std::string_view part = std::string_view(bytes).substr(begin, length);
      ASSERT_EQ(crc32c(part), crc32c_by_table(part)) << begin << ' ' << length;
    }
  }
}

TEST(Crc32c, GoesOnWhereItStopped) {
  const std::string_view all = "a row of pieces, one after the other";
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    EXPECT_EQ(crc32c(all.substr(cut), crc32c(all.substr(0, cut))), crc32c(all));
  }
}

}  // namespace
}  // namespace pawl::codec
