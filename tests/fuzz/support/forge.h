// SPDX-License-Identifier: Apache-2.0
// Frames around what a test likes: entries and snapshots that are sound outside and may be anything
// inside. Test code. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/snapshot.h"

namespace pawl::codec::testing {

// An entry with this payload (the message Entry) and a right checksum.
std::string frame_entry(std::string_view payload);

// This entry with a right checksum.
std::string reseal_entry(std::string entry);

// The whole of a snapshot, and the records of which it is made.
std::string snapshot_of(const core::State& state);
std::vector<core::SnapshotRecord> records_of(const core::State& state);

// One piece with these records and the hash that the head says. None is split.
std::string forge_snapshot(std::span<const core::SnapshotRecord> records);

// The payload (the message Piece) that these records make.
std::string payload_of(std::span<const core::SnapshotRecord> records);

// The records in a payload, up to the first that can't be read.
std::vector<core::SnapshotRecord> records_in(std::string_view payload);

// A piece with this payload, the first and the last of its snapshot.
std::string frame_snapshot(std::string_view payload, std::uint64_t state_hash);

}  // namespace pawl::codec::testing
