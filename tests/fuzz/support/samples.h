// SPDX-License-Identifier: Apache-2.0
// Commands with every field set, and a small state that has some of everything: for round trips and
// golden bytes, so they change only together with testdata/. Test code. Pure functions.
#pragma once

#include <memory>
#include <vector>

#include "core/command.h"
#include "core/state.h"

namespace pawl::codec::testing {

core::Acquire full_acquire();
std::vector<core::Command> one_of_each();
std::unique_ptr<core::State> small_state();

}  // namespace pawl::codec::testing
