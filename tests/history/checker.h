// SPDX-License-Identifier: Apache-2.0
// Judges a history by the invariants I1 to I10: what no client may ever have seen, whatever failed.
// It never cries wolf: what a history leaves open is taken in the service's favour, so that a
// violation is a bug in the service, or a hole in its rules. Pure functions, O(n log n).
//
//   I1  tokens are unique per grant, and a lease gets a new one only by an upgrade
//   I2  a grant that begins later has the larger token
//   I3  definite holds that conflict never overlap
//   I4  release and renew succeed only for the current lease
//   I5  no renewal succeeds after a later grant that could not coexist with it
//   I6  no acquire returns ok with a lease that is already dead
//   I7  a fenced register's accepted tokens never go back, and no update is lost
//   I8  once the faults heal, every waiter is answered within a bound, in order of arrival
//   I9  all nodes hold the same state at the same log index
//   I10 no lease ends before its last accepted renewal + TTL, in state machine time
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "history/history.h"

namespace pawl::testing {

enum class Invariant : std::uint8_t { I1 = 1, I2, I3, I4, I5, I6, I7, I8, I9, I10 };

struct Violation {
  Invariant invariant = Invariant::I1;
  std::vector<std::size_t> operations;  // indices into the history, in the order of the sentence
  core::ResourceName resource;          // empty where no single one is meant
  core::LeaseId lease;                  // I10: the lease that ended
  std::string what;                     // one sentence with the times
};

enum class TokenScope : std::uint8_t {
  service,   // one order over all resources
  resource,  // an order for each resource: backends other than the service
};

struct CheckerOptions {
  TokenScope tokens = TokenScope::service;

  // How much faster than the history's clock the service's may run, in millionths: a lease that was
  // valid for V by an answer is taken to last V * (1 - this) from the sending. The drift allowance
  // by default.
  std::int64_t drift_ppm = 10'000;

  // I8, judged only if `healed` is given: from then on there were no faults. A waiter that was
  // there then or came later, with its client listening, is answered by max(called, healed) + its
  // wait + `answer_bound`. Waits still inside that bound when the run ended, at `ended`, are not
  // judged.
  std::optional<Micros> healed = std::nullopt;
  Micros ended = kNoAnswer;
  Micros answer_bound = std::chrono::seconds(10);

  // For the state machine's own events: a detached grant is abandoned after so long (I10), and an
  // id that is over is not granted again for so long, or ever if it is one of the library's (I6).
  core::Duration give_up = std::chrono::seconds(5);
  core::Duration retention = std::chrono::seconds(60);
  std::size_t most = 100;  // stop after so many violations: the first ones tell
};

[[nodiscard]] std::vector<Violation> check(const History& history,
                                           const CheckerOptions& options = {});

// I9.
struct StateRow {
  std::uint32_t node = 0;
  std::uint64_t index = 0;
  std::uint64_t term = 0;
  std::uint64_t hash = 0;  // of the state after the entry, and of the entry
};
[[nodiscard]] std::vector<Violation> check_same_states(std::vector<StateRow> rows);

// Accepted writes of `kind` that were not computed from the value they replaced: on a plain
// register what fencing is for, on a fenced one a violation.
[[nodiscard]] std::size_t lost_updates(const History& history, OpKind kind);

const char* name_of(Invariant invariant);

}  // namespace pawl::testing
