// SPDX-License-Identifier: Apache-2.0
#include "fuzz/support/http_world.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/assert.h"
#include "core/check.h"
#include "fuzz/support/http_answers.h"

namespace pawl::fuzz {
namespace {

using doors::http::Answer;
using doors::http::Reply;
using doors::http::Stream;

constexpr ports::Ticks kStep = std::chrono::seconds(1);
constexpr int kMostSteps = 32;
// Whoever is gone is gone after five seconds; what could not be said at once is said again.
constexpr ports::Ticks kLongEnough = std::chrono::seconds(10);
constexpr std::size_t kMostEvents = 10'000;
const std::string kOtherNode = "127.0.0.1:7421";

// Small, so that a fuzzer meets them.
service::ServiceOptions small_options() {
  service::ServiceOptions options;
  options.limits.max_waiters = 4;
  options.limits.max_leases = 12;
  options.limits.max_records = 40;
  options.limits.max_audit = 4;
  options.limits.max_resources = 4;
  options.long_hold = std::chrono::seconds(5);
  options.feed_events = 16;
  options.renewal_failures = 4;
  options.hold_time_resources = 4;
  return options;
}

}  // namespace

HttpWorld::HttpWorld()
    : service_({store_, loop_, loop_.clock, loop_.wall, random_, secrets_, observer_, metrics_},
               small_options()),
      api_(service_, {}) {
  loop_.run();
}

void HttpWorld::ask(const doors::http::Request& request) {
  Call& call = calls_.emplace_back();
  call.method = request.method;
  const service::CallId id =
      api_.take(request, [this, &call](const Reply& reply) { take_reply(call, reply); });
  PAWL_ASSERT(id == 0 || !call.answered);
  call.id = id;
  loop_.run();
}

void HttpWorld::refuse(const service::Problem& problem) {
  check_answer("GET", doors::http::Api::refusal(problem));
}

void HttpWorld::take_reply(Call& call, const Reply& reply) {
  PAWL_ASSERT(call.open());
  call.answered = true;
  if (const auto* answer = std::get_if<Answer>(&reply)) {
    check_answer(call.method, *answer);
    if (answer->receipt) receipt_ = answer->receipt;
    return;
  }
  const Stream& stream = std::get<Stream>(reply);
  const auto read = service_.feed().read(stream.from, stream.filter, kMostEvents,
                                         [](const service::FeedEvent& event) {
                                           check_event(event);
                                           return true;
                                         });
  PAWL_ASSERT(read.next >= stream.from && !read.more);
}

void HttpWorld::pass(ports::Ticks by) {
  const ports::Ticks longest = std::max(kStep, by / kMostSteps);
  while (by > ports::Ticks{0}) {
    const ports::Ticks step = std::min(by, longest);
    loop_.pass(step);
    if (!store_.held_up) store_.advance();
    by -= step;
  }
  loop_.run();
}

void HttpWorld::hang_up(std::size_t which) {
  for (Call& call : calls_) {
    if (!call.open() || call.id == 0 || which-- > 0) continue;
    call.hung_up = true;
    service_.hung_up(call.id);
    return loop_.run();
  }
}

void HttpWorld::lose_answer() {
  if (!receipt_) return;
  service_.unheard(*std::exchange(receipt_, std::nullopt));
  loop_.run();
}

void HttpWorld::hold_up() { store_.held_up = true; }

void HttpWorld::go_on() {
  store_.held_up = false;
  store_.apply_all();
  loop_.run();
}

void HttpWorld::lose_commands() {
  must_take_over_ = true;
  store_.lose_all();
  loop_.run();
}

void HttpWorld::refuse_commands(std::optional<ports::NotSubmitted> why) {
  if (why && why->why != ports::NotSubmitted::Why::overloaded) must_take_over_ = true;
  store_.refuse = std::move(why);
}

void HttpWorld::leave_office() {
  lose_commands();
  refuse_commands(ports::NotSubmitted{ports::NotSubmitted::Why::not_leader, kOtherNode});
  store_.set_office({false, kOtherNode});
  loop_.run();
}

void HttpWorld::take_office() {
  refuse_commands(std::nullopt);
  if (std::exchange(must_take_over_, false))
    store_.submit(core::Takeover{}, [](const ports::Answer&) {});
  store_.set_office({true, ""});
  loop_.run();
}

void HttpWorld::drain() {
  service_.drain(kStep, [] {});
  loop_.run();
}

void HttpWorld::end() {
  go_on();
  take_office();
  for (std::size_t i = 0; i < calls_.size(); ++i) hang_up(0);
  pass(kLongEnough);
  for (const Call& call : calls_) PAWL_ASSERT(!call.open());
  PAWL_ASSERT(store_.state.waiting == 0);
  const auto wrong = core::check(store_.state);
  if (wrong) (void)std::fprintf(stderr, "the state is broken: %s\n", wrong->c_str());
  PAWL_ASSERT(!wrong);
  check_feed();
}

void HttpWorld::check_feed() {
  (void)service_.feed().read(0, {}, kMostEvents, [](const service::FeedEvent& event) {
    check_event(event);
    return true;
  });
}

}  // namespace pawl::fuzz
