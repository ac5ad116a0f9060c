// SPDX-License-Identifier: Apache-2.0
// What a seed decides before anything happens: how many nodes there are, how bad networks, disks,
// clocks and clients are, and what the clients want. Plain values.
#pragma once

#include <cstdint>

#include "core/limits.h"
#include "engine/replica/options.h"
#include "history/history.h"
#include "support/random.h"

namespace pawl::testing {

// The drift that P4's allowance is for: two clocks that each err by this much, one each way.
inline constexpr std::int64_t kMostDriftPpm = 5'000;

struct Plan {
  // the network; chances are in millionths
  std::int64_t lose_request = 0;
  std::int64_t lose_reply = 0;
  std::int64_t duplicate = 0;
  std::int64_t slow = 0;
  Micros delay{1'000};        // at most, of an ordinary message
  Micros slow_delay{0};       // at most, of a slow one
  Micros duplicate_delay{0};  // at most, of a duplicate: late enough to meet the lease's end
  std::int64_t hang_up_duplicate = 0;  // a proxy that sent twice drops the one it has no use for
  std::int64_t unnoticed_close = 0;    // the door hears of a closed connection only by keep-alive

  // between nodes
  std::uint32_t nodes = 1;
  std::int64_t peer_lose = 0;
  std::int64_t peer_duplicate = 0;
  std::int64_t peer_slow = 0;
  Micros peer_delay{300};
  Micros peer_slow_delay{0};
  Micros transfer{1'000};  // at most, of a snapshot
  Micros between_cuts{0};  // on average; zero: none
  Micros longest_cut{0};

  // each node
  engine::ReplicaOptions engine;
  core::Limits limits;
  Micros commit{500};  // at most, of an ordinary write
  std::int64_t slow_commit = 0;
  Micros slow_write{0};  // at most, of a slow one
  std::int64_t late_timer = 0;
  Micros lateness{0};        // at most, of such a timer
  Micros between_faults{0};  // on average, of each node; zero: none
  Micros longest_stop{0};
  Micros longest_sleep{0};
  std::int64_t flip = 0;  // while a node is down
  std::int64_t crash_after_vote = 0;
  std::int64_t crash_after_append = 0;
  std::int64_t blackout = 0;  // a fault takes all nodes down

  // the clients
  std::uint32_t clients = 4;
  std::uint32_t resources = 2;
  std::int64_t drift_ppm = 0;        // every clock errs by at most this
  std::int64_t freeze = 0;           // at each step of work
  std::int64_t die = 0;              // at each step of work
  Micros between_force_releases{0};  // on average; zero: none
  std::int64_t shared = 0;
  std::int64_t permit = 0;  // the chance of a resource to be a semaphore
  std::int64_t several = 0;
  std::int64_t change_mode = 0;  // an upgrade or downgrade, at each step of work
  std::int64_t no_wait = 0;
  std::int64_t plain_id = 0;
  std::int64_t holds_and_delays = 0;  // maxHold, minHold, lockDelay
  std::int64_t cancel = 0;            // a wait that its client withdraws
  Micros shortest_ttl{0};
  Micros longest_ttl{0};
  Micros longest_wait{0};
  Micros longest_idle{0};
};

Plan draw_plan(Random& random);

}  // namespace pawl::testing
