// SPDX-License-Identifier: Apache-2.0
// A history told by lease: who asked for what, which grants were answered, and the definite holds,
// i.e. the times in which a lease was held for certain, whatever the answers that never came would
// have said (I3). Built once, read by every check. Refers to the history, which must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "history/checker.h"
#include "history/history.h"

namespace pawl::testing {

using LeaseIndex = std::uint32_t;
using ResourceIndex = std::uint32_t;

// A token that a lease was answered: its acquire's, or an upgrade's.
struct Grant {
  LeaseIndex lease = 0;
  core::FencingToken token{};
  core::Mode mode = core::Mode::exclusive;
  Micros called{0};    // no sending that could have brought it was earlier
  Micros returned{0};  // it was answered by then
  std::size_t op = 0;
};

// A stretch [from, until) of one lease in one mode.
struct Hold {
  LeaseIndex lease = 0;
  core::FencingToken token{};
  core::Mode mode = core::Mode::exclusive;
  Micros from{0};
  Micros until{0};
  std::size_t op = 0;  // the answer that it begins with
};

struct LeaseStory {
  std::vector<std::size_t> ops;  // that name this lease, in order of their calls
  std::vector<ResourceIndex> resources;
  core::Mode mode = core::Mode::exclusive;
  core::Permits permits;
  Micros asked = kNoAnswer;  // the first acquire was called; kNoAnswer: none was
  std::vector<Grant> grants;
  std::vector<Hold> holds;  // never empty ones
};

class Stories {
 public:
  Stories(const History& history, const CheckerOptions& options);

  std::span<const LeaseStory> leases() const { return leases_; }
  const LeaseStory& lease(LeaseIndex index) const { return leases_[index]; }
  std::size_t resource_count() const { return resources_.size(); }
  const core::ResourceName& resource(ResourceIndex index) const { return *resources_[index]; }
  const Operation& op(std::size_t index) const { return history_.operations[index]; }
  const History& history() const { return history_; }
  const CheckerOptions& options() const { return options_; }

 private:
  // An operator's force-release that named no lease: whom it met is not known.
  struct Sweep {
    Micros called{0};
    Micros all_returned{0};  // this one and all that were called before it
  };

  ResourceIndex index_of(const core::ResourceName& name);
  LeaseIndex index_of(const core::LeaseId& id);
  void collect();
  void find_grants(LeaseIndex index);
  void find_holds(LeaseIndex index);
  Micros held_since(const LeaseStory& story, std::size_t acquire) const;
  Micros held_until(const LeaseStory& story, Micros granted) const;
  Micros valid_until(const Operation& op) const;

  const History& history_;
  const CheckerOptions& options_;
  std::vector<LeaseStory> leases_;
  std::vector<const core::ResourceName*> resources_;
  std::vector<std::vector<Sweep>> sweeps_;  // by resource, in order of their calls
  std::unordered_map<std::string_view, LeaseIndex> lease_index_;
  std::unordered_map<std::string_view, ResourceIndex> resource_index_;
};

// Where the checks put what they find.
class Findings {
 public:
  explicit Findings(std::size_t most) : most_(most) {}
  bool full() const { return found_.size() >= most_; }
  void add(Violation violation) {
    if (!full()) found_.push_back(std::move(violation));
  }
  std::vector<Violation> take() { return std::move(found_); }

 private:
  std::size_t most_;
  std::vector<Violation> found_;
};

void check_tokens(const Stories& stories, Findings& findings);    // I1, I2
void check_holds(const Stories& stories, Findings& findings);     // I3, and I2 for holds
void check_ends(const Stories& stories, Findings& findings);      // I4, I5, I6
void check_register(const History& history, Findings& findings);  // I7
void check_waits(const Stories& stories, Findings& findings);     // I8
void check_lengths(const History& history, const CheckerOptions& options,
                   Findings& findings);  // I10

// "client 3's renew of lease abc (1.0s .. 2.0s)", for a sentence.
std::string tell(const Operation& op);
inline std::string number(core::FencingToken token) {
  return std::to_string(static_cast<std::uint64_t>(token));
}

}  // namespace pawl::testing
