// SPDX-License-Identifier: Apache-2.0
#include "core/containers/hashing.h"

#include <bit>
#include <cstddef>
#include <cstring>

namespace pawl::core {
namespace {

// Little-endian whatever the machine, so that hashes in snapshots mean the same everywhere.
std::uint64_t load(std::string_view bytes, std::size_t from, std::size_t count) {
  std::uint64_t word = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&word, bytes.data() + from, count);
    return word;
  }
  for (std::size_t i = 0; i < count; ++i) {
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[from + i])) << (8 * i);
  }
  return word;
}

class Sip {
 public:
  Sip(SipKey key, bool wide)
      : v0_(key.k0 ^ 0x736f6d6570736575),
        v1_(key.k1 ^ 0x646f72616e646f6d ^ (wide ? 0xee : 0)),
        v2_(key.k0 ^ 0x6c7967656e657261),
        v3_(key.k1 ^ 0x7465646279746573) {}

  void absorb(std::string_view bytes, int rounds) {
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) take(load(bytes, at, 8), rounds);
    take(load(bytes, at, bytes.size() - at) | static_cast<std::uint64_t>(bytes.size()) << 56,
         rounds);
  }
  std::uint64_t finish(std::uint64_t tweak, int rounds) {
    v2_ ^= tweak;
    return more(rounds);
  }
  std::uint64_t finish_second_half(int rounds) {
    v1_ ^= 0xdd;
    return more(rounds);
  }

 private:
  void take(std::uint64_t word, int rounds) {
    v3_ ^= word;
    for (int i = 0; i < rounds; ++i) round();
    v0_ ^= word;
  }
  std::uint64_t more(int rounds) {
    for (int i = 0; i < rounds; ++i) round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }
  void round() {
    v0_ += v1_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v3_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ += v3_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ += v1_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v2_ = std::rotl(v2_, 32);
  }

  std::uint64_t v0_, v1_, v2_, v3_;
};

template <int kCompress, int kFinish>
Hash128 sip_128(SipKey key, std::string_view bytes) {
  Sip sip(key, true);
  sip.absorb(bytes, kCompress);
  const std::uint64_t low = sip.finish(0xee, kFinish);
  return {low, sip.finish_second_half(kFinish)};
}

}  // namespace

std::uint64_t sip13(SipKey key, std::string_view bytes) {
  Sip sip(key, false);
  sip.absorb(bytes, 1);
  return sip.finish(0xff, 3);
}

Hash128 sip13_128(SipKey key, std::string_view bytes) { return sip_128<1, 3>(key, bytes); }
Hash128 sip24_128(SipKey key, std::string_view bytes) { return sip_128<2, 4>(key, bytes); }

Digest& Digest::add(std::string_view text) {
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) add(load(text, at, 8));
  add(load(text, at, text.size() - at));
  return add(static_cast<std::uint64_t>(text.size()));
}

}  // namespace pawl::core
