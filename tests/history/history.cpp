// SPDX-License-Identifier: Apache-2.0
#include "history/history.h"

#include <cstdio>
#include <string_view>
#include <type_traits>
#include <utility>

namespace pawl::testing {
namespace {

class Fnv {
 public:
  template <class T>
    requires std::is_integral_v<T> || std::is_enum_v<T>
  Fnv& operator<<(T value) {
    auto bits = static_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i, bits >>= 8) byte(static_cast<unsigned char>(bits & 0xff));
    return *this;
  }
  Fnv& operator<<(std::string_view text) {
    *this << text.size();
    for (const char c : text) byte(static_cast<unsigned char>(c));
    return *this;
  }
  Fnv& operator<<(Micros time) { return *this << time.count(); }

  std::uint64_t value() const { return hash_; }

 private:
  void byte(unsigned char b) { hash_ = (hash_ ^ b) * 0x100000001b3ULL; }
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

void mix(Fnv& fnv, const Operation& op) {
  fnv << op.kind << op.outcome << op.client << op.lease.view() << op.resources.size();
  for (const core::ResourceName& resource : op.resources) fnv << resource.view();
  fnv << op.mode << op.permits.limit << op.permits.count << op.called << op.last_sent()
      << op.returned << op.token << op.known << op.valid_for << op.ttl << op.wait << op.waited
      << op.over << op.at_deadline << op.listening << op.queued_by.value_or(Micros{-1}) << op.base
      << op.value << op.order;
}

void mix(Fnv& fnv, const StateEvent& event) {
  fnv << event.kind << event.lease.view() << event.at.time_since_epoch() << event.ttl
      << event.max_hold;
}

void add_answer(std::string& line, const Operation& op) {
  line += " -> ";
  line += name_of(op.outcome);
  const bool write = op.kind == OpKind::fenced_write || op.kind == OpKind::plain_write;
  if (op.outcome == Outcome::ok && !write) {
    if (op.token != core::kNoToken) line += " token " + std::to_string(std::uint64_t(op.token));
    if (op.valid_for > Micros::zero()) line += " valid for " + to_seconds(op.valid_for);
    if (op.sent && *op.sent != op.called) line += " (sent " + to_seconds(*op.sent) + ")";
    if (op.waited) line += ", waited";
  }
  if (op.over != Over::no) line += op.over == Over::released ? ", released" : ", lease over";
}

}  // namespace

std::size_t History::call(Operation operation) {
  operations.push_back(std::move(operation));
  return operations.size() - 1;
}

std::uint64_t History::digest() const {
  Fnv fnv;
  fnv << operations.size();
  for (const Operation& op : operations) mix(fnv, op);
  fnv << state_events.size();
  for (const StateEvent& event : state_events) mix(fnv, event);
  return fnv.value();
}

std::size_t SharedHistory::call(Operation operation) {
  const std::lock_guard lock(mutex_);
  return history_.call(std::move(operation));
}

void SharedHistory::note(StateEvent event) {
  const std::lock_guard lock(mutex_);
  history_.state_events.push_back(std::move(event));
}

History SharedHistory::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(history_, History{});
}

const char* name_of(OpKind kind) {
  switch (kind) {
    case OpKind::acquire:
      return "acquire";
    case OpKind::renew:
      return "renew";
    case OpKind::release:
      return "release";
    case OpKind::upgrade:
      return "upgrade";
    case OpKind::downgrade:
      return "downgrade";
    case OpKind::force_release:
      return "force-release";
    case OpKind::fenced_write:
      return "fenced write";
    case OpKind::plain_write:
      return "plain write";
  }
  return "?";
}

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::unknown:
      return "unknown";
    case Outcome::ok:
      return "ok";
    case Outcome::fail:
      return "fail";
  }
  return "?";
}

const char* name_of(core::Mode mode) {
  switch (mode) {
    case core::Mode::exclusive:
      return "exclusive";
    case core::Mode::shared:
      return "shared";
    case core::Mode::permit:
      return "permit";
  }
  return "?";
}

std::string to_seconds(Micros time) {
  if (time == kNoAnswer) return "never";
  char text[48];
  static_cast<void>(std::snprintf(text, sizeof text, "%lld.%06llds",
                                  static_cast<long long>(time.count() / 1'000'000),
                                  static_cast<long long>(time.count() % 1'000'000)));
  return text;
}

std::string to_line(const Operation& op) {
  char times[96];
  static_cast<void>(std::snprintf(times, sizeof times, "%15s .. %15s  client %-4u ",
                                  to_seconds(op.called).c_str(), to_seconds(op.returned).c_str(),
                                  op.client));
  std::string line = times;
  line += name_of(op.kind);
  if (op.kind == OpKind::acquire) {
    line += std::string(" ") + name_of(op.mode);
    if (op.mode == core::Mode::permit)
      line += " " + std::to_string(op.permits.count) + "/" + std::to_string(op.permits.limit);
  }
  for (const core::ResourceName& resource : op.resources) line += " " + resource.str();
  if (!op.lease.empty()) line += " [" + op.lease.str() + "]";
  if (op.kind == OpKind::fenced_write || op.kind == OpKind::plain_write) {
    line += " token " + std::to_string(std::uint64_t(op.token)) + " value " +
            std::to_string(op.base) + " -> " + std::to_string(op.value);
  }
  if (op.kind == OpKind::force_release) line += op.at_deadline ? " at its deadline" : " now";
  add_answer(line, op);
  return line;
}

}  // namespace pawl::testing
