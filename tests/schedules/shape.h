// SPDX-License-Identifier: Apache-2.0
// What a random schedule is like: which commands, how crowded, how time moves. A schedule is made
// from a seed and a shape; the shape too comes from the seed. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pawl::testing {

struct Shape {
  std::string name;
  std::uint32_t length = 60;
  std::uint32_t resources = 3;
  std::uint32_t most_in_one_request = 1;
  std::vector<std::uint32_t> permit_limits = {3};
  bool tiny_limits = false;
  bool forgets_many = false;   // at the end, more ends are forgotten than one step removes
  bool unlimited_ttl = false;  // the limits allow leases without a deadline

  // How likely, in percent.
  std::uint32_t shared = 35;
  std::uint32_t permit = 0;
  std::uint32_t waits = 65;  // a request that waits
  std::uint32_t holds = 12;  // each of maxHold, minHold, lockDelay
  std::uint32_t short_ttl = 22;
  std::uint32_t invalid = 2;      // a command is spoiled
  std::uint32_t other_space = 8;  // another namespace with the same names

  // Weights of the commands.
  std::uint32_t acquire = 34;
  std::uint32_t acquire_again = 8;
  std::uint32_t renew = 10;
  std::uint32_t release = 12;
  std::uint32_t release_unknown = 1;
  std::uint32_t upgrade = 6;
  std::uint32_t downgrade = 2;
  std::uint32_t cancel = 7;
  std::uint32_t force = 3;
  std::uint32_t advance = 6;
  std::uint32_t takeover = 1;
  std::uint32_t set_limits = 1;
  std::uint32_t duplicate = 5;  // an earlier command again, word for word

  // Weights of how time moves.
  std::uint32_t same_time = 42;
  std::uint32_t small_step = 25;
  std::uint32_t to_something_due = 18;
  std::uint32_t gap = 1;
  std::uint32_t backwards = 4;
};

Shape shape_of(std::uint64_t seed);

}  // namespace pawl::testing
