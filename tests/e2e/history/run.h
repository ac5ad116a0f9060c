// SPDX-License-Identifier: Apache-2.0
// What the clients of one run share: what they saw, and what they protect with the locks. All of it
// may be used by any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "e2e/history/api.h"
#include "history/history.h"
#include "simulation/registers.h"

namespace pawl::testing {

// Registers whose every write is an operation of the history (I7).
class FencedRegisters {
 public:
  // Reads and writes with this token, as far as the fence lets it; `between` is called between the
  // two.
  template <class Between>
  void update(SharedHistory& history, Operation write, Between between) {
    const core::ResourceName name = write.resources.front();
    const std::optional<std::uint64_t> base = read(name, write.token);
    if (!base) return;
    between();
    write.kind = OpKind::fenced_write;
    write.base = *base;
    write.value = ++last_value_;
    write.called = now();
    const std::uint64_t value = write.value;
    const core::FencingToken token = write.token;
    const std::size_t op = history.call(std::move(write));
    const std::uint64_t order = this->write(name, token, value);
    history.answer(op, [&](Operation& answered) {
      answered.outcome = order != 0 ? Outcome::ok : Outcome::fail;
      answered.order = order;
      answered.returned = now();
    });
  }
  std::uint64_t refused() const { return refused_.load(); }

 private:
  static Micros now();
  std::optional<std::uint64_t> read(const core::ResourceName& name, core::FencingToken token);
  std::uint64_t write(const core::ResourceName& name, core::FencingToken token,
                      std::uint64_t value);

  std::mutex mutex_;
  std::map<core::ResourceName, Register> all_;
  std::atomic<std::uint64_t> last_value_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
};

// What the service said about the state machine's own time: confirmations from its answers, ends
// from its log (I10).
class StateNotes {
 public:
  void granted(const Wish& wish, const LockAnswer& answer);
  void renewed(const core::LeaseId& lease, const LockAnswer& answer);
  // A whole log of one life.
  void take_log(const std::string& log);

  // In the order in which they happened.
  std::vector<StateEvent> take();
  std::size_t ends() const { return ends_; }

 private:
  std::mutex mutex_;
  std::vector<StateEvent> all_;
  std::set<std::string, std::less<>> max_hold_known_;
  std::size_t ends_ = 0;
};

struct Run {
  std::atomic<std::uint16_t> port = 0;
  std::atomic<bool> over = false;
  SharedHistory history;
  StateNotes notes;
  FencedRegisters registers;

  std::atomic<std::uint64_t> grants = 0;
  std::atomic<std::uint64_t> repeats = 0;  // grants that came back for a lost answer
  std::atomic<std::uint64_t> lost = 0;     // answers that never came

  // What no client may ever be told, whatever failed.
  void problem(std::string text) {
    const std::lock_guard lock(mutex_);
    if (problems_.size() < 20) problems_.push_back(std::move(text));
  }
  std::vector<std::string> problems() {
    const std::lock_guard lock(mutex_);
    return problems_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> problems_;
};

}  // namespace pawl::testing
