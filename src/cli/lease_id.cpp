// SPDX-License-Identifier: Apache-2.0
#include "cli/lease_id.h"

#include <array>
#include <charconv>
#include <string_view>

namespace pawl::cli {

std::string make_lease_id(std::uint64_t state_time_ms, ports::Secrets& secrets) {
  std::array<char, 16> time;
  const auto end = std::to_chars(time.data(), time.data() + time.size(), state_time_ms, 16).ptr;
  std::string id = "p1_" + std::string(time.data(), end) + "_";
  std::array<std::byte, 16> random;
  secrets.fill(random);
  constexpr std::string_view kHex = "0123456789abcdef";
  for (const std::byte byte : random) {
    id += kHex[std::to_integer<std::size_t>(byte >> 4)];
    id += kHex[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return id;
}

}  // namespace pawl::cli
