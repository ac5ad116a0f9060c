// SPDX-License-Identifier: Apache-2.0
#include "service/prefixes.h"

#include <algorithm>

namespace pawl::service {
namespace {

constexpr std::string_view kSeparators = ":/";

// Not in the middle of a UTF-8 character.
std::string_view cut(std::string_view text) {
  if (text.size() <= kMaxPrefixBytes) return text;
  std::size_t end = kMaxPrefixBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace

std::string_view prefix_of(std::string_view resource) {
  resource.remove_prefix(std::min(resource.find_first_not_of(kSeparators), resource.size()));
  return cut(resource.substr(0, resource.find_first_of(kSeparators)));
}

Prefixes::Prefixes(std::size_t max) : max_(max), texts_{"other"}, numbers_{{"other", 0}} {}

std::size_t Prefixes::number_of(std::string_view resource) {
  const std::string_view prefix = prefix_of(resource);
  if (const auto found = numbers_.find(prefix); found != numbers_.end()) return found->second;
  if (texts_.size() > max_ || prefix.empty()) return 0;
  texts_.emplace_back(prefix);
  numbers_.emplace(prefix, texts_.size() - 1);
  return texts_.size() - 1;
}

}  // namespace pawl::service
