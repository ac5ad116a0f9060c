// SPDX-License-Identifier: Apache-2.0
// Resources by the first part of their name, as the metrics group them. Names are the clients'
// text: only so many different prefixes are told apart, the first to come, and long ones are cut.
// All others count as "other". Owned by the loop.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pawl::service {

inline constexpr std::size_t kMaxPrefixBytes = 64;

// What comes before the first ':' or '/', those at the very beginning not counted; the whole name
// if there is none. At most kMaxPrefixBytes of it, and no half characters.
std::string_view prefix_of(std::string_view resource);

class Prefixes {
 public:
  // Beside "other".
  explicit Prefixes(std::size_t max);

  // The number of a resource's prefix, given out from 0 on; 0 is "other".
  std::size_t number_of(std::string_view resource);
  std::size_t size() const { return texts_.size(); }
  const std::string& text(std::size_t number) const { return texts_[number]; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::size_t max_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> numbers_;
};

}  // namespace pawl::service
