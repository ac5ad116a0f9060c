// SPDX-License-Identifier: Apache-2.0
// Feeds one schedule to the reference model and to a subject, and finds the first step at which
// they differ.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/effect.h"
#include "schedules/generate.h"
#include "schedules/subject.h"

namespace pawl::testing {

struct Difference {
  std::size_t index = 0;  // of the command
  core::Effects expected;
  core::Effects actual;
  std::string broken;  // what the subject's own check said; empty: the effects differ
};

// All fields, but the text Refused.why, which is for people.
bool same(const core::Effects& a, const core::Effects& b);

std::optional<Difference> first_difference(const Schedule& schedule, const MakeSubject& make);

// The schedule, one command a line, and both effects of the step that differs.
std::string describe(const Schedule& schedule, const Difference& difference);

}  // namespace pawl::testing
