// SPDX-License-Identifier: Apache-2.0
// What the clients of a run saw: every operation with its call, its answer and its times, all read
// from one monotonic clock. The checker (history/checker.h) judges it afterwards; nothing here
// does. History is a plain value for one thread; SharedHistory is the same behind a mutex, for real
// clients.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/names.h"
#include "core/time.h"

namespace pawl::testing {

using Micros = std::chrono::microseconds;
inline constexpr Micros kNoAnswer = Micros::max();  // `returned` of an operation that never did

enum class OpKind : std::uint8_t {
  acquire,
  renew,
  release,
  upgrade,
  downgrade,
  force_release,
  fenced_write,  // to a register that refuses tokens older than the newest it has seen
  plain_write,   // the same to one that takes all: counted, never a violation
};

enum class Outcome : std::uint8_t {
  unknown,  // no answer came: it may have happened, may happen still, or never
  ok,
  fail,
};

// Whether the answer said that the lease is over, for good.
enum class Over : std::uint8_t { no, released, otherwise };

// One logical operation with all its re-sends. Only `kind`, `outcome` and the times are needed of
// all; what else is needed of a kind is said at the field. A lease id names one lease in the whole
// history.
struct Operation {
  OpKind kind = OpKind::acquire;
  Outcome outcome = Outcome::unknown;
  std::uint32_t client = 0;
  core::LeaseId lease;  // force_release: the only lease it may end, empty for any holder
  std::vector<core::ResourceName> resources;  // acquire, force_release, writes
  core::Mode mode = core::Mode::exclusive;    // acquire: as asked
  core::Permits permits;                      // acquire in permit mode

  Micros called{0};            // the first sending
  std::optional<Micros> sent;  // the sending that was answered, if it was a later one
  Micros returned = kNoAnswer;

  core::FencingToken token{};  // ok: as answered; writes: as carried
  core::FencingToken known{};  // upgrade, downgrade: the token that the caller named
  Micros valid_for{0};         // ok acquire, renew, upgrade, downgrade: the time left, as answered
  Micros ttl{0};               // acquire: as asked
  Micros wait{0};              // acquire, upgrade: how long it was ready to wait
  bool waited = false;       // ok acquire: it was waited for, and counts as held once renewed (P4)
  Over over = Over::no;      // the answer said so
  bool at_deadline = false;  // force_release: of the gentle kind
  bool listening = true;     // false: the client went away, and is owed no answer (I8)
  std::optional<Micros>
      queued_by;  // acquire: known to stand in the queue since then or before (I8)

  std::uint64_t base = 0;   // writes: the value that this one was computed from
  std::uint64_t value = 0;  // writes: the value written; never the same twice
  std::uint64_t order = 0;  // writes: when the register did it, counted from 1; zero: not known

  Micros last_sent() const { return sent.value_or(called); }
};

// What the state machine itself reports, dated in its own time (I10). Optional.
struct StateEvent {
  enum class Kind : std::uint8_t {
    granted,
    renewed,
    detached,  // nobody is connected for a grant that was not yet renewed,
    attached,  // and now somebody is again
    expired,   // ended, and why
    max_hold_over,
    abandoned,
    doomed_over,  // force-released at its deadline
    other_end,    // released, force-released at once, or never granted at all: at any time
  };
  Kind kind = Kind::granted;
  core::LeaseId lease;
  core::Time at{};
  core::Duration ttl{0};       // granted, renewed: how long it counts from `at`
  core::Duration max_hold{0};  // granted: zero if none
};

struct History {
  std::vector<Operation> operations;
  std::vector<StateEvent> state_events;  // in the order in which they happened

  // Notes the call of an operation, outcome unknown; the answer is filled in under the index
  // returned.
  std::size_t call(Operation operation);
  Operation& at(std::size_t index) { return operations[index]; }

  // FNV-1a over everything: equal histories, equal digests.
  std::uint64_t digest() const;
};

// For clients in threads of their own.
class SharedHistory {
 public:
  std::size_t call(Operation operation);

  // `fill` gets the operation of that index: outcome, returned, and what was answered.
  template <class Fill>
  void answer(std::size_t index, Fill&& fill) {
    const std::lock_guard lock(mutex_);
    fill(history_.at(index));
  }

  void note(StateEvent event);
  History take();  // what was recorded; the recorder is empty afterwards

 private:
  std::mutex mutex_;
  History history_;
};

const char* name_of(OpKind kind);
const char* name_of(Outcome outcome);
const char* name_of(core::Mode mode);

// "12.345678s": a time or a length of time, for people.
std::string to_seconds(Micros time);

// One line: `   3.120000s ..   3.140000s  client 4  acquire stock exclusive -> ok token 17 ...`.
std::string to_line(const Operation& operation);

}  // namespace pawl::testing
