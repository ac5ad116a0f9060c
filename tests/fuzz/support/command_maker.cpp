// SPDX-License-Identifier: Apache-2.0
#include "fuzz/support/command_maker.h"

#include <algorithm>
#include <string>

#include "core/read.h"

namespace pawl::codec::testing {
namespace {

using namespace pawl::core;
using namespace std::chrono_literals;

constexpr std::size_t kRemembered = 24;

std::string padded(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(8 - std::min<std::size_t>(8, digits.size()), '0') + digits;
}

}  // namespace

Command CommandMaker::next(const State& state) {
  Duration step{0};
  switch (choices_.below(12)) {
    case 0:
    case 1:
      step = 1ms * choices_.below(200);
      break;
    case 2:
      step = 100ms * choices_.below(20);
      break;
    case 3:
      step = 1s * choices_.below(4);
      break;
    case 4:
      step = next_due(state) == kNever ? 0s : next_due(state) - state.now;
      break;
    case 5:
      step = -10ms;
      break;
    default:
      break;
  }
  if (step > 24h) step = 1s;
  const Time at = step < 0s ? std::max(Time{}, state.now + step) : after(state.now, step);
  return {at, body(state)};
}

CommandBody CommandMaker::body(const State& state) {
  const std::uint64_t choice = choices_.below(100);
  if (choice < 34) return new_acquire();
  if (choice < 42) return again();
  if (choice < 50) {
    const Known lease = known();
    return Renew{lease.space, lease.id, choices_.chance(30) ? Duration(5s) : Duration(0)};
  }
  if (choice < 58) {
    const Known lease = known();
    return Release{lease.space, lease.id};
  }
  if (choice < 68) return upgrade(state);
  if (choice < 72) return downgrade(state);
  if (choice < 84) {
    const Known lease = known();
    return CancelWait{lease.space, lease.id, ticket(),
                      choices_.chance(30) ? WaitKind::upgrade : WaitKind::acquire,
                      choices_.chance(75) ? CancelReason::gone : CancelReason::timeout};
  }
  if (choice < 90) return force_release(state);
  if (choice < 96) return Advance{};
  if (choice < 98) return Takeover{};
  return set_limits();
}

Acquire CommandMaker::new_acquire() {
  Acquire request;
  request.space = Namespace(choices_.chance(15) ? "other" : "default");
  ++made_;
  request.id =
      LeaseId(choices_.chance(10) ? "p1_" + padded(made_) + "_0123456789abcdef0123456789abcdef"
                                  : "lease-" + padded(made_));
  Terms& terms = request.terms;
  terms.owner = OwnerId("worker-" + std::to_string(choices_.below(5)));
  terms.mode = choices_.pick(
      {Mode::exclusive, Mode::exclusive, Mode::shared, Mode::shared, Mode::shared, Mode::permit});
  const bool permit = terms.mode == Mode::permit;
  if (permit) {
    terms.permits = {choices_.chance(95) ? 5U : 4U,
                     static_cast<std::uint32_t>(1 + choices_.below(2))};
  }
  const std::uint64_t resources = choices_.chance(20) ? 1 + choices_.below(3) : 1;
  for (std::uint64_t i = 0; i < resources; ++i) {
    ResourceName name = resource(permit);
    if (std::count(terms.resources.begin(), terms.resources.end(), name) == 0) {
      terms.resources.push_back(std::move(name));
    }
  }
  terms.ttl = choices_.pick<Duration>({1s, 3s, 10s, 10s, 60s, kUnlimited});
  if (choices_.chance(12)) terms.max_hold = choices_.pick<Duration>({2s, 20s});
  if (choices_.chance(12)) terms.min_hold = choices_.pick<Duration>({1s, 5s, 30s});
  if (choices_.chance(12)) terms.lock_delay = choices_.pick<Duration>({1s, 5s, 30s});
  if (choices_.chance(65)) request.wait = 30s;
  if (choices_.chance(15)) request.metadata = {{"host", "caf\xc3\xa9"}, {"empty", ""}};
  request.ticket = ticket();
  request.submitted_once = choices_.chance(20);
  if (asked_.size() == kRemembered) asked_.erase(asked_.begin());
  asked_.push_back(request);
  return request;
}

// An earlier request once more, as a client does that heard nothing.
Acquire CommandMaker::again() {
  if (asked_.empty()) return new_acquire();
  Acquire request = asked_[choices_.below(asked_.size())];
  request.ticket = ticket();
  if (choices_.chance(10)) request.wait = 0s;
  if (choices_.chance(5)) request.terms.ttl = 7s;
  return request;
}

Upgrade CommandMaker::upgrade(const State& state) {
  const Known lease = known_in(state, Mode::shared);
  const auto shown = show_lease(state, lease.space, lease.id);
  return {lease.space, lease.id, shown ? shown->lease.token : FencingToken{7},
          choices_.chance(70) ? Duration(10s) : Duration(0), ticket()};
}

Downgrade CommandMaker::downgrade(const State& state) {
  const Known lease = known_in(state, Mode::exclusive);
  const auto shown = show_lease(state, lease.space, lease.id);
  return {lease.space, lease.id, shown ? shown->lease.token : FencingToken{7}};
}

ForceRelease CommandMaker::force_release(const State& state) {
  const Known lease = known_in(state, choices_.pick({Mode::exclusive, Mode::shared, Mode::permit}));
  const auto shown = show_lease(state, lease.space, lease.id);
  ForceRelease command;
  command.space = lease.space;
  command.resource = shown ? shown->lease.terms.resources[0] : resource(false);
  command.actor = ActorId("operator-1");
  command.reason = "stuck since \xe2\x80\xa6";
  if (choices_.chance(30)) {
    command.only_lease = lease.id;
  } else if (shown && choices_.chance(30)) {
    command.only_token = shown->lease.token;
  }
  command.when = choices_.chance(60) ? ForceWhen::at_deadline : ForceWhen::now;
  command.wall_ms = 1'700'000'000'000;
  return command;
}

SetLimits CommandMaker::set_limits() {
  SetLimits command;
  command.limits.retention = choices_.pick<Duration>({2s, 20s, 60s});
  if (choices_.chance(70)) command.limits.max_ttl = kUnlimited;
  command.limits.max_audit = choices_.pick({3U, 10'000U});
  command.limits.max_leases = choices_.pick<std::uint64_t>({20, 1'000'000});
  if (choices_.chance(10)) command.rule_version = 2;
  return command;
}

ResourceName CommandMaker::resource(bool permit) {
  if (choices_.chance(1)) return ResourceName("not\na name");
  const char* kind = permit || choices_.chance(2) ? "api:" : "job:";
  return ResourceName(kind + std::to_string(choices_.below(4)));
}

Ticket CommandMaker::ticket() {
  return {choices_.chance(80) ? 1U : 2U, choices_.chance(80) ? 0U : 9U};
}

CommandMaker::Known CommandMaker::known() {
  if (asked_.empty() || choices_.chance(3)) {
    return {Namespace("default"), LeaseId("never-" + padded(choices_.below(100)))};
  }
  const Acquire& request = asked_[choices_.below(asked_.size())];
  return {request.space, request.id};
}

CommandMaker::Known CommandMaker::known_in(const State& state, Mode mode) {
  Known lease = known();
  for (int tries = 0; tries < 6; ++tries) {
    const auto shown = show_lease(state, lease.space, lease.id);
    if (shown && !shown->waiting && shown->lease.mode == mode) break;
    lease = known();
  }
  return lease;
}

}  // namespace pawl::codec::testing
