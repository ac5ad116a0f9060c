// SPDX-License-Identifier: Apache-2.0
// Acquire (docs/rules.md §4).
#include <algorithm>

#include "model/model_parts.h"
#include "model/reference_model.h"

namespace pawl::testing {

// 2 and 3; (1) is apply(Command).
void ReferenceModel::apply(const core::Acquire& command) {
  if (ModelLease* lease = find_lease(command.space, command.id)) {
    acquire_again(*lease, command);
  } else if (const ModelEnd* end = find_end(command.space, command.id)) {
    reply(already_ended(*end, command.ticket));
  } else {
    acquire_new(command);
  }
}

void ReferenceModel::acquire_again(ModelLease& lease, const core::Acquire& command) {
  if (lease.terms != command.terms) {
    reply(refuse(command, core::RefusalCode::lease_id_conflict, "leaseId"));
  } else if (lease.held) {
    acquire_again_held(lease, command);
  } else {
    acquire_again_waiting(lease, command);
  }
}

void ReferenceModel::acquire_again_waiting(ModelLease& lease, const core::Acquire& command) {
  if (command.ticket.attempt < lease.ticket.attempt) {
    reply(refuse(command, core::RefusalCode::superseded, "attempt"));
    return;
  }
  if (command.ticket != lease.ticket && !lease.detached) {
    emit(core::Superseded{lease.space, lease.id, core::WaitKind::acquire, lease.ticket});
  }
  lease.ticket = command.ticket;
  lease.detached.reset();
  lease.passed_over = false;
  if (command.wait == core::Duration::zero()) {
    reply(end_lease(lease.space, lease.id, core::EndCause::timed_out));
    return;
  }
  core::Queued queued;
  queued.lease = info(lease);
  queued.ticket = lease.ticket;
  queued.waiters = longest_queue(lease);
  queued.repeated = true;
  reply(queued);
}

void ReferenceModel::acquire_again_held(ModelLease& lease, const core::Acquire& command) {
  if (!lease.detached) confirm(lease);
  if (command.ticket.attempt >= lease.ticket.attempt) {
    lease.ticket = command.ticket;
    lease.detached.reset();
  }
  core::Granted effect = granted(lease, command.ticket, now_);
  effect.repeated = true;
  reply(effect);
}

// 4 to 10
void ReferenceModel::acquire_new(const core::Acquire& command) {
  if (is_stale(command.id)) {
    reply(refuse(command, core::RefusalCode::lease_id_stale, "leaseId"));
    return;
  }
  if (leases_.size() >= limits_.max_leases) {
    reply(refuse(command, core::RefusalCode::overloaded, "leases"));
    return;
  }
  if (records() + weight(command.terms) > limits_.max_records) {
    reply(refuse(command, core::RefusalCode::overloaded, "records"));
    return;
  }
  if (const auto refusal = kind_refusal(command)) {
    if (!command.submitted_once) {
      remember_end(command.space, command.id, core::kNoToken, core::EndCause::refused,
                   core::kNoAudit);
    }
    reply(*refusal);
    return;
  }
  const auto& names = command.terms.resources;
  if (std::none_of(names.begin(), names.end(), [&](const core::ResourceName& name) {
        return new_request_fails_on(command.space, name, command.terms);
      })) {
    ModelLease& lease = add_lease(command);
    grant(lease);
    reply(granted(lease, lease.ticket, now_));
    return;
  }
  if (command.wait == core::Duration::zero()) {
    core::Busy effect = busy(command);
    if (!command.submitted_once) {
      remember_end(command.space, command.id, core::kNoToken, core::EndCause::busy, core::kNoAudit);
    }
    reply(effect);
    return;
  }
  if (std::any_of(names.begin(), names.end(), [&](const core::ResourceName& name) {
        return waiters(command.space, name).size() >= limits_.max_waiters;
      })) {
    reply(refuse(command, core::RefusalCode::overloaded, "waiters"));
    return;
  }
  ModelLease& lease = add_lease(command);
  core::Queued queued;
  queued.lease = info(lease);
  queued.ticket = lease.ticket;
  queued.waiters = longest_queue(lease);
  reply(queued);
}

// 6
std::optional<core::Refused> ReferenceModel::kind_refusal(const core::Acquire& command) const {
  for (const core::ResourceName& name : command.terms.resources) {
    const ModelResource* resource = find_resource(command.space, name);
    if (resource == nullptr) continue;
    if (resource->permit != (command.terms.mode == core::Mode::permit)) {
      return refuse(command, core::RefusalCode::mode_mismatch, "mode");
    }
    if (resource->permit && resource->limit != command.terms.permits.limit) {
      return refuse(command, core::RefusalCode::permit_limit_mismatch, "permits.limit");
    }
  }
  return std::nullopt;
}

// A lease that waits, until it is granted, and the resources that exist from now on.
ModelLease& ReferenceModel::add_lease(const core::Acquire& command) {
  for (const core::ResourceName& name : command.terms.resources) {
    if (find_resource(command.space, name) != nullptr) continue;
    ModelResource resource;
    resource.space = command.space;
    resource.name = name;
    resource.permit = command.terms.mode == core::Mode::permit;
    resource.limit = command.terms.permits.limit;
    resources_.push_back(resource);
  }
  ModelLease lease;
  lease.space = command.space;
  lease.id = command.id;
  lease.terms = command.terms;
  lease.metadata = command.metadata;
  lease.arrival = ++last_arrival_;
  lease.ticket = command.ticket;
  lease.queued_at = now_;
  leases_.push_back(lease);
  return leases_.back();
}

std::uint32_t ReferenceModel::longest_queue(const ModelLease& lease) const {
  std::size_t most = 0;
  for (const core::ResourceName& name : lease.terms.resources) {
    most = std::max(most, waiters(lease.space, name).size());
  }
  return static_cast<std::uint32_t>(most);
}

// "`Busy` is about the first resource, in the order asked, that fails."
core::Busy ReferenceModel::busy(const core::Acquire& command) const {
  core::Busy busy;
  busy.space = command.space;
  busy.id = command.id;
  busy.owner = command.terms.owner;
  busy.kind = core::WaitKind::acquire;
  busy.mode = command.terms.mode;
  busy.ticket = command.ticket;
  for (const core::ResourceName& name : command.terms.resources) {
    if (!new_request_fails_on(command.space, name, command.terms)) continue;
    busy.resource = name;
    const bool held = !queue_is_empty(command.space, name) ||
                      !holders_leave_room(command.space, name, command.terms, 0);
    busy.reason = held ? core::BusyReason::held : core::BusyReason::delayed;
    describe_holders(busy, holders(command.space, name));
    break;
  }
  return busy;
}

// What a Busy says about its resource; `holders` are those that it counts, in order of token.
void ReferenceModel::describe_holders(core::Busy& busy,
                                      std::vector<const ModelLease*> holders) const {
  busy.holder_count = static_cast<std::uint32_t>(holders.size());
  busy.waiters = static_cast<std::uint32_t>(waiters(busy.space, busy.resource).size());
  core::Time earliest = core::kNever;
  for (const ModelLease* lease : holders) {
    if (busy.holders.size() == core::kShownHolders) break;
    busy.holders.push_back(holder(*lease));
    earliest = std::min(earliest, lease->deadline);
  }
  if (busy.reason == core::BusyReason::delayed) {
    busy.retry_after = closed_for(busy.space, busy.resource, busy.mode);
  } else if (!busy.holders.empty()) {
    busy.retry_after = core::until(now_, earliest);
  }
}

// "Until the closures that are in the way are over."
core::Duration ReferenceModel::closed_for(const core::Namespace& space,
                                          const core::ResourceName& name, core::Mode mode) const {
  const ModelResource& resource = *find_resource(space, name);
  const core::Time all = resource.all_closed_until.value_or(now_);
  const core::Time exclusive = resource.exclusive_closed_until.value_or(now_);
  if (mode == core::Mode::exclusive) return core::until(now_, std::max(all, exclusive));
  if (mode == core::Mode::shared) return core::until(now_, all);
  core::Time earliest = core::kNever;
  for (const PermitClosure& closure : resource.permits_closed) {
    earliest = std::min(earliest, closure.until);
  }
  return core::until(now_, earliest);
}

}  // namespace pawl::testing
