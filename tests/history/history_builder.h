// SPDX-License-Identifier: Apache-2.0
// Histories in one line per operation, for the tests of the checker. Times are milliseconds.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "history/checker.h"
#include "history/history.h"

namespace pawl::testing {

constexpr Micros ms(std::int64_t count) { return std::chrono::milliseconds(count); }

class Build {
 public:
  // An acquire of "stock", exclusive, TTL 10 s, answered ok at once; change what a test is about.
  Operation& acquire(const std::string& lease, std::uint64_t token, int called, int returned) {
    Operation& op = add(OpKind::acquire, lease, called, returned);
    op.token = core::FencingToken{token};
    op.resources = {core::ResourceName("stock")};
    op.ttl = op.valid_for = ms(10'000);
    return op;
  }
  Operation& shared(const std::string& lease, std::uint64_t token, int called, int returned) {
    Operation& op = acquire(lease, token, called, returned);
    op.mode = core::Mode::shared;
    return op;
  }
  Operation& permit(const std::string& lease, std::uint64_t token, std::uint32_t count, int called,
                    int returned) {
    Operation& op = acquire(lease, token, called, returned);
    op.mode = core::Mode::permit;
    op.permits = {3, count};
    return op;
  }
  Operation& renew(const std::string& lease, std::uint64_t token, int called, int returned) {
    Operation& op = add(OpKind::renew, lease, called, returned);
    op.token = core::FencingToken{token};
    op.valid_for = ms(10'000);
    return op;
  }
  Operation& release(const std::string& lease, int called, int returned) {
    return add(OpKind::release, lease, called, returned);
  }
  Operation& upgrade(const std::string& lease, std::uint64_t from, std::uint64_t to, int called,
                     int returned) {
    Operation& op = renew(lease, to, called, returned);
    op.kind = OpKind::upgrade;
    op.known = core::FencingToken{from};
    return op;
  }
  Operation& downgrade(const std::string& lease, std::uint64_t token, int called, int returned) {
    Operation& op = renew(lease, token, called, returned);
    op.kind = OpKind::downgrade;
    op.known = core::FencingToken{token};
    return op;
  }
  Operation& force(const std::string& lease, int called, int returned) {
    Operation& op = add(OpKind::force_release, lease, called, returned);
    op.resources = {core::ResourceName("stock")};
    return op;
  }
  Operation& write(std::uint64_t token, std::uint64_t base, std::uint64_t value, int called,
                   int returned) {
    Operation& op = add(OpKind::fenced_write, "", called, returned);
    op.resources = {core::ResourceName("stock")};
    op.token = core::FencingToken{token};
    op.base = base;
    op.value = value;
    return op;
  }
  void event(StateEvent::Kind kind, const std::string& lease, int at, int ttl = 0,
             int max_hold = 0) {
    history.state_events.push_back(
        {kind, core::LeaseId(lease), core::Time(ms(at)), ms(ttl), ms(max_hold)});
  }

  // The invariants found violated, in order of their numbers, each once: "I2 I3".
  std::string found(const CheckerOptions& options = {}) const {
    bool seen[11] = {};
    for (const Violation& violation : check(history, options)) {
      seen[static_cast<std::size_t>(violation.invariant)] = true;
      EXPECT_NE(violation.what, "");
      for (const std::size_t op : violation.operations) EXPECT_LT(op, history.operations.size());
    }
    std::string names;
    for (int i = 1; i <= 10; ++i) {
      if (!seen[i]) continue;
      if (!names.empty()) names += " ";
      names += name_of(static_cast<Invariant>(i));
    }
    return names;
  }

  History history;

 private:
  Operation& add(OpKind kind, const std::string& lease, int called, int returned) {
    Operation op;
    op.kind = kind;
    op.outcome = Outcome::ok;
    op.lease = core::LeaseId(lease);
    op.called = ms(called);
    op.returned = ms(returned);
    return history.at(history.call(std::move(op)));
  }
};

// The answer got lost.
inline void lose(Operation& op) {
  op.outcome = Outcome::unknown;
  op.returned = kNoAnswer;
}

// The answer said no, and that the lease is over.
inline void refuse(Operation& op, Over over = Over::otherwise) {
  op.outcome = Outcome::fail;
  op.over = over;
}

}  // namespace pawl::testing
