// SPDX-License-Identifier: Apache-2.0
// The lock state machine: the one place where locks are granted, kept and ended.
// Pure and deterministic: the same state and command give the same effects on every node. No I/O,
// clock, randomness or threads; not thread-safe, the engine's loop owns the state. The rules:
// docs/rules.md.
#pragma once

#include "core/command.h"
#include "core/effect.h"
#include "core/state.h"

namespace pawl::core {

Effects step(State& state, const Command& command);

}  // namespace pawl::core
