// SPDX-License-Identifier: Apache-2.0
// What happens to the nodes: crashes, sleep, bad disks, cut links. Plans ahead by the seed's plan,
// starts again what went down, and mends everything when the faults heal.
#pragma once

#include <set>

#include "simulation/cluster.h"
#include "simulation/sim.h"

namespace pawl::testing {

class Chaos {
 public:
  Chaos(Sim& sim, Cluster& cluster) : sim_(sim), cluster_(cluster) {}

  void begin();
  // From now on nothing fails; `sim.healed` is set already. A minority may stay down for good.
  void heal();

 private:
  void plan_fault(NodeNumber number);
  void plan_cut();
  void strike(NodeNumber number);
  void kill(Node& node);
  void promised(NodeNumber number, bool vote);
  void stop(NodeNumber number);
  void sleep(NodeNumber number);
  void spoil_disk(SimDisk& disk);
  void went_down(NodeNumber number);
  static void mend_disk(SimDisk& disk);

  Sim& sim_;
  Cluster& cluster_;
  std::set<NodeNumber> lost_;  // these never come back
};

}  // namespace pawl::testing
