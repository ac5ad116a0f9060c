// SPDX-License-Identifier: Apache-2.0
#include "simulation/chaos.h"

#include <limits>

namespace pawl::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

void Chaos::begin() {
  cluster_.on_promise = [this](NodeNumber number, bool vote) { promised(number, vote); };
  for (NodeNumber number = 0; number < cluster_.size(); ++number) {
    cluster_.node(number).on_down = [this, number] { went_down(number); };
    cluster_.node(number).start();
    plan_fault(number);
  }
  plan_cut();
}

// What was promised before it was on disk is forgotten by a power loss that comes right after.
void Chaos::promised(NodeNumber number, bool vote) {
  if (sim_.healed) return;
  const Plan& plan = sim_.plan;
  if (!sim_.random.chance(vote ? plan.crash_after_vote : plan.crash_after_append)) return;
  sim_.events.after(sim_.random.between(Micros(0), milliseconds(3)), [this, number] {
    Node& node = cluster_.node(number);
    if (!node.up() || sim_.healed) return;
    sim_.stats.add(Count::power_losses);
    node.crash(CrashKind::power_loss);
  });
}

void Chaos::plan_fault(NodeNumber number) {
  const Micros mean = sim_.plan.between_faults;
  if (mean == Micros::zero()) return;
  sim_.events.after(sim_.random.between(milliseconds(1), mean * 2), [this, number] {
    if (sim_.healed) return;
    strike(number);
    plan_fault(number);
  });
}

void Chaos::plan_cut() {
  const Micros mean = sim_.plan.between_cuts;
  if (mean == Micros::zero() || cluster_.size() == 1) return;
  sim_.events.after(sim_.random.between(milliseconds(1), mean * 2), [this] {
    if (sim_.healed) return;
    cluster_.peers().cut();
    sim_.events.after(sim_.random.between(milliseconds(50), sim_.plan.longest_cut), [this] {
      cluster_.peers().mend();
      plan_cut();
    });
  });
}

void Chaos::strike(NodeNumber number) {
  Node& node = cluster_.node(number);
  if (sim_.random.chance(sim_.plan.blackout)) {
    sim_.stats.add(Count::blackouts);
    for (NodeNumber other = 0; other < cluster_.size(); ++other) kill(cluster_.node(other));
    return;
  }
  if (!node.up()) return;
  switch (sim_.random.below(8)) {
    case 0:
      return stop(number);
    case 1:
    case 2:
      return sleep(number);
    case 3:
      return spoil_disk(node.disk());
    case 4:
      return node.disk().crash_at(1 + sim_.random.below(60), sim_.random.chance(700'000)
                                                                 ? CrashKind::power_loss
                                                                 : CrashKind::killed);
    default:
      return kill(node);
  }
}

void Chaos::kill(Node& node) {
  if (!node.up()) return;
  const bool power = sim_.random.chance(600'000);
  sim_.stats.add(power ? Count::power_losses : Count::killed);
  node.crash(power ? CrashKind::power_loss : CrashKind::killed);
}

// One that can't end in good order, for want of a majority, is killed in the end.
void Chaos::stop(NodeNumber number) {
  Node& node = cluster_.node(number);
  if (node.asleep()) return;
  const std::uint64_t life = node.lives();
  node.stop();
  sim_.events.after(seconds(10), [this, &node, life] {
    if (node.up() && node.lives() == life) kill(node);
  });
}

void Chaos::sleep(NodeNumber number) {
  Node& node = cluster_.node(number);
  if (node.asleep()) return;
  sim_.stats.add(Count::slept);
  node.sleep(sim_.random.chance(300'000));
  sim_.events.after(sim_.random.between(milliseconds(10), sim_.plan.longest_sleep),
                    [&node, life = node.lives()] {
                      if (node.lives() == life) node.wake();
                    });
}

void Chaos::spoil_disk(SimDisk& disk) {
  const std::uint64_t kind = sim_.random.below(3);
  if (kind == 2) return disk.set_space(disk.bytes_in_use() + sim_.random.below(100'000));
  disk.fail_at(1 + sim_.random.below(60), kind == 1);
}

void Chaos::mend_disk(SimDisk& disk) {
  disk.heal();
  disk.set_space(std::numeric_limits<std::uint64_t>::max());
}

void Chaos::went_down(NodeNumber number) {
  if (lost_.contains(number)) return;
  const bool soon = sim_.healed || sim_.random.chance(300'000);
  const Micros longest = soon ? milliseconds(20) : sim_.plan.longest_stop;
  sim_.events.after(sim_.random.between(milliseconds(1), longest), [this, number] {
    Node& node = cluster_.node(number);
    if (node.up() || lost_.contains(number)) return;
    // A start on a disk that is still bad comes to nothing.
    if (sim_.healed || !sim_.random.chance(300'000)) mend_disk(node.disk());
    if (!sim_.healed && sim_.random.chance(sim_.plan.flip)) {
      mend_disk(node.disk());
      node.flip_a_bit();
    }
    node.start();
  });
}

void Chaos::heal() {
  cluster_.peers().mend();
  const bool lose = sim_.random.chance(300'000);
  while (lose && lost_.size() < (cluster_.size() - 1) / 2)
    lost_.insert(sim_.random.below32(cluster_.size()));
  for (NodeNumber number = 0; number < cluster_.size(); ++number) {
    Node& node = cluster_.node(number);
    mend_disk(node.disk());
    node.wake();
    if (lost_.contains(number)) {
      if (node.up()) node.crash(CrashKind::power_loss);
    } else if (!node.up()) {
      node.start();
    }
  }
}

}  // namespace pawl::testing
