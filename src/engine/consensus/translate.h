// SPDX-License-Identifier: Apache-2.0
// Between our values and those of raft_core.h. Pure functions.
#pragma once

#include <vector>

#include "engine/consensus/message.h"
#include "engine/consensus/raft_core.h"

namespace pawl::engine {

// These point into what they are made from.
PawlRaftMark to_core(const SnapshotMark& mark);
std::vector<PawlRaftEntry> to_core(const std::vector<Entry>& entries);
// `entries` takes those of the message, and must live as long as the result.
PawlRaftMessage to_core(const Message& message, std::vector<PawlRaftEntry>& entries);

Message from_core(const PawlRaftMessage& message);

}  // namespace pawl::engine
