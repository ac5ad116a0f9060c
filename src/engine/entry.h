// SPDX-License-Identifier: Apache-2.0
// What the log is made of, in the words that consensus, log and replica share. Plain values; the
// bytes of an entry are shared and never change.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pawl::engine {

using Index = std::uint64_t;   // of an entry; the first one is 1, and 0 is none
using Term = std::uint64_t;    // of a leader; 0 is before all
using NodeId = std::uint64_t;  // of a member; 0 is none

enum class EntryKind : std::uint8_t {
  command = 1,  // a batch of commands (codec/entry.h)
  barrier = 2,  // nothing: proves that its leader leads
  change = 3,   // a membership (encode() in consensus/membership.h)
};

using Bytes = std::shared_ptr<const std::string>;

struct Entry {
  Term term = 0;
  EntryKind kind = EntryKind::command;
  Bytes bytes;  // never null
};

// What a snapshot stands for: all entries up to `index`.
struct SnapshotMark {
  Index index = 0;
  Term term = 0;               // of the entry at `index`
  Index membership_index = 0;  // the entry that the membership comes from
  std::string membership;      // encoded; the committed one as of `index`
  friend bool operator==(const SnapshotMark&, const SnapshotMark&) = default;
};

}  // namespace pawl::engine
