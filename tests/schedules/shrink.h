// SPDX-License-Identifier: Apache-2.0
// Cuts a failing schedule down to a small one that still fails: chunks of commands first (delta
// debugging), then single commands, then the fields of those that are left.
#pragma once

#include <functional>

#include "schedules/generate.h"

namespace pawl::testing {

using Fails = std::function<bool(const Schedule&)>;

// `schedule` fails; so does the result, and no single command can be taken out of it.
Schedule shrink(Schedule schedule, const Fails& fails);

}  // namespace pawl::testing
