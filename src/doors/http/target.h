// SPDX-License-Identifier: Apache-2.0
// The request target, taken apart: decoded path segments and query parameters. Strict: only
// percent-encoding (a '+' is a plus), well-formed UTF-8, no parameter twice. Plain values.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "doors/http/problems.h"

namespace pawl::doors::http {

class Target {
 public:
  // Of any path that there is.
  static constexpr std::size_t kMostSegments = 4;

  [[nodiscard]] Verdict parse(std::string_view target);

  // The path as it was sent.
  std::string_view path() const { return path_; }
  // Decoded. Zero: more than any path of ours has.
  std::size_t segments() const { return count_; }
  const std::string& segment(std::size_t at) const { return segments_[at]; }

  using Parameter = std::pair<std::string, std::string>;
  const std::vector<Parameter>& query() const { return query_; }
  // The parameter's value, or nullptr.
  const std::string* find(std::string_view name) const;

 private:
  Verdict parse_path();
  Verdict parse_query(std::string_view text);
  Verdict add_parameter(std::string_view text);

  std::string_view path_;
  std::array<std::string, kMostSegments> segments_;
  std::size_t count_ = 0;
  std::vector<Parameter> query_;
};

}  // namespace pawl::doors::http
