// SPDX-License-Identifier: Apache-2.0
// Bad input: makes one field of a command wrong, or merely unusual. What is wrong is for validate()
// to say.
#pragma once

#include "core/command.h"
#include "support/random.h"

namespace pawl::testing {

void spoil(core::CommandBody& body, Random& random);

}  // namespace pawl::testing
