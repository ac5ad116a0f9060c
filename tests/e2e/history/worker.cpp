// SPDX-License-Identifier: Apache-2.0
#include "e2e/history/worker.h"

#include <algorithm>
#include <thread>

#include "faults/workload.h"

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kDoors = 4;
constexpr core::Permits kSeats{3, 1};
// On this one the operator releases whoever holds it.
const core::ResourceName kSwept("swept");

core::ResourceName door(std::uint64_t number) {
  return core::ResourceName("door-" + std::to_string(number));
}

// Whether the answer said that the lease is over.
Over over_by(const Operation& op, const LockAnswer& answer) {
  if (answer.status == 410 || answer.status == 404)
    return answer.cause == "released" ? Over::released : Over::otherwise;
  const bool never_held = (op.kind == OpKind::acquire && !answer.yes) ||
                          (op.kind == OpKind::release && answer.yes && answer.cause != "released");
  return answer.status == 200 && never_held ? Over::otherwise : Over::no;
}

// What a client of these tests may be told. Anything else is a bug of the service, or of the test.
bool is_expected(const Operation& op, const LockAnswer& answer) {
  if (answer.status == 200 || answer.status == 410) return true;
  if (answer.status != 409) return false;
  switch (op.kind) {
    case OpKind::renew:
      return answer.code == "renewal_refused";
    case OpKind::upgrade:
      return answer.code == "upgrade_conflict" || answer.code == "superseded";
    case OpKind::force_release:
      return answer.code == "not_held" || answer.code == "not_holder";
    default:
      return false;
  }
}

std::string tell(const Operation& op, const LockAnswer& answer) {
  return std::string(name_of(op.kind)) + " of " + op.lease.str() + " was answered " +
         std::to_string(answer.status) + " " + answer.code + " " + answer.cause;
}

}  // namespace

void Worker::work() {
  while (!run_.over) live_once();
}

void Worker::pause(Micros longest) {
  std::this_thread::sleep_for(random_.between(Micros::zero(), longest));
}

Wish Worker::make_wish() {
  Wish wish;
  wish.owner = "worker-" + std::to_string(number_);
  wish.lease = core::LeaseId("lease-" + std::to_string(number_) + "-" + std::to_string(++leases_));
  wish.ttl = milliseconds(random_.between(300, 3000));
  if (random_.percent(70)) wish.wait = milliseconds(random_.between(50, 1500));
  if (random_.percent(8)) wish.max_hold = milliseconds(random_.between(100, 600));
  if (random_.percent(5)) wish.min_hold = milliseconds(random_.between(1, 50));
  if (random_.percent(5)) wish.lock_delay = milliseconds(random_.between(1, 50));
  const std::uint64_t first = random_.below(kDoors);
  switch (random_.weighted({45, 25, 10, 15, 5})) {
    case 0:
      wish.resources = {door(first)};
      break;
    case 1:
      wish.mode = core::Mode::shared;
      wish.resources = {door(first)};
      break;
    case 2:
      wish.resources = {door(first), door((first + 1 + random_.below(kDoors - 1)) % kDoors)};
      break;
    case 3:
      wish.mode = core::Mode::permit;
      wish.permits = {kSeats.limit, 1 + random_.below32(2)};
      wish.resources = {core::ResourceName("seats")};
      break;
    default:
      wish.resources = {kSwept};
  }
  return wish;
}

Operation Worker::operation(OpKind kind, const core::LeaseId& lease) const {
  Operation op;
  op.kind = kind;
  op.client = number_;
  op.lease = lease;
  op.called = clock_now();
  return op;
}

std::optional<Worker::Told> Worker::ask(const std::function<HttpRequest(int)>& request, int first) {
  const Moment deadline = Clock::now() + kPatience;
  for (attempts_ = first; Clock::now() < deadline; ++attempts_) {
    const HttpRequest bytes = request(attempts_);
    if (random_.percent(8)) {
      http_.send_and_leave(bytes, deadline);
      continue;
    }
    const Micros sent = clock_now();
    if (const auto got = http_.exchange(bytes, deadline)) {
      const std::optional<LockAnswer> answer = parse_answer(*got);
      if (!answer) run_.problem("this is no answer of ours: " + got->body);
      if (!answer) return std::nullopt;
      if (!is_transient(*answer)) return Told{sent, *answer};
    }
    ++run_.lost;
    pause(milliseconds(20));
  }
  run_.problem("a client got no answer for a minute");
  return std::nullopt;
}

bool Worker::record(std::size_t op, const std::optional<Told>& told) {
  if (!told) return false;
  const LockAnswer& answer = told->answer;
  const Micros now = clock_now();
  bool yes = false;
  run_.history.answer(op, [&](Operation& recorded) {
    recorded.over = over_by(recorded, answer);
    yes = answer.status == 200 && answer.yes && recorded.over == Over::no;
    recorded.outcome = yes ? Outcome::ok : Outcome::fail;
    recorded.returned = now;
    recorded.sent = told->sent;
    recorded.token = answer.token;
    recorded.valid_for = answer.valid_for;
    recorded.waited =
        recorded.wait > Micros::zero() && (answer.waited > Micros::zero() || answer.repeated);
    if (!is_expected(recorded, answer)) run_.problem(tell(recorded, answer));
  });
  return yes;
}

