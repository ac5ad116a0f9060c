// SPDX-License-Identifier: Apache-2.0
// Looks for leases that are held for longer than an operator finds usual. Once a second it sweeps
// over the state, in small slices, and tells of a lease when its hold has crossed the limit since
// the sweep before: so it needs no memory, each is told once, and after a restart, or by a new
// leader, those that are over the limit are told again. Owned by the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/effect.h"
#include "core/state.h"
#include "ports/clock.h"
#include "ports/loop.h"

namespace pawl::service {

class LongHolds {
 public:
  // Calls back with the state and what its clock shows now, or with nullptr if this node can't read
  // it at the moment.
  using OnLook = std::function<void(const core::State*, core::Time now)>;
  using Look = std::function<void(OnLook)>;
  using OnFound = std::function<void(const core::LeaseInfo&, core::Time now)>;

  // `limit` zero: only longest() is kept.
  LongHolds(ports::Loop& loop, const ports::Clock& clock, core::Duration limit, Look look,
            OnFound found);
  ~LongHolds();

  // As of the last whole sweep.
  core::Duration longest() const;
  std::uint64_t count() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::service
