// SPDX-License-Identifier: Apache-2.0
#include "engine/consensus/membership.h"

#include <algorithm>
#include <set>

#include "core/assert.h"
#include "engine/consensus/raft_core.h"

namespace pawl::engine {
namespace {

constexpr std::size_t kIdBytes = 8;
constexpr unsigned char kFormat = 1;

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = kIdBytes; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Reads from the front and shortens; none if there is too little.
std::optional<std::uint64_t> take_number(std::string_view& bytes) {
  if (bytes.size() < kIdBytes) return std::nullopt;
  const std::uint64_t value = little_endian(bytes);
  bytes.remove_prefix(kIdBytes);
  return value;
}

bool skip_member(std::string_view& bytes) {
  if (!take_number(bytes)) return false;
  const std::size_t end = bytes.find('\0');
  if (end == std::string_view::npos || end + 1 >= bytes.size()) return false;  // and a role
  bytes.remove_prefix(end + 2);
  return true;
}

// libraft reads as many members as the bytes claim, and past their end: so this comes first.
bool has_membership_shape(std::string_view bytes) {
  if (bytes.empty() || bytes.size() % 8 != 0) return false;
  if (static_cast<unsigned char>(bytes.front()) != kFormat) return false;
  bytes.remove_prefix(1);
  const std::optional<std::uint64_t> count = take_number(bytes);
  if (!count || *count == 0 || *count > kMostMembers) return false;
  for (std::uint64_t i = 0; i < *count; ++i) {
    if (!skip_member(bytes)) return false;
  }
  return bytes.size() < 8 && bytes.find_first_not_of('\0') == std::string_view::npos;
}

bool is_role(int role) { return role >= 0 && role <= static_cast<int>(Role::spare); }

bool before(const Member& one, const Member& other) { return one.id < other.id; }

bool holds_rules(const std::vector<Member>& members) {
  std::set<std::string_view> addresses;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Member& member = members[i];
    if (member.id == 0 || !is_role(static_cast<int>(member.role))) return false;
    if (i > 0 && !before(members[i - 1], member)) return false;
    if (member.address.find('\0') != std::string::npos) return false;
    if (!addresses.insert(member.address).second) return false;
  }
  return !members.empty() && members.size() <= kMostMembers;
}

}  // namespace

const Member* Membership::find(NodeId id) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [id](const Member& member) { return member.id == id; });
  return found == members.end() ? nullptr : &*found;
}

std::size_t Membership::voters() const {
  return static_cast<std::size_t>(
      std::count_if(members.begin(), members.end(),
                    [](const Member& member) { return member.role == Role::voter; }));
}

bool Membership::sole_voter(NodeId id) const {
  const Member* member = find(id);
  return member != nullptr && member->role == Role::voter && voters() == 1;
}

std::string encode(const Membership& membership) {
  PAWL_ASSERT(holds_rules(membership.members));
  std::vector<PawlRaftMember> members;
  for (const Member& member : membership.members) {
    members.push_back({member.id, member.address.c_str(), static_cast<int>(member.role)});
  }
  std::string bytes;
  const auto told = [](void* context, PawlRaftBytes encoded) {
    static_cast<std::string*>(context)->assign(static_cast<const char*>(encoded.data),
                                               encoded.size);
  };
  PAWL_ASSERT(
      pawl_raft_encode(members.data(), static_cast<std::uint32_t>(members.size()), told, &bytes));
  return bytes;
}

std::optional<Membership> decode_membership(std::string_view bytes) {
  if (!has_membership_shape(bytes)) return std::nullopt;
  Membership membership;
  const auto told = [](void* context, PawlRaftMember member) {
    static_cast<Membership*>(context)->members.push_back(
        {member.id, member.address, static_cast<Role>(member.role)});
  };
  if (!pawl_raft_decode({bytes.data(), bytes.size()}, told, &membership)) return std::nullopt;
  if (!holds_rules(membership.members)) return std::nullopt;
  return membership;
}

bool one_step_apart(const Membership& from, const Membership& to) {
  std::size_t differences = 0;
  for (const Member& member : from.members) {
    const Member* now = to.find(member.id);
    if (now == nullptr || *now != member) ++differences;
  }
  for (const Member& member : to.members) {
    if (from.find(member.id) == nullptr) ++differences;
  }
  return differences <= 1;
}

}  // namespace pawl::engine