std::optional<Worker::Held> Worker::acquire(const Wish& wish) {
  Operation op = operation(OpKind::acquire, wish.lease);
  op.resources = wish.resources;
  op.mode = wish.mode;
  op.permits = wish.permits;
  op.ttl = wish.ttl;
  op.wait = wish.wait;
  const std::size_t index = run_.history.call(std::move(op));
  const auto told = ask([&](int attempt) { return acquire_request(wish, attempt); });
  if (!record(index, told)) return std::nullopt;
  run_.notes.granted(wish, told->answer);
  ++run_.grants;
  if (told->answer.repeated) ++run_.repeats;
  return Held{wish, wish.mode, told->answer.token, 0};
}

bool Worker::renew(const Held& held) {
  const std::size_t op = run_.history.call(operation(OpKind::renew, held.wish.lease));
  const auto told = ask([&](int) { return renew_request(held.wish.lease); });
  if (!record(op, told)) return false;
  run_.notes.renewed(held.wish.lease, told->answer);
  return true;
}

bool Worker::upgrade(Held& held) {
  Operation op = operation(OpKind::upgrade, held.wish.lease);
  op.known = held.token;
  op.wait = random_.percent(50) ? milliseconds(random_.between(50, 500)) : milliseconds(0);
  const Micros wait = op.wait;
  const std::size_t index = run_.history.call(std::move(op));
  const auto told =
      ask([&](int attempt) { return upgrade_request(held.wish.lease, held.token, wait, attempt); },
          held.upgrades + 1);
  held.upgrades = attempts_;
  const bool yes = record(index, told);
  if (yes) {
    held.mode = core::Mode::exclusive;
    held.token = told->answer.token;
  }
  return yes || (told && told->answer.status != 410);
}

bool Worker::downgrade(Held& held) {
  Operation op = operation(OpKind::downgrade, held.wish.lease);
  op.known = held.token;
  const std::size_t index = run_.history.call(std::move(op));
  const auto told = ask([&](int) { return downgrade_request(held.wish.lease, held.token); });
  held.mode = core::Mode::shared;
  held.upgrades = 0;
  return record(index, told);
}

void Worker::release(const Held& held) {
  const std::size_t op = run_.history.call(operation(OpKind::release, held.wish.lease));
  record(op, ask([&](int) { return release_request(held.wish.lease); }));
}

void Worker::write(const Held& held) {
  Operation op = operation(OpKind::fenced_write, held.wish.lease);
  op.resources = {random_.pick(held.wish.resources)};
  op.token = held.token;
  run_.registers.update(run_.history, std::move(op), [&] { pause(milliseconds(3)); });
}

bool Worker::one_step(Held& held) {
  switch (random_.weighted({30, 40, 15, 12, 3})) {
    case 0:
      return renew(held);
    case 1:
      if (held.mode == core::Mode::exclusive) write(held);
      return true;
    case 2:
      if (held.mode == core::Mode::shared) return upgrade(held);
      return held.mode != core::Mode::exclusive || downgrade(held);
    case 3:
      pause(milliseconds(60));
      return true;
    default:
      // A stall: whatever it does after that may be too late.
      pause(held.wish.ttl * 3 / 2);
      if (held.mode == core::Mode::exclusive) write(held);
      return true;
  }
}

void Worker::hold(Held& held) {
  for (std::uint64_t steps = random_.below(6); steps > 0; --steps) {
    if (!one_step(held)) return;
  }
  if (random_.percent(10)) return;  // it forgets to
  release(held);
  if (random_.percent(10)) release(held);
}

void Worker::live_once() {
  const Wish wish = make_wish();
  std::optional<Held> held = acquire(wish);
  // What was waited for counts once a renewal is acknowledged (P4).
  if (held && (wish.wait == Micros::zero() || renew(*held))) hold(*held);
  pause(milliseconds(10));
}

void Operator::work() {
  while (!run_.over) {
    const core::ResourceName resource = random_.percent(20) ? kSwept : door(random_.below(kDoors));
    const auto shown = http_.exchange(show_request(resource), Clock::now() + kPatience);
    const auto answer = shown ? parse_answer(*shown) : std::nullopt;
    if (answer && answer->status == 200 && !answer->holders.empty())
      force(resource, resource == kSwept ? core::LeaseId() : random_.pick(answer->holders));
    std::this_thread::sleep_for(random_.between(milliseconds(10), milliseconds(120)));
  }
}

// Not repeated when the answer is lost: it might meet somebody else.
void Operator::force(const core::ResourceName& resource, const core::LeaseId& lease) {
  Operation op;
  op.kind = OpKind::force_release;
  op.client = 1000;
  op.lease = lease;
  op.resources = {resource};
  op.at_deadline = random_.percent(30);
  op.called = clock_now();
  const bool at_deadline = op.at_deadline;
  const std::size_t index = run_.history.call(std::move(op));
  const auto got =
      http_.exchange(force_request(resource, lease, at_deadline), Clock::now() + kPatience);
  const auto answer = got ? parse_answer(*got) : std::nullopt;
  if (!answer || is_transient(*answer)) return;
  const Micros now = clock_now();
  run_.history.answer(index, [&](Operation& recorded) {
    recorded.outcome = answer->status == 200 ? Outcome::ok : Outcome::fail;
    recorded.returned = now;
    if (!is_expected(recorded, *answer)) run_.problem(tell(recorded, *answer));
  });
}

}  // namespace pawl::testing
