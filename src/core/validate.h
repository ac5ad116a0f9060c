// SPDX-License-Identifier: Apache-2.0
// The edge of the core: what a command must look like. Doors call it before they submit, step()
// again with the limits in the state, so that a command that slipped through, or met a changed
// limit, is refused whole. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/command.h"

namespace pawl::core {

struct Invalid {
  std::string field;  // as the API names it
  std::string why;
  friend bool operator==(const Invalid&, const Invalid&) = default;
};

[[nodiscard]] std::optional<Invalid> validate(const Command& command, const Limits& limits);
[[nodiscard]] std::optional<Invalid> validate(const Limits& limits);

// The widest limits that validate() accepts: what a state can hold at all.
[[nodiscard]] Limits widest_limits();

// The state time that a client-made id (`p1_<ms, hex>_<128 random bits, hex>`) was made at, if it
// is one.
[[nodiscard]] std::optional<Time> made_at(std::string_view lease_id);

}  // namespace pawl::core
