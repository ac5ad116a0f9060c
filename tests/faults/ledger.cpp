// SPDX-License-Identifier: Apache-2.0
#include "faults/ledger.h"

#include <algorithm>
#include <utility>

#include "core/limits.h"
#include "history/checker.h"

namespace pawl::testing {
namespace {

// How much faster than ours the service's clock may run: both read the same one.
constexpr Micros kClockSlack = std::chrono::milliseconds(1);
constexpr std::int64_t kClockDriftPpm = 1'000;

Micros since_start(core::Time time) { return time.time_since_epoch(); }
std::string text(core::Time time) { return to_seconds(since_start(time)); }

}  // namespace

std::string Ledger::send(Micros now, Verb verb, const std::string& lease, std::size_t op) {
  static constexpr const char* kVerbs[] = {"acquire", "renew", "release", "list"};
  const std::uint64_t number = ++last_number_;
  under_way_[number] = {verb, lease, op, now, latest_};
  std::string line = std::to_string(number) + " " + kVerbs[static_cast<std::size_t>(verb)];
  if (verb == Verb::list) return line;
  Lease& about = leases_.at(lease);
  about.busy = true;
  line += " " + lease;
  if (verb == Verb::acquire) line += " " + about.resource + " " + std::to_string(about.ttl.count());
  return line;
}

std::string Ledger::acquire(Micros now, const std::string& lease, const std::string& resource,
                            std::chrono::milliseconds ttl) {
  Operation op;
  op.kind = OpKind::acquire;
  op.lease = core::LeaseId(lease);
  op.resources = {core::ResourceName(resource)};
  op.ttl = ttl;
  op.called = now;
  Lease& about = leases_[lease];
  about.resource = resource;
  about.ttl = ttl;
  about.acquired_by = history_.call(std::move(op));
  about.older_token = largest_token_;
  return send(now, Verb::acquire, lease, about.acquired_by);
}

std::string Ledger::renew(Micros now, const std::string& lease) {
  Operation op;
  op.kind = OpKind::renew;
  op.lease = core::LeaseId(lease);
  op.called = now;
  return send(now, Verb::renew, lease, history_.call(std::move(op)));
}

std::string Ledger::release(Micros now, const std::string& lease) {
  Operation op;
  op.kind = OpKind::release;
  op.lease = core::LeaseId(lease);
  op.called = now;
  Lease& about = leases_.at(lease);
  about.released_by = history_.call(std::move(op));
  about.release_sent = true;
  return send(now, Verb::release, lease, about.released_by);
}

std::string Ledger::list(Micros now) { return send(now, Verb::list, "", 0); }

void Ledger::died() {
  for (auto& [number, sent] : under_way_) {
    if (sent.verb == Verb::list) continue;
    leases_.at(sent.lease).busy = false;
    if (sent.verb != Verb::renew) lost_.push_back(std::move(sent));
  }
  under_way_.clear();
}

std::vector<std::string> Ledger::ask_again(Micros now) {
  std::vector<std::string> lines;
  for (const Sent& sent : std::exchange(lost_, {})) {
    history_.at(sent.op).sent = now;
    lines.push_back(send(now, sent.verb, sent.lease, sent.op));
  }
  return lines;
}

std::vector<std::string> Ledger::held() const {
  std::vector<std::string> names;
  for (const auto& [name, lease] : leases_) {
    if (lease.granted && !lease.release_sent && lease.over.empty() && !lease.busy)
      names.push_back(name);
  }
  return names;
}

void Ledger::take(Micros now, const std::string& line) {
  const auto reply = parse_reply(line);
  const auto at = reply ? under_way_.find(reply->number) : under_way_.end();
  if (at == under_way_.end()) return problem("nobody had asked for this answer: " + line);
  const Sent sent = std::move(at->second);
  under_way_.erase(at);
  if (sent.verb != Verb::list) leases_.at(sent.lease).busy = false;
  answer(now, sent, *reply);
}

void Ledger::answer(Micros now, const Sent& sent, const Reply& reply) {
  using Kind = Reply::Kind;
  if (reply.kind == Kind::unknown) {
    if (sent.verb == Verb::acquire || sent.verb == Verb::release) lost_.push_back(sent);
    return;
  }
  if (reply.kind == Kind::not_submitted) {
    if (sent.verb == Verb::list) return problem("a list was not answered: " + reply.word);
    // If an earlier sending was lost, that one may still count.
    Operation& op = history_.at(sent.op);
    if (op.sent) return lost_.push_back(sent);
    op.outcome = Outcome::fail;
    op.returned = now;
    Lease& lease = leases_.at(sent.lease);
    if (sent.verb == Verb::acquire) lease.failed = true;
    if (sent.verb == Verb::release) lease.release_sent = false;
    return;
  }
  check_time(now, sent, reply);
  if (sent.verb == Verb::list) return audit(reply);
  history_.at(sent.op).returned = now;
  if (reply.kind == Kind::granted || reply.kind == Kind::renewed) return confirmed(sent, reply);
  if (reply.kind == Kind::ended) return ended(sent, reply);
  refused(sent, reply);
}

// The service's clock stands still while it is down and never goes back (P3, P10).
void Ledger::check_time(Micros now, const Sent& sent, const Reply& reply) {
  if (reply.state_time < sent.state_time) {
    problem("state time went back from " + text(sent.state_time) + " to " + text(reply.state_time));
  }
  latest_ = std::max(latest_, reply.state_time);
  const Micros since = since_start(reply.state_time);
  const Micros slack = kClockSlack + now * kClockDriftPpm / 1'000'000;
  if (offset_ && since - now > *offset_ + slack) {
    problem("state time is " + text(reply.state_time) + " at " + to_seconds(now) + ": " +
            to_seconds(since - now - *offset_) + " too late, so that leases end too early");
  }
  if (sent.verb == Verb::list) return;  // a read is not stamped: its time is of what came before
  offset_ = std::min(offset_.value_or(since - sent.at), since - sent.at);
}

void Ledger::learn_token(const std::string& name, std::uint64_t token) {
  Lease& lease = leases_.at(name);
  if (lease.token != 0 && lease.token != token) {
    problem("lease " + name + " had token " + std::to_string(lease.token) + " and now has " +
            std::to_string(token) + " (I1)");
  }
  const auto [at, fresh] = tokens_.try_emplace(token, name);
  if (!fresh && at->second != name) {
    problem("leases " + at->second + " and " + name + " both have token " + std::to_string(token) +
            " (I1)");
  }
  if (token <= lease.older_token) {
    problem("lease " + name + " got token " + std::to_string(token) + ", though " +
            std::to_string(lease.older_token) + " was answered before it was asked for (I2)");
  }
  lease.token = token;
}

void Ledger::confirmed(const Sent& sent, const Reply& reply) {
  Lease& lease = leases_.at(sent.lease);
  Operation& op = history_.at(sent.op);
  op.outcome = Outcome::ok;
  op.token = core::FencingToken{reply.token};
  op.valid_for = reply.valid_for;
  learn_token(sent.lease, reply.token);
  largest_token_ = std::max(largest_token_, reply.token);
  const core::Time deadline = reply.state_time + reply.valid_for;
  if (deadline < lease.deadline) {
    problem("the deadline of lease " + sent.lease + " went back from " + text(lease.deadline) +
            " to " + text(deadline) + " (P3)");
  }
  const bool anew = reply.kind == Reply::Kind::granted && !reply.repeated;
  if ((anew || reply.kind == Reply::Kind::renewed) && reply.valid_for < lease.ttl)
    problem("lease " + sent.lease + " was given less than its TTL");
  if (anew && lease.granted) problem("lease " + sent.lease + " was granted anew (P6)");
  if (!lease.granted) ++grants_;
  using Kind = StateEvent::Kind;
  history_.state_events.push_back({lease.granted ? Kind::renewed : Kind::granted,
                                   core::LeaseId(sent.lease),
                                   deadline - lease.ttl,
                                   lease.ttl,
                                   {}});
  lease.granted = true;
  lease.deadline = std::max(lease.deadline, deadline);
}

void Ledger::ended(const Sent& sent, const Reply& reply) {
  Lease& lease = leases_.at(sent.lease);
  Operation& op = history_.at(sent.op);
  const bool released = reply.word == "released";
  op.outcome = released && sent.verb == Verb::release ? Outcome::ok : Outcome::fail;
  op.over = released ? Over::released : Over::otherwise;
  const bool was_over = !lease.over.empty();
  if (was_over && lease.over != reply.word) {
    problem("lease " + sent.lease + " was over because it was " + lease.over +
            ", and now because " + reply.word);
  }
  lease.over = reply.word;
  if (released && !lease.release_sent)
    problem("lease " + sent.lease + " is released, but nobody released it (P5)");
  if (reply.word == "busy" && lease.token != 0)
    problem("lease " + sent.lease + " was held, and now is said never to have been");
  const bool expired = reply.word == "expired";
  if (!released && !expired && reply.word != "busy")
    problem("lease " + sent.lease + " ended for no reason of ours: " + reply.word);
  if (!expired || was_over) return;
  history_.state_events.push_back(
      {StateEvent::Kind::expired, core::LeaseId(sent.lease), reply.ended_at, {}, {}});
}

// Busy, or a refusal.
void Ledger::refused(const Sent& sent, const Reply& reply) {
  Lease& lease = leases_.at(sent.lease);
  Operation& op = history_.at(sent.op);
  op.outcome = Outcome::fail;
  if (reply.kind == Reply::Kind::busy && sent.verb == Verb::acquire) {
    if (lease.token != 0)
      problem("lease " + sent.lease + " was held, and its repeated acquire is told busy (P6)");
    op.over = Over::otherwise;
    lease.over = "busy";
    return;
  }
  // An end is remembered for a while only.
  const core::Time forgotten = core::after(lease.deadline, core::Limits{}.retention);
  const bool may_be_forgotten = lease.granted && reply.state_time >= forgotten;
  if (reply.word == "lease_not_found" && may_be_forgotten) {
    lease.over = "expired";
    return;
  }
  problem("lease " + sent.lease + ": refused " + reply.word);
}

void Ledger::audit(const Reply& list) {
  listed_ = list.held;
  std::map<std::string, const ListedLease*> present;
  for (const ListedLease& one : list.held) {
    if (!present.try_emplace(one.lease, &one).second)
      problem("lease " + one.lease + " is held twice");
    audit_present(one);
  }
  for (const auto& [name, lease] : leases_) {
    if (!present.contains(name)) audit_missing(name, lease, list.state_time);
  }
}

void Ledger::audit_present(const ListedLease& listed) {
  const auto at = leases_.find(listed.lease);
  if (at == leases_.end())
    return problem("lease " + listed.lease + " is held, but nobody asked for it");
  const Lease& lease = at->second;
  if (lease.resource != listed.resource)
    problem("lease " + listed.lease + " holds " + listed.resource + ", not " + lease.resource);
  if (lease.failed) problem("lease " + listed.lease + " is held, but was never submitted (P11)");
  if (!lease.over.empty()) {
    problem("lease " + listed.lease + " is held, but was answered to be over: " + lease.over +
            " (I4)");
  }
  learn_token(listed.lease, listed.token);
}

void Ledger::audit_missing(const std::string& name, const Lease& lease, core::Time now) {
  if (lease.token == 0 || lease.release_sent || !lease.over.empty()) return;
  if (lease.granted && now >= lease.deadline) return;  // it has expired
  if (!lease.granted && now >= core::Time(lease.ttl))
    return;  // seen once, when it began is not known
  problem("lease " + name + " on " + lease.resource + " with token " + std::to_string(lease.token) +
          " is gone, though it lasts until " + text(lease.deadline) + " and it is " + text(now) +
          " (P9, I10)");
}

std::vector<std::string> Ledger::judge() const {
  History sorted = history_;
  std::stable_sort(sorted.state_events.begin(), sorted.state_events.end(),
                   [](const StateEvent& a, const StateEvent& b) { return a.at < b.at; });
  std::vector<std::string> found = problems_;
  for (const Violation& violation : check(sorted))
    found.push_back(std::string(name_of(violation.invariant)) + ": " + violation.what);
  return found;
}

}  // namespace pawl::testing
