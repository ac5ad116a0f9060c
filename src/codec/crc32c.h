// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli, RFC 3720 appendix B.4): finds every single flipped bit, every burst of up to
// 32 bits, and all but one in 2^32 of other damage. It is no protection against somebody who wants
// to deceive. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

namespace pawl::codec {

// The checksum of `bytes`, or of all that gave `before` followed by `bytes`.
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

// The same without the processor's help: what runs where there is none, and what the tests compare
// with.
[[nodiscard]] std::uint32_t crc32c_by_table(std::string_view bytes, std::uint32_t before = 0);

}  // namespace pawl::codec
