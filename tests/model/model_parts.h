// SPDX-License-Identifier: Apache-2.0
// Small pieces that several of the model's files need: how a lease looks in an effect, and how a
// command is refused. Pure functions; inside tests/model only.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "core/effect.h"
#include "model/model_state.h"

namespace pawl::testing {

// The ticket of a command that carries one, the default otherwise (§5).
template <class C>
core::Ticket ticket_of(const C& command) {
  if constexpr (requires { command.ticket; }) {
    return command.ticket;
  } else {
    return {};
  }
}

template <class C>
core::Refused refuse(const C& command, core::RefusalCode code, std::string field = {}) {
  core::Refused refused;
  if constexpr (requires { command.space; }) refused.space = command.space;
  if constexpr (requires { command.id; }) refused.id = command.id;
  refused.ticket = ticket_of(command);
  refused.code = code;
  refused.field = std::move(field);
  return refused;
}

inline core::LeaseInfo info(const ModelLease& lease) {
  core::LeaseInfo info;
  info.space = lease.space;
  info.id = lease.id;
  info.terms = lease.terms;
  info.metadata = lease.metadata;
  info.mode = lease.terms.mode;
  if (lease.held) {
    info.mode = lease.mode;
    info.token = lease.token;
    info.granted_at = lease.granted_at;
    info.renewed_at = lease.renewed_at;
    info.deadline = lease.deadline;
  }
  return info;
}

inline core::Holder holder(const ModelLease& lease) {
  core::Holder holder;
  holder.id = lease.id;
  holder.owner = lease.terms.owner;
  holder.mode = lease.mode;
  holder.permits = lease.terms.permits.count;
  holder.token = lease.token;
  holder.granted_at = lease.granted_at;
  holder.deadline = lease.deadline;
  return holder;
}

// §3: `valid_for` is deadline - now, but never beyond the time at which an untaken grant is given
// up.
inline core::Duration valid_for(const ModelLease& lease, core::Time now) {
  if (!lease.held) return core::Duration::zero();
  core::Time end = lease.deadline;
  if (lease.detached && !lease.confirmed) {
    end = std::min(end, core::after(*lease.detached, core::kGiveUp));
  }
  return core::until(now, end);
}

// §5: the holder has shown that it has the grant.
inline void confirm(ModelLease& lease) {
  lease.confirmed = true;
  lease.detached.reset();
}

inline core::Present present(const ModelLease& lease, core::Ticket ticket, core::Time now) {
  return core::Present{info(lease), ticket, valid_for(lease, now)};
}

inline core::Granted granted(const ModelLease& lease, core::Ticket ticket, core::Time now) {
  core::Granted granted;
  granted.lease = info(lease);
  granted.ticket = ticket;
  granted.valid_for = valid_for(lease, now);
  return granted;
}

inline core::Time max_hold_end(const ModelLease& lease) {
  const core::Duration max_hold = lease.terms.max_hold;
  return max_hold == core::Duration::zero() ? core::kNever
                                            : core::after(lease.granted_at, max_hold);
}

// §8
inline std::uint64_t weight(const core::Terms& terms) {
  const bool may_close =
      terms.min_hold != core::Duration::zero() || terms.lock_delay != core::Duration::zero();
  return terms.resources.size() * (may_close ? 2 : 1);
}

inline bool uses(const ModelLease& lease, const core::Namespace& space,
                 const core::ResourceName& name) {
  const auto& names = lease.terms.resources;
  return lease.space == space && std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace pawl::testing
