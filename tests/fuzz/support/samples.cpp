// SPDX-License-Identifier: Apache-2.0
#include "fuzz/support/samples.h"

#include "core/step.h"

namespace pawl::codec::testing {

using namespace pawl::core;
using namespace std::chrono_literals;

namespace {

const Namespace kSpace("default");

Acquire ask(const char* id, const char* resource, Mode mode, Duration wait = 0s) {
  Acquire request;
  request.space = kSpace;
  request.id = LeaseId(id);
  request.terms.owner = OwnerId("worker-1");
  request.terms.resources = {ResourceName(resource)};
  request.terms.mode = mode;
  if (mode == Mode::permit) request.terms.permits = {3, 1};
  request.terms.ttl = 30s;
  request.wait = wait;
  return request;
}

}  // namespace

Acquire full_acquire() {
  Acquire request = ask("lease-0001", "tenant_123:billing-close:2026-04", Mode::permit, 5s);
  request.terms.resources.emplace_back("second");
  request.terms.permits = {10, 3};
  request.terms.max_hold = 2h;
  request.terms.min_hold = 3s;
  request.terms.lock_delay = 4s;
  request.metadata = {{"host", "node-7"}, {"note", "caf\xc3\xa9"}};
  request.ticket = {2, 0xdecafbad};
  request.submitted_once = true;
  return request;
}

std::vector<Command> one_of_each() {
  const LeaseId id("lease-0001");
  ForceRelease force{
      kSpace, ResourceName("job"), ActorId("alice"), "stuck", id, {}, ForceWhen::at_deadline, -5};
  ForceRelease by_token = force;
  by_token.only_lease.reset();
  by_token.only_token = FencingToken{41};
  SetLimits limits;
  limits.limits = {1, 2, 3, 4, 5, 6, 7, 8us, 9us, 10us, 11us, 12, 13, 14, 15, 16us};
  limits.rule_version = 17;
  return {
      {Time(1us), full_acquire()},
      {Time(2us), Renew{kSpace, id, 7s}},
      {Time(3us), Release{kSpace, id}},
      {Time(4us), Upgrade{kSpace, id, FencingToken{40}, 8s, {3, 5}}},
      {Time(5us), Downgrade{kSpace, id, FencingToken{41}}},
      {Time(6us), CancelWait{kSpace, id, {4, 6}, WaitKind::upgrade, CancelReason::gone}},
      {Time(7us), force},
      {Time(8us), by_token},
      {Time(9us), Advance{}},
      {Time(10us), Takeover{}},
      {Time(11us), limits},
  };
}

std::unique_ptr<State> small_state() {
  auto state = std::make_unique<State>(1);
  Duration at = 1s;
  const auto run = [&](CommandBody body) { step(*state, {Time(at += 10ms), std::move(body)}); };

  SetLimits limits;
  limits.limits.max_ttl = kUnlimited;
  run(limits);
  // Readers, one of which waits to write; a writer and a detached waiter behind them.
  run(ask("reader-001", "report", Mode::shared));
  run(ask("reader-002", "report", Mode::shared));
  run(Upgrade{kSpace, LeaseId("reader-001"), FencingToken{1}, 10s, {1, 3}});
  run(Renew{kSpace, LeaseId("reader-002"), 0s});
  run(ask("writer-001", "report", Mode::exclusive, 10s));
  run(ask("writer-002", "report", Mode::exclusive, 10s));
  run(CancelWait{kSpace, LeaseId("writer-001"), {}, WaitKind::acquire, CancelReason::gone});
  // A grant that nobody took up, one that an operator ends at its deadline, one without a deadline.
  run(ask("gone-00001", "gone", Mode::exclusive));
  run(CancelWait{kSpace, LeaseId("gone-00001"), {}, WaitKind::acquire, CancelReason::gone});
  run(ask("doomed-001", "doomed", Mode::exclusive));
  run(ForceRelease{kSpace,
                   ResourceName("doomed"),
                   ActorId("alice"),
                   "stuck",
                   {},
                   {},
                   ForceWhen::at_deadline,
                   1});
  Acquire endless = full_acquire();
  endless.space = Namespace("other");
  endless.terms.ttl = kUnlimited;
  endless.terms.max_hold = 0s;
  run(endless);
  // Closures of each sort, and the ends of those who left them.
  for (const Mode mode : {Mode::exclusive, Mode::shared, Mode::permit}) {
    const char* name = mode == Mode::exclusive ? "closed-1"
                       : mode == Mode::shared  ? "closed-2"
                                               : "closed-3";
    Acquire closing = ask(name, name, mode);
    closing.terms.min_hold = 1h;
    run(closing);
    run(Release{kSpace, closing.id});
  }
  run(ask("busy-00001", "doomed", Mode::exclusive));
  // The detached waiter is passed over.
  at += 1s;
  run(Advance{});
  return state;
}

}  // namespace pawl::codec::testing
