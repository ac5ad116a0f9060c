// SPDX-License-Identifier: Apache-2.0
#include "service/lease_ids.h"

#include <array>
#include <string>
#include <string_view>

namespace pawl::service {

core::LeaseId make_lease_id(ports::Secrets& secrets) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::array<std::byte, 16> bits{};
  secrets.fill(bits);
  std::string text = "lease_";
  text.reserve(text.size() + 2 * bits.size());
  for (const std::byte byte : bits) {
    text += kHex[std::to_integer<std::size_t>(byte >> 4)];
    text += kHex[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return core::LeaseId(std::move(text));
}

}  // namespace pawl::service
