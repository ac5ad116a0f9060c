// SPDX-License-Identifier: Apache-2.0
// The locks, as the service sees them: give a command, be told what became of it. Asynchronous; all
// calls and all callbacks are in the loop (ports/loop.h), and a callback may come before the call
// that it answers returns. Three kinds of answer, and no fourth (P11):
//   Applied       it is on disk, on a majority, and done: the effects say what came of it
//   NotSubmitted  it never reached the log and never will: failed, and safe to try again
//   Unknown       it may have happened, may still happen, or may never: repeat it with the same id
// Every accepted command is answered once, unless the process stops first.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include "core/command.h"
#include "core/effect.h"
#include "core/state.h"

namespace pawl::ports {

struct Applied {
  const core::Effects& effects;  // valid during the callback
};

struct NotSubmitted {
  enum class Why : std::uint8_t {
    overloaded,  // as much is under way as the store takes; nothing grows without bound
    not_leader,  // another node answers, perhaps `leader`
    stopping,
  };
  Why why = Why::overloaded;
  std::string leader;  // not_leader: the address of the one that may be; empty: not known
};

struct Unknown {};

using Answer = std::variant<Applied, NotSubmitted, Unknown>;
using OnAnswer = std::function<void(const Answer&)>;

// A read sees everything that was answered before it was asked for, or is not done at all.
struct Readable {
  const core::State& state;  // valid during the callback; see core/read.h
};
using ReadAnswer = std::variant<Readable, NotSubmitted>;
using OnRead = std::function<void(const ReadAnswer&)>;

// Whether this node may answer. Being `in_office` is never proof that it still leads: only an
// Applied or a Readable is.
struct Office {
  bool in_office = false;  // leads, and has taken over: commands are stamped and logged
  std::string leader;      // if not: the address of the one that may lead; empty: not known
  friend bool operator==(const Office&, const Office&) = default;
};

// Where in the log a command stands: the same on every node and after every restart.
struct LogPosition {
  std::uint64_t index = 0;   // of the entry
  std::uint32_t number = 0;  // of the command in it, from 0
  friend auto operator<=>(const LogPosition&, const LogPosition&) = default;
};

// Hears of everything that is applied, on every node, in the order of the log, also what this node
// did not ask for: grants to those who wait, expiries, what other nodes submitted. Not of what was
// applied before it listened, nor of what came to this node as a snapshot. A command's own OnAnswer
// is called first.
class StoreListener {
 public:
  virtual ~StoreListener() = default;
  virtual void applied(LogPosition where, const core::Command& command,
                       const core::Effects& effects) = 0;
  virtual void office_changed(const Office& office) = 0;
};

class LockStore {
 public:
  virtual ~LockStore() = default;

  // Stamped with the state machine's time now. The body must be one that validate() accepts.
  virtual void submit(core::CommandBody body, OnAnswer done) = 0;
  virtual void read(OnRead done) = 0;
  virtual Office office() const = 0;
  // One at most; nullptr: nobody. It must outlive the store, or be taken back.
  virtual void listen(StoreListener* listener) = 0;
};

}  // namespace pawl::ports
