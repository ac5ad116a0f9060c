// SPDX-License-Identifier: Apache-2.0
// What each item adds to the hash of the state. The state's digest is the sum (mod 2^64) over all
// items, so it does not depend on the order in which they came, and a step changes it by what the
// step changed. A lease has two parts: what it is, fixed when it is added, and how it stands, which
// changes. Pure functions.
#pragma once

#include "core/state.h"

namespace pawl::core {

std::uint64_t identity_digest(const State& state, const Lease& lease);
std::uint64_t standing_digest(const State& state, const Lease& lease);
std::uint64_t closures_digest(const State& state, const Closures& closures);
std::uint64_t end_digest(const End& end);
std::uint64_t audit_digest(const AuditRecord& record);

// Keeps the digest right while a lease's standing changes: made before the change, it ends after.
class Standing {
 public:
  Standing(State& state, const Lease& lease) : state_(state), lease_(lease) {
    state_.digest -= standing_digest(state_, lease_);
  }
  ~Standing() { state_.digest += standing_digest(state_, lease_); }
  Standing(const Standing&) = delete;
  Standing& operator=(const Standing&) = delete;

 private:
  State& state_;
  const Lease& lease_;
};

}  // namespace pawl::core
