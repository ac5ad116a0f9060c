// SPDX-License-Identifier: Apache-2.0
// The operator who takes locks away now and then: at once or at the holder's deadline, from one
// holder or from all.
#pragma once

#include <vector>

#include "simulation/caller.h"
#include "simulation/cluster.h"
#include "simulation/worker.h"

namespace pawl::testing {

class Operator {
 public:
  Operator(Sim& sim, Network& network, const Cluster& cluster,
           const std::vector<ResourceKind>& resources, std::uint32_t number)
      : sim_(sim), cluster_(cluster), resources_(resources), caller_(sim, network, number) {}

  void begin();
  Caller& caller() { return caller_; }

 private:
  void act();
  void acted(const Answer& answer);

  Sim& sim_;
  const Cluster& cluster_;
  const std::vector<ResourceKind>& resources_;
  Caller caller_;
};

}  // namespace pawl::testing
