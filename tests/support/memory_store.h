// SPDX-License-Identifier: Apache-2.0
// A LockStore without a disk: the real core, stamped by a given clock, applied at once or, while it
// is held up, later. For tests of what stands on the store; the engine itself has its own. One
// thread.
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "core/read.h"
#include "core/step.h"
#include "ports/clock.h"
#include "ports/lock_store.h"

namespace pawl::testing {

class MemoryStore final : public ports::LockStore {
 public:
  explicit MemoryStore(const ports::Clock& clock) : clock_(clock) {}

  void submit(core::CommandBody body, ports::OnAnswer done) override {
    if (refuse) return done(*refuse);
    pending_.push_back({{core::Time(clock_.now()), std::move(body)}, std::move(done)});
    if (!held_up) apply_all();
  }
  void read(ports::OnRead done) override {
    if (refuse) return done(*refuse);
    done(ports::Readable{state});
  }
  ports::Office office() const override { return office_; }
  void listen(ports::StoreListener* listener) override { listener_ = listener; }

  // What waits is applied.
  void apply_all() {
    while (!pending_.empty()) {
      Pending next = std::move(pending_.front());
      pending_.pop_front();
      apply(next.command, next.done);
    }
  }
  // What waits is in the log, or not: nobody will say.
  void lose_all() {
    while (!pending_.empty()) {
      const ports::OnAnswer done = std::move(pending_.front().done);
      pending_.pop_front();
      done(ports::Unknown{});
    }
  }
  // Ends what is due by now, as the engine does of itself.
  void advance() { apply({core::Time(clock_.now()), core::Advance{}}, {}); }
  void set_office(ports::Office office) {
    office_ = std::move(office);
    if (listener_ != nullptr) listener_->office_changed(office_);
  }

  // How many commands were applied.
  std::uint64_t applied() const { return where_.index; }

  core::State state;
  bool held_up = false;
  std::optional<ports::NotSubmitted> refuse;

 private:
  struct Pending {
    core::Command command;
    ports::OnAnswer done;
  };

  void apply(const core::Command& command, const ports::OnAnswer& done) {
    const core::Effects effects = core::step(state, command);
    ++where_.index;
    if (done) done(ports::Applied{effects});
    if (listener_ != nullptr) listener_->applied(where_, command, effects);
  }

  const ports::Clock& clock_;
  ports::Office office_{true, ""};
  ports::StoreListener* listener_ = nullptr;
  ports::LogPosition where_;
  std::deque<Pending> pending_;
};

}  // namespace pawl::testing
