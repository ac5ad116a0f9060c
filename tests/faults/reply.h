// SPDX-License-Identifier: Apache-2.0
// What pawl_lock_child answers (child.cpp has the lines). Plain values, pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"

namespace pawl::testing {

struct ListedLease {
  std::string lease;
  std::string resource;
  std::uint64_t token = 0;
  friend bool operator==(const ListedLease&, const ListedLease&) = default;
};

struct Reply {
  enum class Kind : std::uint8_t {
    granted,
    renewed,
    busy,
    ended,
    refused,
    unknown,
    not_submitted,
    listed,
  };
  std::uint64_t number = 0;
  Kind kind = Kind::unknown;
  std::uint64_t token = 0;        // granted, renewed
  core::Duration valid_for{0};    // granted, renewed
  bool repeated = false;          // granted: as before, not anew
  std::string word;               // ended: the cause; refused: the code; not_submitted: why
  core::Time ended_at{};          // ended
  core::Time state_time{};        // all but unknown and not_submitted
  std::vector<ListedLease> held;  // listed
};

// Nothing: this is no answer.
[[nodiscard]] std::optional<Reply> parse_reply(std::string_view line);

}  // namespace pawl::testing
