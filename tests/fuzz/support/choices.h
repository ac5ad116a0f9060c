// SPDX-License-Identifier: Apache-2.0
// Where a test's decisions come from: a seed, or the bytes of a fuzzer. Test code. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string_view>

namespace pawl::codec::testing {

class Choices {
 public:
  virtual ~Choices() = default;
  virtual std::uint64_t below(std::uint64_t bound) = 0;  // 0 .. bound - 1; the bound is not zero

  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T>
  T pick(std::initializer_list<T> from) {
    return *(from.begin() + below(from.size()));
  }
};

class RandomChoices : public Choices {
 public:
  explicit RandomChoices(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t bound) override { return engine_() % bound; }

 private:
  std::mt19937_64 engine_;
};

// One byte for each small choice, so that a fuzzer's change of a byte changes one decision. Zeros
// at the end.
class ByteChoices : public Choices {
 public:
  explicit ByteChoices(std::string_view bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }
  std::uint64_t below(std::uint64_t bound) override {
    std::uint64_t number = 0;
    for (std::uint64_t room = bound - 1; room > 0; room >>= 8) number = number << 8 | byte();
    return number % bound;
  }

 private:
  std::uint64_t byte() {
    if (bytes_.empty()) return 0;
    const auto first = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return first;
  }

  std::string_view bytes_;
};

}  // namespace pawl::codec::testing
