// SPDX-License-Identifier: Apache-2.0
// Numbers in frames: little-endian, at any address, on any machine. Pure functions; the caller has
// checked that the bytes are there.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace pawl::codec {

template <class T>
void put_le(char* to, T value) {
  static_assert(std::is_unsigned_v<T>);
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    to[i] = static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
  }
}

template <class T>
T get_le(const char* from) {
  static_assert(std::is_unsigned_v<T>);
  T value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value =
        static_cast<T>(value | static_cast<T>(T{static_cast<unsigned char>(from[i])} << (8 * i)));
  }
  return value;
}

}  // namespace pawl::codec
