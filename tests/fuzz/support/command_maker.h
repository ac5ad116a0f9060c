// SPDX-License-Identifier: Apache-2.0
// Makes commands one after the other that together lead into rich states: all modes, queues,
// detached waiters, waiting upgrades, closures, ends of every cause, audits. It looks at the state
// to name leases and tokens that exist. Test code. Not thread-safe; the same choices on equal
// states give the same commands.
#pragma once

#include <vector>

#include "core/command.h"
#include "core/state.h"
#include "fuzz/support/choices.h"

namespace pawl::codec::testing {

class CommandMaker {
 public:
  explicit CommandMaker(Choices& choices) : choices_(choices) {}

  core::Command next(const core::State& state);

 private:
  struct Known {
    core::Namespace space;
    core::LeaseId id;
  };

  core::CommandBody body(const core::State& state);
  core::Acquire new_acquire();
  core::Acquire again();
  core::Upgrade upgrade(const core::State& state);
  core::Downgrade downgrade(const core::State& state);
  core::ForceRelease force_release(const core::State& state);
  core::SetLimits set_limits();
  core::ResourceName resource(bool permit);
  core::Ticket ticket();
  Known known();                                              // or one that never was
  Known known_in(const core::State& state, core::Mode mode);  // held so, if a few tries find one

  Choices& choices_;
  std::vector<core::Acquire> asked_;  // the latest come last
  std::uint64_t made_ = 0;
};

}  // namespace pawl::codec::testing
