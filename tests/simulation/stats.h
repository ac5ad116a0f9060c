// SPDX-License-Identifier: Apache-2.0
// What happened in a simulation, counted. Plain values; the sums over seeds are what the summary
// shows.
#pragma once

#include <array>
#include <cstdint>

#include "history/history.h"

namespace pawl::testing {

// Name, and how people call it. One table, so that none is counted and not shown.
#define PAWL_SIM_COUNTS(X)                                          \
  X(commands, "commands applied")                                   \
  X(grants_at_once, "grants at once")                               \
  X(grants_after_wait, "grants after a wait")                       \
  X(grants_repeated, "grants answered again")                       \
  X(waits, "waits")                                                 \
  X(busy, "busy answers")                                           \
  X(renewals, "renewals")                                           \
  X(renewals_refused, "renewals refused")                           \
  X(upgrades, "upgrades")                                           \
  X(upgrades_after_wait, "upgrades after a wait")                   \
  X(upgrades_withdrawn, "upgrades withdrawn")                       \
  X(downgrades, "downgrades")                                       \
  X(releases, "releases")                                           \
  X(expiries, "expiries")                                           \
  X(max_holds, "ends at the max hold")                              \
  X(force_releases, "force releases")                               \
  X(abandoned, "grants and waits abandoned")                        \
  X(time_outs, "waits timed out")                                   \
  X(superseded, "attempts superseded")                              \
  X(detached, "waits and grants detached")                          \
  X(already_ended, "answers that a lease is over")                  \
  X(stale_ids, "stale lease ids refused")                           \
  X(overloaded, "overloaded answers")                               \
  X(refused_otherwise, "other refusals")                            \
  X(messages, "messages sent")                                      \
  X(lost, "messages lost")                                          \
  X(slow, "messages delayed by over a second")                      \
  X(duplicated, "messages duplicated")                              \
  X(late_duplicates, "duplicates over a second late")               \
  X(resent, "requests sent again")                                  \
  X(unknown, "outcomes unknown to the client")                      \
  X(not_leader, "requests to a node that does not lead")            \
  X(store_full, "requests refused by a full engine")                \
  X(store_unknown, "outcomes unknown to the node")                  \
  X(reads, "reads behind a barrier")                                \
  X(leader_changes, "terms of office begun")                        \
  X(killed, "nodes killed")                                         \
  X(power_losses, "power losses")                                   \
  X(blackouts, "all nodes down at once")                            \
  X(crashed_at_operation, "crashes in a disk operation")            \
  X(cut_off, "writes cut off by a crash")                           \
  X(torn_writes, "torn writes cut at a start")                      \
  X(clean_stops, "clean stops")                                     \
  X(slept, "nodes put to sleep")                                    \
  X(slow_writes, "writes slower than 0.1 s")                        \
  X(disk_failures, "stops and failed starts by a bad or full disk") \
  X(bit_flips, "bits flipped on a disk")                            \
  X(flips_refused, "starts refused because of that")                \
  X(flips_in_last_record, "flips in the last record of a log")      \
  X(snapshots_taken, "snapshots taken")                             \
  X(snapshots_installed, "snapshots installed")                     \
  X(peer_messages, "messages between nodes")                        \
  X(peer_lost, "messages between nodes lost")                       \
  X(peer_doubled, "messages between nodes doubled")                 \
  X(cuts, "links between nodes cut")                                \
  X(states_compared, "states compared between nodes and restarts")  \
  X(frozen, "clients frozen")                                       \
  X(died, "clients died")                                           \
  X(losses, "losses raised by a holder")                            \
  X(fenced_writes, "fenced writes accepted")                        \
  X(stale_rejected, "stale reads and writes rejected by the fence") \
  X(plain_lost, "updates lost without the fence")                   \
  X(state_checks, "checks of the whole state")

enum class Count : std::uint8_t {
#define PAWL_SIM_NAME(name, text) name,
  PAWL_SIM_COUNTS(PAWL_SIM_NAME)
#undef PAWL_SIM_NAME
      end_of_counts
};
inline constexpr std::size_t kCounts = static_cast<std::size_t>(Count::end_of_counts);

const char* name_of(Count count);

struct Stats {
  std::array<std::uint64_t, kCounts> counts{};
  std::uint64_t seeds = 0;
  Micros simulated{0};
  std::uint64_t operations = 0;

  void add(Count count, std::uint64_t by = 1) { counts[static_cast<std::size_t>(count)] += by; }
  std::uint64_t of(Count count) const { return counts[static_cast<std::size_t>(count)]; }
  Stats& operator+=(const Stats& other);
};

}  // namespace pawl::testing
