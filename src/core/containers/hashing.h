// SPDX-License-Identifier: Apache-2.0
// Two kinds of hashing. SipHash (Aumasson and Bernstein 2012) where a client chooses what is
// hashed: the index of lease ids, keyed so that nobody can aim at one chain, and the 128 bits by
// which an end is remembered. Digest where only a difference must show: the hash of the state. Pure
// functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace pawl::core {

struct SipKey {
  std::uint64_t k0 = 0;
  std::uint64_t k1 = 0;
};

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
};

std::uint64_t sip13(SipKey key, std::string_view bytes);  // SipHash-1-3, 64 bits
Hash128 sip13_128(SipKey key, std::string_view bytes);    // the same with 128 bits
Hash128 sip24_128(SipKey key,
                  std::string_view bytes);  // SipHash-2-4, for which vectors are published

// Mixes numbers and texts into 64 bits; the order of the calls counts.
class Digest {
 public:
  explicit Digest(std::uint64_t kind) : value_(kind * 0x9e3779b97f4a7c15 + 0x2545f4914f6cdd1d) {}

  Digest& add(std::uint64_t number) {
    value_ = fold(value_ ^ number, 0xd6e8feb86659fd93);
    return *this;
  }
  Digest& add(std::string_view text);
  std::uint64_t value() const { return fold(value_, 0xa0761d6478bd642f); }

 private:
  // Both halves of the 128-bit product, so that every bit of `a` reaches every bit of the result.
  static std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a ^ 0x8ebc6af09c88c6e3) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^ a;
  }

  std::uint64_t value_;
};

}  // namespace pawl::core
