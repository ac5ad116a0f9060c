// SPDX-License-Identifier: Apache-2.0
#include "schedules/shrink.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace pawl::testing {
namespace {

using std::chrono::seconds;

bool remove_chunks(Schedule& schedule, std::size_t size, const Fails& fails) {
  bool removed = false;
  for (std::size_t begin = 0; begin < schedule.size();) {
    const std::size_t end = std::min(begin + size, schedule.size());
    Schedule rest(schedule.begin(), schedule.begin() + static_cast<std::ptrdiff_t>(begin));
    rest.insert(rest.end(), schedule.begin() + static_cast<std::ptrdiff_t>(end), schedule.end());
    if (fails(rest)) {
      schedule = std::move(rest);
      removed = true;
    } else {
      begin = end;
    }
  }
  return removed;
}

void remove_commands(Schedule& schedule, const Fails& fails) {
  for (std::size_t size = std::max<std::size_t>(schedule.size() / 2, 1); size > 1; size /= 2) {
    remove_chunks(schedule, size, fails);
  }
  while (remove_chunks(schedule, 1, fails)) {
  }
}

// Simpler versions of one command, each with one thing changed. No change leads back to an earlier
// version.
class Simpler {
 public:
  explicit Simpler(const core::Command& command) : command_(command) {
    std::visit([this](const auto& body) { add(body); }, command.body);
    std::erase(all_, command);
  }
  std::vector<core::Command> take() { return std::move(all_); }

 private:
  void push(core::CommandBody body) { all_.push_back({command_.at, std::move(body)}); }

  template <class Body, class Change>
  void with(const Body& body, Change change) {
    Body changed = body;
    change(changed);
    push(std::move(changed));
  }

  void add(const core::Acquire& body) {
    with(body, [](auto& b) { b.metadata.clear(); });
    with(body, [](auto& b) { b.submitted_once = false; });
    with(body, [](auto& b) { b.ticket = {}; });
    with(body, [](auto& b) { b.space = core::Namespace("default"); });
    with(body, [](auto& b) { b.terms.max_hold = {}; });
    with(body, [](auto& b) { b.terms.min_hold = {}; });
    with(body, [](auto& b) { b.terms.lock_delay = {}; });
    with(body, [](auto& b) { b.terms.ttl = seconds(10); });
    with(body, [](auto& b) { b.terms.owner = core::OwnerId("w1"); });
    with(body, [](auto& b) { b.wait = {}; });
    if (body.wait != core::Duration{}) with(body, [](auto& b) { b.wait = seconds(10); });
    with(body, [](auto& b) {
      b.terms.mode = core::Mode::exclusive;
      b.terms.permits = {};
    });
    for (std::size_t i = 0; i < body.terms.resources.size(); ++i) {
      with(body, [i](auto& b) {
        b.terms.resources.erase(b.terms.resources.begin() + static_cast<std::ptrdiff_t>(i));
      });
    }
  }
  void add(const core::Renew& body) {
    with(body, [](auto& b) { b.ttl = {}; });
  }
  void add(const core::Upgrade& body) {
    with(body, [](auto& b) { b.ticket = {}; });
    with(body, [](auto& b) { b.wait = {}; });
    if (body.wait != core::Duration{}) with(body, [](auto& b) { b.wait = seconds(10); });
  }
  void add(const core::CancelWait& body) {
    with(body, [](auto& b) { b.ticket = {}; });
    with(body, [](auto& b) { b.reason = core::CancelReason::timeout; });
  }
  void add(const core::ForceRelease& body) {
    with(body, [](auto& b) { b.only_lease.reset(); });
    with(body, [](auto& b) { b.only_token.reset(); });
    with(body, [](auto& b) { b.wall_ms = 0; });
    with(body, [](auto& b) { b.when = core::ForceWhen::now; });
  }
  void add(const core::SetLimits& body) {
    const core::Limits usual;
    with(body, [&](auto& b) { b.limits.max_leases = usual.max_leases; });
    with(body, [&](auto& b) { b.limits.max_waiters = usual.max_waiters; });
    with(body, [&](auto& b) { b.limits.max_records = usual.max_records; });
    with(body, [&](auto& b) { b.limits.max_audit = usual.max_audit; });
    with(body, [&](auto& b) { b.limits.retention = usual.retention; });
    with(body, [&](auto& b) { b.limits.max_resources = usual.max_resources; });
  }
  template <class Body>
  void add(const Body&) {
    push(core::Advance{});
  }

  const core::Command& command_;
  std::vector<core::Command> all_;
};

bool replace(Schedule& schedule, std::size_t i, core::Command simpler, const Fails& fails) {
  if (simpler == schedule[i]) return false;
  std::swap(schedule[i], simpler);
  if (fails(schedule)) return true;
  std::swap(schedule[i], simpler);
  return false;
}

bool simplify_once(Schedule& schedule, std::size_t i, const Fails& fails) {
  for (const core::Command& simpler : Simpler(schedule[i]).take()) {
    if (replace(schedule, i, simpler, fails)) return true;
  }
  return false;
}

// The time of the command before it, or else a whole second.
void simplify_time(Schedule& schedule, std::size_t i, const Fails& fails) {
  const core::Time before = i == 0 ? core::Time{} : schedule[i - 1].at;
  if (schedule[i].at == before || replace(schedule, i, {before, schedule[i].body}, fails)) return;
  const core::Time whole(std::chrono::floor<seconds>(schedule[i].at.time_since_epoch()));
  if (!replace(schedule, i, {whole, schedule[i].body}, fails)) {
    replace(schedule, i, {whole + seconds(1), schedule[i].body}, fails);
  }
}

void simplify_fields(Schedule& schedule, const Fails& fails) {
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    while (simplify_once(schedule, i, fails)) {
    }
    simplify_time(schedule, i, fails);
  }
}

}  // namespace

Schedule shrink(Schedule schedule, const Fails& fails) {
  remove_commands(schedule, fails);
  simplify_fields(schedule, fails);
  remove_commands(schedule, fails);
  return schedule;
}

}  // namespace pawl::testing
