// SPDX-License-Identifier: Apache-2.0
// What nodes say to each other. Plain values; which bytes they have on the wire is the transport's
// affair.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "engine/entry.h"

namespace pawl::engine {

struct RequestVote {
  Term term = 0;
  NodeId candidate = 0;
  Index last_index = 0;
  Term last_term = 0;
  bool disrupt_leader = false;
  bool pre_vote = false;
};

struct RequestVoteResult {
  Term term = 0;
  bool granted = false;
  bool pre_vote = false;
};

// From the consensus it comes without entries: `count` says how many, from previous_index + 1 on,
// and the replica fills them in from its log.
struct AppendEntries {
  Term term = 0;
  Index previous_index = 0;
  Term previous_term = 0;
  Index commit = 0;
  std::uint32_t count = 0;
  std::vector<Entry> entries;
};

struct AppendEntriesResult {
  Term term = 0;
  Index rejected = 0;  // zero: taken
  Index last_index = 0;
};

// To be sent with the whole snapshot, and given to the receiving consensus only once that is on its
// disk.
struct InstallSnapshot {
  Term term = 0;
  Index last_index = 0;
  Term last_term = 0;
  Index membership_index = 0;
  std::string membership;  // filled in by the sending replica from its snapshot
};

struct TimeoutNow {
  Term term = 0;
  Index last_index = 0;
  Term last_term = 0;
};

struct Message {
  NodeId peer = 0;  // whom it goes to, or comes from
  std::variant<RequestVote, RequestVoteResult, AppendEntries, AppendEntriesResult, InstallSnapshot,
               TimeoutNow>
      body;
};

}  // namespace pawl::engine
