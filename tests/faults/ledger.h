// SPDX-License-Identifier: Apache-2.0
// What the clients of a service that is killed again and again know: what they asked for, and what
// they were answered. After each restart it compares that with what is held, and at the end gives
// the whole history to the checker (history/checker.h). Each promise that was broken is a sentence
// in problems(). A plain value for one thread; times are given by the caller, from one clock.
//
// A lease has at most one command under way, and is exclusive.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "faults/reply.h"
#include "history/history.h"

namespace pawl::testing {

class Ledger {
 public:
  // Each gives the line to send, which counts as sent at `now`.
  std::string acquire(Micros now, const std::string& lease, const std::string& resource,
                      std::chrono::milliseconds ttl);
  std::string renew(Micros now, const std::string& lease);
  std::string release(Micros now, const std::string& lease);
  // Nothing else may be under way until it is answered.
  std::string list(Micros now);

  // A line of the child's.
  void take(Micros now, const std::string& line);
  // The process is gone, and all its lines were taken: what is under way stays without an answer.
  void died();
  // The acquires and releases that were never answered, asked for again.
  std::vector<std::string> ask_again(Micros now);

  std::size_t under_way() const { return under_way_.size(); }
  // Granted, not known to be over, and without a command under way.
  std::vector<std::string> held() const;
  std::size_t unanswered() const { return lost_.size(); }
  std::size_t grants() const { return grants_; }  // that were answered
  // What the last list named.
  const std::vector<ListedLease>& listed() const { return listed_; }

  const std::vector<std::string>& problems() const { return problems_; }
  // Of the history as a whole.
  std::vector<std::string> judge() const;

 private:
  enum class Verb : std::uint8_t { acquire, renew, release, list };

  struct Lease {
    std::string resource;
    std::chrono::milliseconds ttl{0};
    std::size_t acquired_by = 0;  // operations in the history
    std::size_t released_by = 0;
    std::uint64_t older_token = 0;  // the largest that was answered before it was asked for
    std::uint64_t token = 0;        // answered, or seen in a list; zero: neither
    bool granted = false;           // answered
    core::Time deadline{};          // as answered
    bool failed = false;            // answered: never submitted
    bool release_sent = false;
    std::string over;   // the cause, as answered
    bool busy = false;  // a command is under way
  };
  struct Sent {
    Verb verb = Verb::list;
    std::string lease;
    std::size_t op = 0;
    Micros at{0};
    core::Time state_time{};  // the latest that was answered before
  };

  std::string send(Micros now, Verb verb, const std::string& lease, std::size_t op);
  void problem(const std::string& text) { problems_.push_back(text); }
  void answer(Micros now, const Sent& sent, const Reply& reply);
  void check_time(Micros now, const Sent& sent, const Reply& reply);
  void confirmed(const Sent& sent, const Reply& reply);
  void ended(const Sent& sent, const Reply& reply);
  void refused(const Sent& sent, const Reply& reply);
  void learn_token(const std::string& name, std::uint64_t token);
  void audit(const Reply& list);
  void audit_missing(const std::string& name, const Lease& lease, core::Time now);
  void audit_present(const ListedLease& listed);

  History history_;
  std::map<std::string, Lease> leases_;
  std::map<std::uint64_t, std::string> tokens_;
  std::map<std::uint64_t, Sent> under_way_;
  std::vector<Sent> lost_;
  std::vector<ListedLease> listed_;
  std::vector<std::string> problems_;
  std::uint64_t last_number_ = 0;
  std::uint64_t largest_token_ = 0;
  std::size_t grants_ = 0;
  core::Time latest_{};           // the largest state time answered
  std::optional<Micros> offset_;  // the smallest (state time - clock when asked)
};

}  // namespace pawl::testing
