// SPDX-License-Identifier: Apache-2.0
// The core as a subject: core::step on a fresh state, with core::check after each step.
#pragma once

#include "schedules/subject.h"

namespace pawl::testing {

MakeSubject core_subject();

}  // namespace pawl::testing
