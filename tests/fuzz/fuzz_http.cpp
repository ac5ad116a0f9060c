// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pawl::fuzz::try_http({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

// The parts of a line between these are what a client chooses.
constexpr std::string_view kBetweenWords = " /?&=:,{}[]\"\r\n";

std::vector<std::string> split(std::string_view text, std::string_view at) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(at), text.size() - 1);
    parts.emplace_back(text.substr(0, end + 1));  // with what ends it
    text.remove_prefix(end + 1);
  }
  return parts;
}

// Puts one part in the place of another, or before it, or takes one away.
std::string shuffled(std::vector<std::string> parts, std::mt19937& random) {
  const auto pick = [&] { return static_cast<std::ptrdiff_t>(random() % parts.size()); };
  const std::string moved = parts[static_cast<std::size_t>(pick())];
  const auto place = parts.begin() + pick();
  switch (random() % 3) {
    case 0:
      *place = moved;
      break;
    case 1:
      parts.insert(place, moved);
      break;
    default:
      parts.erase(place);
  }
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

}  // namespace

// Half of the time lines and words change places: blind changes of bytes seldom leave a request.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  std::mt19937 random(seed);
  if (size < 2 || random() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string changed =
      shuffled(split(text, random() % 2 == 0 ? "\n" : kBetweenWords), random);
  if (changed.size() + 1 > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data + 1, changed.data(), changed.size());
  return changed.size() + 1;
}
