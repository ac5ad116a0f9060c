// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/holders.h"

#include "cli/durations.h"

namespace pawl::cli {

namespace {

// "worker-1 (shared), for 3m 12s"
std::string who_and_how_long(const Json& holder, WallTime now) {
  std::string out = text_at(holder, "ownerId");
  const std::string mode = mode_text(holder);
  if (!mode.empty() && mode != "exclusive") out += " (" + mode + ")";
  auto held = seconds_at(holder, "heldSeconds");
  const auto since = time_at(holder, "createdAt");
  if (!held && since && *since <= now) held = now - *since;
  return held ? out + ", for " + rough_duration(*held) : out;
}

std::string token_and_lease(const Json& holder) {
  return "; token " + number_text(holder, "fencingToken") + ", lease " + text_at(holder, "leaseId");
}

}  // namespace

std::string holder_text(const Json& holder, WallTime now) {
  std::string out = who_and_how_long(holder, now);
  if (const auto left = seconds_at(holder, "validForSeconds")) {
    out += ", ends in " + rough_duration(*left) + " unless renewed";
  } else if (const std::string until = relative_at(holder, "expiresAt", now); !until.empty()) {
    out += ", ends " + until + " unless renewed";
  } else {
    out += ", never ends by itself";
  }
  return out + token_and_lease(holder);
}

std::string former_holder_text(const Json& holder, WallTime now) {
  return who_and_how_long(holder, now) + token_and_lease(holder);
}

std::string waiter_text(const Json& waiter) {
  std::string out = text_at(waiter, "ownerId");
  if (const auto waiting = seconds_at(waiter, "waitingSeconds"))
    out += ", for " + rough_duration(*waiting);
  std::string more;
  const auto add = [&more](std::string_view remark) {
    if (!more.empty()) more += ", ";
    more += remark;
  };
  const std::string mode = mode_text(waiter);
  if (bool_at(waiter, "upgrade")) {
    add("upgrade from shared");
  } else if (!mode.empty() && mode != "exclusive") {
    add(mode);
  }
  if (bool_at(waiter, "detached")) add("its connection is gone");
  return more.empty() ? out : out + " (" + more + ")";
}

std::string count_text(std::uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

}  // namespace pawl::cli
