// SPDX-License-Identifier: Apache-2.0
// The engine's numbers, each of them a bound or a time. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/entry.h"
#include "core/time.h"
#include "engine/consensus/consensus.h"
#include "engine/log/log.h"

namespace pawl::engine {

struct ReplicaOptions {
  NodeId id = 1;
  LogOptions log;
  std::uint32_t election_timeout_ms = 1'000;
  std::uint32_t heartbeat_ms = 100;

  // What may be under way at once: accepted and not yet answered. Beyond it the answer is
  // `overloaded`.
  std::size_t max_pending_commands = 100'000;
  std::size_t max_pending_bytes = std::size_t{64} << 20;

  // One entry, and one write, hold at most so much.
  std::size_t max_entry_commands = codec::kMaxEntryCommands;
  std::size_t max_entry_bytes = std::size_t{1} << 20;

  // Time is logged at least this often while anything is live (design: every 5 s).
  core::Duration log_time_every = std::chrono::seconds(4);

  // A snapshot is made when the log since the last one is longer than this, and longer than a share
  // of the last snapshot: so that writing snapshots stays in proportion, and a restart short.
  std::uint64_t snapshot_log_bytes = std::uint64_t{32} << 20;
  std::uint64_t snapshot_share = 4;  // a quarter
  // Entries kept behind a snapshot for members that lag.
  std::uint32_t trailing_entries = 0;
  // The log since the last snapshot is held in memory too; when it is so many times as long as it
  // should be, new commands are refused as overloaded until the snapshot under way is done.
  std::uint64_t most_log_backlog = 8;
};

}  // namespace pawl::engine
