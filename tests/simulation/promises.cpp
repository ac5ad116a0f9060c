// SPDX-License-Identifier: Apache-2.0
#include "simulation/promises.h"

#include <algorithm>

namespace pawl::testing {
namespace {

std::string name(NodeNumber node) { return "node " + std::to_string(node); }

}  // namespace

Promises::Complaint Promises::hear(NodeNumber from, const engine::Message& message) {
  if (const auto* vote = std::get_if<engine::RequestVoteResult>(&message.body)) {
    if (vote->granted && !vote->pre_vote) return hear_vote(from, message.peer, vote->term);
  } else if (const auto* append = std::get_if<engine::AppendEntries>(&message.body)) {
    hear_append(*append);
  } else if (const auto* result = std::get_if<engine::AppendEntriesResult>(&message.body)) {
    if (result->rejected == 0) hear_stored(from, *result);
  }
  return std::nullopt;
}

Promises::Complaint Promises::hear_vote(NodeNumber from, engine::NodeId to, engine::Term term) {
  Promise& promise = promises_[from];
  if (term > promise.term) promise = {term, 0, 0};
  const auto [at, first] = votes_.try_emplace({from, term}, to);
  if (first || at->second == to) return std::nullopt;
  return name(from) + " voted twice in term " + std::to_string(term);
}

void Promises::hear_append(const engine::AppendEntries& append) {
  engine::Index index = append.previous_index;
  for (const engine::Entry& entry : append.entries) sent_[{append.term, ++index}] = entry.term;
}

void Promises::hear_stored(NodeNumber from, const engine::AppendEntriesResult& result) {
  Promise& promise = promises_[from];
  if (result.term < promise.term) return;
  if (result.term > promise.term) promise = {result.term, 0, 0};
  if (result.last_index <= promise.stored) return;
  promise.stored = result.last_index;
  const auto at = sent_.find({result.term, result.last_index});
  promise.stored_term = at == sent_.end() ? 0 : at->second;
}

Promises::Complaint Promises::compare(NodeNumber node, const engine::LogContents& contents) const {
  const auto at = promises_.find(node);
  if (at == promises_.end()) return std::nullopt;
  const Promise& promise = at->second;
  if (contents.term < promise.term) {
    return name(node) + " spoke in term " + std::to_string(promise.term) + ", but its disk has " +
           std::to_string(contents.term);
  }
  // A later leader may have taken back what this one had stored.
  if (contents.term > promise.term || promise.stored < contents.first) return std::nullopt;
  const std::size_t place = promise.stored - contents.first;
  const bool there = place < contents.entries.size();
  const bool same =
      there && (promise.stored_term == 0 || contents.entries[place].term == promise.stored_term);
  if (same) return std::nullopt;
  return name(node) + " said in term " + std::to_string(promise.term) + " that entry " +
         std::to_string(promise.stored) + " was on its disk, but it is not";
}

}  // namespace pawl::testing
