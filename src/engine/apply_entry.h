// SPDX-License-Identifier: Apache-2.0
// What an entry of the log does to the state: the same at the start, while serving, and where the
// next snapshot is made. Pure functions; the state belongs to the caller.
#pragma once

#include <optional>

#include "codec/entry.h"
#include "core/step.h"
#include "engine/entry.h"

namespace pawl::engine {

// Calls visit(const core::Command&, core::Effects) after each step. Entries that carry no commands
// change nothing here. Returned: why the entry can't be read; then the state is as it was.
template <class Visit>
[[nodiscard]] std::optional<codec::Unreadable> apply_entry(core::State& state, const Entry& entry,
                                                           Visit&& visit) {
  if (entry.kind != EntryKind::command) return {};
  const auto commands = codec::decode_entry(*entry.bytes);
  if (!commands) return commands.error();
  for (const core::Command& command : commands.value()) visit(command, core::step(state, command));
  return {};
}

// The same where nobody wants to know what happened.
[[nodiscard]] std::optional<codec::Unreadable> apply_entry(core::State& state, const Entry& entry);

}  // namespace pawl::engine
