// SPDX-License-Identifier: Apache-2.0
// I7: a fenced register's accepted tokens never go back, and no update is lost.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "history/stories.h"

namespace pawl::testing {
namespace {

// What was written to one register.
struct Writes {
  std::vector<std::size_t> accepted;  // in the register's own order, where all of them have one
  std::unordered_set<std::uint64_t> unknown;  // values that may have been written as well
};

std::map<core::ResourceName, Writes> writes_of(const History& history, OpKind kind) {
  std::map<core::ResourceName, Writes> registers;
  for (std::size_t i = 0; i < history.operations.size(); ++i) {
    const Operation& op = history.operations[i];
    if (op.kind != kind || op.outcome == Outcome::fail) continue;
    for (const core::ResourceName& name : op.resources) {
      if (op.outcome == Outcome::ok) registers[name].accepted.push_back(i);
      if (op.outcome == Outcome::unknown) registers[name].unknown.insert(op.value);
    }
  }
  for (auto& [name, writes] : registers) {
    std::vector<std::size_t>& all = writes.accepted;
    std::sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) {
      return history.operations[a].order < history.operations[b].order;
    });
  }
  return registers;
}

bool ordered(const History& history, const std::vector<std::size_t>& accepted) {
  return !accepted.empty() && history.operations[accepted.front()].order != 0;
}

// The pairs (replaced, replacing) in which the second was not computed from what the first wrote.
std::vector<std::pair<std::size_t, std::size_t>> losses(const History& history,
                                                        const Writes& writes) {
  std::vector<std::pair<std::size_t, std::size_t>> lost;
  if (ordered(history, writes.accepted)) {
    for (std::size_t i = 1; i < writes.accepted.size(); ++i) {
      const Operation& before = history.operations[writes.accepted[i - 1]];
      const Operation& op = history.operations[writes.accepted[i]];
      if (op.base != before.value && !writes.unknown.contains(op.base))
        lost.emplace_back(writes.accepted[i - 1], writes.accepted[i]);
    }
    return lost;
  }
  std::unordered_map<std::uint64_t, std::size_t> by_base;
  for (const std::size_t i : writes.accepted) {
    const auto [at, fresh] = by_base.try_emplace(history.operations[i].base, i);
    if (!fresh) lost.emplace_back(at->second, i);
  }
  return lost;
}

void report_back(const History& history, std::size_t first, std::size_t second,
                 const core::ResourceName& name, Findings& findings) {
  const Operation& a = history.operations[first];
  const Operation& b = history.operations[second];
  findings.add({Invariant::I7,
                {first, second},
                name,
                b.lease,
                "the fenced register " + name.str() + " accepted " + tell(b) + " with token " +
                    number(b.token) + " after it had accepted " + tell(a) + " with token " +
                    number(a.token)});
}

void check_tokens_of(const History& history, const std::vector<std::size_t>& writes,
                     const core::ResourceName& name, Findings& findings) {
  if (ordered(history, writes)) {
    for (std::size_t i = 1; i < writes.size(); ++i) {
      if (history.operations[writes[i]].token < history.operations[writes[i - 1]].token)
        report_back(history, writes[i - 1], writes[i], name, findings);
    }
    return;
  }
  std::vector<std::size_t> called = writes;
  std::vector<std::size_t> returned = writes;
  const auto& ops = history.operations;
  std::sort(called.begin(), called.end(),
            [&](std::size_t a, std::size_t b) { return ops[a].called < ops[b].called; });
  std::sort(returned.begin(), returned.end(),
            [&](std::size_t a, std::size_t b) { return ops[a].returned < ops[b].returned; });
  std::size_t next = 0;
  std::optional<std::size_t> largest;
  for (const std::size_t i : called) {
    for (; ops[returned[next]].returned < ops[i].called; ++next) {
      if (!largest || ops[returned[next]].token > ops[*largest].token) largest = returned[next];
    }
    if (largest && ops[*largest].token > ops[i].token)
      report_back(history, *largest, i, name, findings);
  }
}

}  // namespace

void check_register(const History& history, Findings& findings) {
  for (const auto& [name, writes] : writes_of(history, OpKind::fenced_write)) {
    check_tokens_of(history, writes.accepted, name, findings);
    for (const auto& [before, after] : losses(history, writes)) {
      const Operation& op = history.operations[after];
      findings.add({Invariant::I7,
                    {before, after},
                    name,
                    op.lease,
                    "an update of the fenced register " + name.str() + " was lost: " + tell(op) +
                        " was computed from value " + std::to_string(op.base) +
                        ", but replaced what " + tell(history.operations[before]) + " wrote"});
    }
  }
}

std::size_t lost_updates(const History& history, OpKind kind) {
  std::size_t count = 0;
  for (const auto& [name, writes] : writes_of(history, kind))
    count += losses(history, writes).size();
  return count;
}

}  // namespace pawl::testing
