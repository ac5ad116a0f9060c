// SPDX-License-Identifier: Apache-2.0
// A bench for trying one rule at a time: a state, its time, and short words for commands. Every
// command is followed by a full check of the state. For unit tests; one thread.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/read.h"
#include "core/step.h"

namespace pawl::testing {

inline const core::Namespace kSpace{"default"};

inline core::LeaseId id(const std::string& name) { return core::LeaseId("lease-" + name + "-0"); }

// What a client asks for, one word at a time: ask("a", "db").shared().wait(5s)
struct Ask : core::Acquire {
  Ask(const std::string& name, std::vector<std::string> resources) {
    space = kSpace;
    core::Acquire::id = testing::id(name);
    terms.owner = core::OwnerId("owner-" + name);
    for (std::string& resource : resources) terms.resources.emplace_back(std::move(resource));
    terms.ttl = std::chrono::seconds(10);
  }
  Ask& shared() { return terms.mode = core::Mode::shared, *this; }
  Ask& permits(std::uint32_t limit, std::uint32_t count) {
    terms.mode = core::Mode::permit;
    terms.permits = {limit, count};
    return *this;
  }
  Ask& ttl(core::Duration value) { return terms.ttl = value, *this; }
  Ask& waiting(core::Duration value = std::chrono::seconds(60)) { return wait = value, *this; }
  Ask& max_hold(core::Duration value) { return terms.max_hold = value, *this; }
  Ask& min_hold(core::Duration value) { return terms.min_hold = value, *this; }
  Ask& lock_delay(core::Duration value) { return terms.lock_delay = value, *this; }
  Ask& attempt(std::uint32_t attempt, std::uint32_t door = 0) {
    return ticket = {attempt, door}, *this;
  }
};
inline Ask ask(const std::string& name, const std::string& resource) { return {name, {resource}}; }
inline Ask ask_all(const std::string& name, std::vector<std::string> resources) {
  return {name, std::move(resources)};
}

// All effects of one kind, in order.
template <class E>
std::vector<E> all(const core::Effects& effects) {
  std::vector<E> found;
  for (const core::Effect& effect : effects.all) {
    if (const E* one = std::get_if<E>(&effect)) found.push_back(*one);
  }
  return found;
}

// The reply, which must be an E.
template <class E>
E reply(const core::Effects& effects) {
  const E* found = std::get_if<E>(&effects.reply());
  EXPECT_NE(found, nullptr) << "the reply is of kind " << effects.reply().index();
  return found == nullptr ? E{} : *found;
}

class Lab {
 public:
  core::State state;
  core::Time now{};

  core::Effects run(core::CommandBody body) {
    core::Effects effects = core::step(state, {now, std::move(body)});
    const auto broken = core::check(state);
    EXPECT_FALSE(broken.has_value()) << *broken;
    return effects;
  }
  // Time passes, and then an Advance is logged.
  core::Effects pass(core::Duration by) {
    now += by;
    return run(core::Advance{});
  }
  core::Effects acquire(core::Acquire request) { return run(std::move(request)); }
  // Acquires what must be free.
  core::Granted take(core::Acquire request) {
    return reply<core::Granted>(run(std::move(request)));
  }
  // Asks for what must be taken, and waits.
  core::Queued queue(core::Acquire request) {
    if (request.wait == core::Duration::zero()) request.wait = std::chrono::seconds(60);
    return reply<core::Queued>(run(std::move(request)));
  }
  core::Effects renew(const std::string& name, core::Duration ttl = core::Duration::zero()) {
    return run(core::Renew{kSpace, id(name), ttl});
  }
  core::Effects release(const std::string& name) { return run(core::Release{kSpace, id(name)}); }
  core::Effects upgrade(const std::string& name, core::FencingToken known,
                        core::Duration wait = core::Duration::zero(), core::Ticket ticket = {}) {
    return run(core::Upgrade{kSpace, id(name), known, wait, ticket});
  }
  core::Effects downgrade(const std::string& name, core::FencingToken known) {
    return run(core::Downgrade{kSpace, id(name), known});
  }
  core::Effects cancel(const std::string& name, core::CancelReason reason, core::Ticket ticket = {},
                       core::WaitKind kind = core::WaitKind::acquire) {
    return run(core::CancelWait{kSpace, id(name), ticket, kind, reason});
  }
  core::Effects force(const std::string& resource, core::ForceWhen when = core::ForceWhen::now) {
    return run(core::ForceRelease{
        kSpace, core::ResourceName(resource), core::ActorId("ops"), "stuck", {}, {}, when, 0});
  }
  bool holds(const std::string& name) const {
    const auto view = core::show_lease(state, kSpace, id(name));
    return view && !view->waiting;
  }
  bool waits(const std::string& name) const {
    const auto view = core::show_lease(state, kSpace, id(name));
    return view && view->waiting;
  }
};

}  // namespace pawl::testing
