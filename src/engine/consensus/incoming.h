// SPDX-License-Identifier: Apache-2.0
// What is done to a peer's message before libraft may see it: libraft asserts what it takes for
// granted, and without assertions it corrupts its memory instead. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/consensus/message.h"

namespace pawl::engine {

// Far below the overflow of anything that is added to them.
inline constexpr Index kMostIndex = Index{1} << 60;
inline constexpr Term kMostTerm = Term{1} << 60;

// False: no correct node says this to `self`, whatever has been lost, doubled or late; drop it.
bool is_sound(const Message& message, NodeId self);

// libraft books a change under the index of the first new entry of its message. So each change
// begins a message of its own; together they say what the whole said.
std::vector<AppendEntries> pieces_of(AppendEntries whole);

// Leaves out the entries that a snapshot up to `index` stands for: libraft would append a first
// entry that it no longer has behind its last. False: this contradicts the snapshot.
bool skip_to(Index index, Term term, AppendEntries& message);

}  // namespace pawl::engine
