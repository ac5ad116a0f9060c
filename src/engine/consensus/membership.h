// SPDX-License-Identifier: Apache-2.0
// Who belongs to the cluster. Encoded as libraft encodes it, because libraft reads it from the log.
// Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/entry.h"

namespace pawl::engine {

inline constexpr std::size_t kMostMembers = 100;

enum class Role : std::uint8_t { standby, voter, spare };

struct Member {
  NodeId id = 0;
  std::string address;
  Role role = Role::voter;
  friend bool operator==(const Member&, const Member&) = default;
};

struct Membership {
  std::vector<Member> members;  // in order of id; each id and address once, no NUL in an address
  friend bool operator==(const Membership&, const Membership&) = default;

  const Member* find(NodeId id) const;
  std::size_t voters() const;
  bool sole_voter(NodeId id) const;  // this node votes and no other does
};

// At most one member came, went, or has another role or address: what one change may do.
bool one_step_apart(const Membership& from, const Membership& to);

// Of a membership as described above, with at least one member.
[[nodiscard]] std::string encode(const Membership& membership);
// Nothing: these bytes are no membership. Safe on any bytes.
[[nodiscard]] std::optional<Membership> decode_membership(std::string_view bytes);

}  // namespace pawl::engine
