// SPDX-License-Identifier: Apache-2.0
// What an answer of the service means to the client that asked. Pure functions.
#pragma once

#include "core/effect.h"
#include "history/history.h"

namespace pawl::testing {

// Fills in outcome, token, validity and whether the lease is over.
void record(const core::Effect& effect, Operation& op);

// The lease as an ok answer shows it, or nothing.
const core::LeaseInfo* lease_in(const core::Effect& effect);

}  // namespace pawl::testing
