// SPDX-License-Identifier: Apache-2.0
// Clients of a pawl_lock_child: they send, take the answers into a ledger, and notice when the
// child is gone. One thread; nothing sleeps, every wait ends with an answer, the child or a
// deadline.
#pragma once

#include <cstdint>
#include <string>

#include "faults/child_process.h"
#include "faults/ledger.h"
#include "support/random.h"

namespace pawl::testing {

// The one clock of all histories.
Micros clock_now();

enum class Heard : std::uint8_t { answer, nothing, end };  // `nothing`: the deadline came first

class Clients {
 public:
  // Both must outlive it.
  Clients(ChildProcess& child, Ledger& ledger) : child_(child), ledger_(ledger) {}

  // The line is one of the ledger's, which counts it as sent whether or not anybody reads it.
  void send(const std::string& line) { static_cast<void>(child_.send(line)); }
  Heard hear(Moment deadline);
  // All that is under way is answered. False: the child is gone.
  bool settle();
  // Takes what a dead child had still said.
  void last_words();

  // What is held is what was answered.
  bool audit();
  bool ask_again();
  // A new lease is granted, renewed and released.
  bool works_on(const std::string& lease);

 private:
  ChildProcess& child_;
  Ledger& ledger_;
};

// Commands at random on a few resources: leases that last, and some that expire soon.
class RandomLoad {
 public:
  RandomLoad(std::uint64_t seed, Ledger& ledger) : random_(seed), ledger_(ledger) {}

  // Keeps some commands under way until `moment`, or until the child is gone: then false.
  bool run(Clients& clients, Moment moment);

 private:
  std::string next();

  Random random_;
  Ledger& ledger_;
  std::uint64_t leases_ = 0;
};

// The same commands every time, a few at once. False: the child has gone before the end.
bool run_fixed_load(Clients& clients, Ledger& ledger, int rounds);

// One command at a time: acquires leases of an hour until `count` are granted, or the child is
// gone: then false. With `stop`: none may be answered once the disk has failed.
bool acquire_one_by_one(Clients& clients, Ledger& ledger, int count, const StopAt* stop = nullptr);

}  // namespace pawl::testing
