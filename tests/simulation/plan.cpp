// SPDX-License-Identifier: Apache-2.0
#include "simulation/plan.h"

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Often none, often little, sometimes `most`: a run in which everything fails all the time tests
// little.
std::int64_t rate(Random& random, std::int64_t most) {
  switch (random.below(4)) {
    case 0:
      return 0;
    case 1:
      return random.between(0, most / 20);
    case 2:
      return random.between(0, most / 4);
    default:
      return random.between(0, most);
  }
}

void draw_network(Random& random, Plan& plan) {
  plan.lose_request = rate(random, 300'000);
  plan.lose_reply = rate(random, 300'000);
  plan.duplicate = rate(random, 300'000);
  plan.slow = rate(random, 200'000);
  plan.delay = random.pick<Micros>({Micros(300), milliseconds(5), milliseconds(50)});
  plan.slow_delay = random.between(milliseconds(100), seconds(4));
  plan.hang_up_duplicate = rate(random, 1'000'000);
  plan.unnoticed_close = rate(random, 500'000);
}

void draw_peers(Random& random, Plan& plan) {
  plan.nodes = random.pick<std::uint32_t>({1, 1, 3, 3, 5});
  plan.peer_lose = rate(random, 200'000);
  plan.peer_duplicate = rate(random, 200'000);
  plan.peer_slow = rate(random, 50'000);
  plan.peer_delay = random.pick<Micros>({Micros(300), milliseconds(2), milliseconds(10)});
  plan.peer_slow_delay = random.between(milliseconds(50), seconds(4));
  plan.transfer = random.pick<Micros>({milliseconds(2), milliseconds(300), seconds(4)});
  if (random.chance(500'000)) {
    plan.between_cuts = random.between(seconds(3), seconds(60));
    plan.longest_cut = random.pick<Micros>({milliseconds(500), seconds(5), seconds(20)});
  }
}

// Small, so that everything happens often.
void draw_engine(Random& random, engine::ReplicaOptions& options) {
  options.log.segment_bytes = random.pick<std::uint64_t>({64, 128}) << 10;
  options.election_timeout_ms = static_cast<std::uint32_t>(random.between(150, 1'000));
  options.heartbeat_ms = options.election_timeout_ms / random.pick<std::uint32_t>({4, 10});
  options.max_entry_bytes = std::size_t{8} << 10;
  options.max_entry_commands = random.pick<std::size_t>({1, 4, 1'000});
  options.max_pending_commands = random.pick<std::size_t>({3, 100'000, 100'000});
  options.snapshot_log_bytes = random.pick<std::uint64_t>({4, 8, 32}) << 10;
  options.trailing_entries = random.pick<std::uint32_t>({0, 4, 50});
}

void draw_nodes(Random& random, Plan& plan) {
  plan.commit = random.pick<Micros>({Micros(100), milliseconds(2), milliseconds(20)});
  plan.slow_commit = rate(random, 100'000);
  plan.slow_write = random.pick<Micros>({milliseconds(150), seconds(1), seconds(6)});
  plan.late_timer = rate(random, 20'000);
  plan.lateness = random.pick<Micros>({milliseconds(10), milliseconds(500), seconds(3)});
  if (random.chance(800'000)) {
    plan.between_faults = random.between(seconds(2), seconds(100));
    plan.longest_stop =
        random.pick<Micros>({milliseconds(20), milliseconds(500), seconds(5), seconds(40)});
    plan.longest_sleep = random.pick<Micros>({milliseconds(300), seconds(3), seconds(15)});
    plan.flip = rate(random, 600'000);
    plan.blackout = rate(random, 200'000);
    plan.crash_after_vote = rate(random, 300'000);
    plan.crash_after_append = rate(random, 1'000);
  }
  plan.limits.retention = random.pick<Micros>({seconds(60), seconds(60), seconds(20)});
  if (random.chance(150'000))
    plan.limits.max_waiters = static_cast<std::uint32_t>(random.between(1, 3));
  if (random.chance(100'000))
    plan.limits.max_leases = static_cast<std::uint64_t>(random.between(2, 6));
  if (random.chance(100'000))
    plan.limits.max_records = static_cast<std::uint64_t>(random.between(5, 60));
  // As long as the service remembers what ended (P6), and no longer for ids that carry no time.
  plan.duplicate_delay = random.pick<Micros>(
      {milliseconds(50), seconds(2), plan.limits.retention / 2, plan.limits.retention * 9 / 10});
}

void draw_clients(Random& random, Plan& plan) {
  plan.clients = static_cast<std::uint32_t>(random.between(2, 12));
  plan.resources = static_cast<std::uint32_t>(random.pick<std::int64_t>({1, 1, 2, 3, 6}));
  plan.drift_ppm = random.pick<std::int64_t>({0, kMostDriftPpm, kMostDriftPpm});
  plan.freeze = rate(random, 60'000);
  plan.die = rate(random, 20'000);
  if (random.chance(500'000)) plan.between_force_releases = random.between(seconds(2), seconds(60));
  plan.shared = random.pick<std::int64_t>({0, 300'000, 800'000});
  plan.permit = random.pick<std::int64_t>({0, 0, 300'000});
  plan.several = random.pick<std::int64_t>({0, 200'000, 500'000});
  plan.change_mode = random.pick<std::int64_t>({0, 200'000, 500'000});
  plan.no_wait = random.pick<std::int64_t>({0, 300'000, 900'000});
  plan.plain_id = random.pick<std::int64_t>({0, 200'000, 1'000'000});
  plan.holds_and_delays = random.pick<std::int64_t>({0, 0, 300'000});
  plan.cancel = rate(random, 100'000);
  plan.shortest_ttl = random.pick<Micros>({milliseconds(100), milliseconds(500), seconds(2)});
  plan.longest_ttl = random.pick<Micros>({seconds(2), seconds(8), seconds(40)});
  plan.longest_wait = random.pick<Micros>({milliseconds(500), seconds(5), seconds(20)});
  plan.longest_idle = random.pick<Micros>({milliseconds(20), milliseconds(500), seconds(5)});
}

}  // namespace

Plan draw_plan(Random& random) {
  Plan plan;
  draw_network(random, plan);
  draw_peers(random, plan);
  draw_engine(random, plan.engine);
  draw_nodes(random, plan);
  draw_clients(random, plan);
  return plan;
}

}  // namespace pawl::testing
