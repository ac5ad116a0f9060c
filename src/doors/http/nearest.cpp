// SPDX-License-Identifier: Apache-2.0
#include "doors/http/nearest.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace pawl::doors::http {
namespace {

constexpr std::size_t kLongest = 64;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// How many characters must be put in, left out or replaced; upper and lower case are the same.
std::size_t distance(std::string_view a, std::string_view b) {
  std::array<std::size_t, kLongest + 1> row{};
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

bool begins_with(std::string_view text, std::string_view start) {
  return start.size() >= 3 && text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace

std::string_view nearest(std::string_view name, std::span<const std::string_view> known) {
  if (name.empty() || name.size() > kLongest) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    if (candidate.size() > kLongest) continue;
    const bool cut_short = begins_with(candidate, name) || begins_with(name, candidate);
    const std::size_t far = cut_short ? 1 : distance(name, candidate);
    if (far >= best_distance || far >= candidate.size()) continue;
    best = candidate;
    best_distance = far;
  }
  return best;
}

std::string hint(std::string_view name, std::span<const std::string_view> known) {
  const std::string_view found = nearest(name, known);
  if (found.empty()) return {};
  return "; did you mean '" + std::string(found) + "'?";
}

std::string shortened(std::string_view name) {
  if (name.size() <= kLongest) return std::string(name);
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0U) == 0x80U) --end;
  return std::string(name.substr(0, end)) + "...";
}

}  // namespace pawl::doors::http
