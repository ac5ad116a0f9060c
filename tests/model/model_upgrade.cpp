// SPDX-License-Identifier: Apache-2.0
// Upgrade (docs/rules.md §5), in the order of its eight points.
#include <algorithm>

#include "model/model_parts.h"
#include "model/reference_model.h"

namespace pawl::testing {
namespace {

void remember_attempt(ModelLease& lease, std::uint32_t attempt) {
  lease.upgrade_attempt = std::max(lease.upgrade_attempt.value_or(attempt), attempt);
}

}  // namespace

void ReferenceModel::apply(const core::Upgrade& command) {
  ModelLease* lease = find_lease(command.space, command.id);
  if (lease == nullptr) return reply_no_live_lease(command);
  if (!lease->held)
    return reply(refuse(command, core::RefusalCode::lease_not_held, "leaseId"));  // 1
  confirm(*lease);
  if (lease->token != command.known) return reply(present(*lease, command.ticket, now_));  // 2
  if (lease->mode == core::Mode::permit) {
    return reply(refuse(command, core::RefusalCode::mode_mismatch, "mode"));
  }
  if (lease->mode == core::Mode::exclusive) return upgrade_at_once(*lease, command);
  if (lease->upgrade) {
    upgrade_again(*lease, command);
  } else {
    upgrade_new(*lease, command);
  }
}

// 3
void ReferenceModel::upgrade_again(ModelLease& lease, const core::Upgrade& command) {
  ModelUpgrade& upgrade = *lease.upgrade;
  if (command.ticket.attempt < upgrade.ticket.attempt) {
    return reply(refuse(command, core::RefusalCode::superseded, "attempt"));
  }
  if (command.ticket != upgrade.ticket && !upgrade.detached) {
    emit(core::Superseded{lease.space, lease.id, core::WaitKind::upgrade, upgrade.ticket});
  }
  upgrade.ticket = command.ticket;
  upgrade.detached.reset();
  upgrade.passed_over = false;
  remember_attempt(lease, command.ticket.attempt);
  if (command.wait == core::Duration::zero()) {
    return reply(withdraw_upgrade(lease, core::EndCause::timed_out));
  }
  reply(core::UpgradeQueued{info(lease), command.ticket, true});
}

// 4 to 8
void ReferenceModel::upgrade_new(ModelLease& lease, const core::Upgrade& command) {
  if (lease.upgrade_attempt && command.ticket.attempt <= *lease.upgrade_attempt) {
    return reply(refuse(command, core::RefusalCode::superseded, "attempt"));
  }
  if (another_upgrade_waits(lease)) {
    remember_attempt(lease, command.ticket.attempt);
    return reply(refuse(command, core::RefusalCode::upgrade_conflict, "leaseId"));
  }
  if (upgrade_can_be_had(lease)) return upgrade_at_once(lease, command);
  remember_attempt(lease, command.ticket.attempt);
  if (command.wait == core::Duration::zero()) return reply(upgrade_busy(lease, command));
  ModelUpgrade upgrade;
  upgrade.arrival = ++last_arrival_;
  upgrade.ticket = command.ticket;
  upgrade.queued_at = now_;
  lease.upgrade = upgrade;
  reply(core::UpgradeQueued{info(lease), command.ticket, false});
}

void ReferenceModel::upgrade_at_once(ModelLease& lease, const core::Upgrade& command) {
  core::Upgraded upgraded;
  upgraded.ticket = command.ticket;
  upgraded.old_token = lease.token;
  grant_upgrade(lease);
  upgraded.lease = info(lease);
  upgraded.valid_for = valid_for(lease, now_);
  reply(upgraded);
}

// 5: active or not.
bool ReferenceModel::another_upgrade_waits(const ModelLease& lease) const {
  for (const core::ResourceName& name : lease.terms.resources) {
    for (const ModelLease* other : holders(lease.space, name)) {
      if (other->id != lease.id && other->upgrade) return true;
    }
  }
  return false;
}

// 7
core::Busy ReferenceModel::upgrade_busy(const ModelLease& lease,
                                        const core::Upgrade& command) const {
  core::Busy busy;
  busy.space = lease.space;
  busy.id = lease.id;
  busy.owner = lease.terms.owner;
  busy.kind = core::WaitKind::upgrade;
  busy.mode = core::Mode::exclusive;
  busy.ticket = command.ticket;
  for (const core::ResourceName& name : lease.terms.resources) {
    const bool alone = is_alone(lease, name);
    const ModelResource& resource = *find_resource(lease.space, name);
    const bool closed = resource.all_closed_until || resource.exclusive_closed_until;
    if (alone && !closed) continue;
    busy.resource = name;
    busy.reason = alone ? core::BusyReason::delayed : core::BusyReason::held;
    auto others = holders(lease.space, name);
    std::erase_if(others, [&](const ModelLease* other) { return other->id == lease.id; });
    describe_holders(busy, others);
    break;
  }
  return busy;
}

// The lease goes on as shared, and keeps the attempt (§1).
core::UpgradeWithdrawn ReferenceModel::withdraw_upgrade(ModelLease& lease, core::EndCause cause) {
  const core::Ticket ticket = lease.upgrade->ticket;
  remember_attempt(lease, ticket.attempt);
  lease.upgrade.reset();
  return core::UpgradeWithdrawn{info(lease), ticket, cause};
}

}  // namespace pawl::testing
