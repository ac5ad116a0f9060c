// SPDX-License-Identifier: Apache-2.0
// One step in the making: the state, the effects so far, and the resources whose queues must be
// looked at before it ends. Each command's rule is an apply() in a file of its own; what they share
// is here. Lives for one step. Internal to core. Not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "core/digest.h"
#include "core/step.h"
#include "core/tables.h"

namespace pawl::core {

class Stepper {
 public:
  explicit Stepper(State& state) : state_(state) {}
  Effects run(const Command& command);

 private:
  // (2) of a step: what is due ends (due.cpp).
  void end_due();
  void lease_is_due(LeaseRef ref, Time at);

  // (3): the command, one file each.
  bool repeats_what_was_valid(const Command& command) const;
  void apply(const Acquire& command);
  void apply(const Renew& command);
  void apply(const Release& command);
  void apply(const Upgrade& command);
  void apply(const Downgrade& command);
  void apply(const CancelWait& command);
  void apply(const ForceRelease& command);
  void apply(const Advance& command);
  void apply(const Takeover& command);
  void apply(const SetLimits& command);

  void acquire_new(const Acquire& command);
  void acquire_again(const Acquire& command, LeaseRef ref);
  void upgrade_again(const Upgrade& command, LeaseRef ref);

  // (4): the queues, once (serve.cpp).
  void serve();
  bool has_room(LockRef lock, Mode mode, std::uint32_t permits) const;
  bool queue_is_empty(LockRef lock) const;
  bool admits_waiter(LeaseRef ref) const;
  bool admits_upgrade(LeaseRef ref) const;

  // How leases begin, change and end (lifecycle.cpp).
  void hold(LeaseRef ref);
  void become_exclusive(LeaseRef ref);
  void end(LeaseRef ref, EndCause cause, AuditId audit = kNoAudit);
  void withdraw_upgrade(LeaseRef ref, EndCause cause, bool is_reply);
  void reattach(LeaseRef ref);  // a waiting lease, in its old place
  void detach(LeaseRef ref);    // a waiting lease, or a held one not yet confirmed
  void confirm(LeaseRef ref);   // its holder has the grant
  void mark_for_serving(LockRef lock);
  void mark_for_serving_all(LeaseRef ref);

  // Effects (effects.cpp).
  // A new effect, to be filled in place.
  template <class E>
  E& emit() {
    return std::get<E>(effects_.all.emplace_back(std::in_place_type<E>));
  }
  template <class E>
  void emit(E effect) {
    effects_.all.emplace_back(std::in_place_type<E>, std::move(effect));
  }
  template <class E>
  void reply(E effect) {
    effects_.reply_index = effects_.all.size();
    emit(std::move(effect));
  }
  template <class C>
  void refuse(const C& command, RefusalCode code, std::string field, std::string why);
  // For commands on one lease: the lease, or kNone after the reply that there is none.
  template <class C>
  LeaseRef live_lease_or_reply(const C& command);
  template <class C>
  LeaseRef held_lease_or_reply(const C& command);
  void reply_already_ended(const Namespace& space, const LeaseId& id, Ticket ticket,
                           const End& end);
  Granted granted(const Lease& lease, Ticket ticket) const;
  Queued queued(const Lease& lease, Ticket ticket) const;
  Busy busy(LockRef lock, WaitKind kind, Mode mode, std::uint32_t permits, LeaseRef asking) const;
  Duration valid_for(const Lease& lease) const;

  State& state_;
  Effects effects_;
  std::vector<LockRef> to_serve_;
};

inline Ticket ticket_of(const Acquire& command) { return command.ticket; }
inline Ticket ticket_of(const Upgrade& command) { return command.ticket; }
inline Ticket ticket_of(const CancelWait& command) { return command.ticket; }
inline Ticket ticket_of(const auto&) { return {}; }

template <class C>
void Stepper::refuse(const C& command, RefusalCode code, std::string field, std::string why) {
  Refused refused;
  if constexpr (requires { command.space; }) refused.space = command.space;
  if constexpr (requires { command.id; }) refused.id = command.id;
  refused.ticket = ticket_of(command);
  refused.code = code;
  refused.field = std::move(field);
  refused.why = std::move(why);
  reply(std::move(refused));
}

template <class C>
LeaseRef Stepper::live_lease_or_reply(const C& command) {
  const LeaseRef ref = find_lease(state_, command.space, command.id);
  if (ref != kNone) return ref;
  if (const End* ended = find_end(state_, command.space, command.id)) {
    reply_already_ended(command.space, command.id, ticket_of(command), *ended);
  } else {
    refuse(command, RefusalCode::lease_not_found, "leaseId",
           "no lease has this id, and none ended lately");
  }
  return kNone;
}

template <class C>
LeaseRef Stepper::held_lease_or_reply(const C& command) {
  const LeaseRef ref = live_lease_or_reply(command);
  if (ref == kNone || state_.leases[ref].phase == Phase::held) return ref;
  refuse(command, RefusalCode::lease_not_held, "leaseId", "the lease is not granted yet: it waits");
  return kNone;
}

}  // namespace pawl::core
