// SPDX-License-Identifier: Apache-2.0
// One worker of the simulated world: asks for locks, works under them, gives them back, over and
// over, and meets its fate meanwhile. The script of a careful user, who is now and then frozen or
// killed.
#pragma once

#include <string>
#include <vector>

#include "simulation/caller.h"
#include "simulation/cluster.h"
#include "simulation/keeper.h"
#include "simulation/registers.h"

namespace pawl::testing {

class Worker {
 public:
  Worker(Sim& sim, Network& network, const Cluster& cluster, Registers& registers,
         const std::vector<ResourceKind>& resources, std::uint32_t number);

  void begin();
  // The faults are over: wake up, if frozen.
  void heal() { caller_.thaw(); }
  bool at_rest() const { return resting_ && caller_.idle(); }
  Caller& caller() { return caller_; }

 private:
  // asking
  void rest();
  void ask();
  core::Acquire draw_request();
  core::LeaseId draw_id();
  void asked(const core::LeaseId& id, const Answer& answer);
  void withdraw(CallId call, const core::LeaseId& id);
  // working
  void work();
  void act(std::uint64_t turn);
  void next(std::uint64_t turn);
  void change_mode(std::uint64_t turn);
  void upgrade(std::uint64_t turn);
  void downgrade(std::uint64_t turn);
  void mode_changed(const Answer& answer, std::uint64_t turn);
  void update(std::uint64_t turn);
  void write(const core::ResourceName& resource, core::FencingToken token, Register::Values base,
             std::uint64_t turn);
  void store(std::size_t op);
  void release(const core::LeaseId& id);
  void lost();
  // fate
  void plan_fate();
  void meet_fate();

  Sim& sim_;
  Network& network_;
  const Cluster& cluster_;
  Registers& registers_;
  const std::vector<ResourceKind>& resources_;
  Caller caller_;
  Keeper keeper_;
  bool resting_ = true;
  bool exclusive_ = false;  // as this worker believes
  std::uint64_t turn_ = 0;  // a turn is one hold; what belongs to an older one is dropped
  std::uint64_t steps_left_ = 0;
  std::uint64_t lives_ = 1;
  std::uint64_t asked_ = 0;
};

}  // namespace pawl::testing
