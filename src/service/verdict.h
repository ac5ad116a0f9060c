// SPDX-License-Identifier: Apache-2.0
// Whether what the log answered is what the caller asked for, or a problem. The one place that
// decides it, for every door. Pure functions.
#pragma once

#include <optional>

#include "core/effect.h"
#include "ports/lock_store.h"
#include "service/calls.h"
#include "service/problem.h"

namespace pawl::service {

// Nothing: the effect answers the call. These ends of a lease are answers too: an acquire that
// timed out or found the resource taken, a release of what was released before or never held.
std::optional<Problem> problem_of(const Asked& asked, const core::Effect& answer, core::Time now);

// For what the log did not decide.
Problem problem_of(const Asked& asked, const NotTaken& told);
Problem problem_of(const Asked& asked, const OutcomeUnknown& told);
Problem problem_of(const Asked& asked, const Detached& told);
Problem problem_of(const ports::NotSubmitted& refused);

}  // namespace pawl::service
