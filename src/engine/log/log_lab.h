// SPDX-License-Identifier: Apache-2.0
// For the tests of the log: what it should hold, kept the plain way, and random writes to it.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/log/log.h"
#include "support/random.h"
#include "support/sim_disk.h"

namespace pawl::engine::testing {

using pawl::testing::CrashKind;
using pawl::testing::Random;
using pawl::testing::SimCrash;
using pawl::testing::SimDisk;

class PortRandom final : public ports::Random {
 public:
  explicit PortRandom(std::uint64_t seed) : random_(seed) {}
  std::uint64_t next() override { return random_.next(); }

 private:
  pawl::testing::Random random_;
};

inline Entry entry_of(Term term, std::string bytes, EntryKind kind = EntryKind::command) {
  return {term, kind, std::make_shared<const std::string>(std::move(bytes))};
}

inline bool same(const Entry& a, const Entry& b) {
  return a.term == b.term && a.kind == b.kind && *a.bytes == *b.bytes;
}

struct LogModel {
  Term term = 0;
  NodeId vote = 0;
  std::map<Index, Entry> entries;
  Index next = 1;
  Index cut = 0;     // entries up to here may be gone
  Term floor = 0;    // the term of the last reset
  Index behind = 1;  // the first entry behind it

  void apply(const Append& append) {
    term = append.term;
    vote = append.vote;
    if (append.reset) {
      entries.clear();
      cut = append.reset->first;
      behind = next = cut + 1;
      floor = append.reset->second;
    }
    if (append.first == 0) return;
    entries.erase(entries.lower_bound(append.first), entries.end());
    next = append.first;
    for (const Entry& entry : append.entries) entries[next++] = entry;
  }

  // What is different; empty: nothing.
  std::string difference(const LogContents& contents) const {
    if (contents.term != term || contents.vote != vote) return "term or vote";
    if (contents.first + contents.entries.size() != next) return "the last index";
    if (contents.first > cut + 1) return "the first index";
    for (std::size_t i = 0; i < contents.entries.size(); ++i) {
      const auto it = entries.find(contents.first + i);
      if (it == entries.end()) return "an entry that should not be there";
      if (!same(it->second, contents.entries[i])) return "an entry's bytes";
    }
    return {};
  }

  Term term_before(Index index) const {
    const auto it = entries.find(index - 1);
    if (it != entries.end()) return it->second.term;
    return index == behind ? floor : 0;
  }
};

// A write that the log must take.
inline Append random_append(const LogModel& model, Random& random, std::uint64_t most_bytes) {
  Append append;
  append.term = model.term + (random.percent(10) ? random.below(3) : 0);
  append.vote = append.term == model.term ? model.vote : random.below(4);
  const std::uint64_t kind = random.below(100);
  if (kind < 8) return append;  // term and vote alone
  if (kind < 12) {
    const Index index = model.cut + 1 + random.below(model.next - model.cut + 10);
    append.reset.emplace(index, random.below(append.term + 1));
    if (random.percent(50)) return append;
    append.first = index + 1;
  } else if (kind < 25) {
    append.first = model.cut + 1 + random.below(model.next - model.cut);
    if (random.percent(20)) return append;
  } else {
    append.first = model.next;
  }
  Term term = append.reset ? append.reset->second : model.term_before(append.first);
  std::uint64_t bytes = 0;
  for (std::uint64_t left = 1 + random.below(4); left > 0; --left) {
    term = std::min(append.term, term + (random.percent(30) ? random.below(3) : 0));
    const std::uint64_t most = random.percent(10) ? most_bytes : 60;
    std::string text(random.below(most), static_cast<char>('a' + random.below(26)));
    Entry entry = entry_of(term, std::move(text), static_cast<EntryKind>(1 + random.below(3)));
    bytes += record_bytes(entry);
    if (bytes > most_bytes) break;
    append.entries.push_back(std::move(entry));
  }
  return append;
}

}  // namespace pawl::engine::testing
