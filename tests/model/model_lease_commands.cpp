// SPDX-License-Identifier: Apache-2.0
// Renew, Release, Downgrade, CancelWait (docs/rules.md §5); Upgrade is in model_upgrade.cpp.
#include <algorithm>

#include "model/model_parts.h"
#include "model/reference_model.h"

namespace pawl::testing {

// "No live lease: `AlreadyEnded` if it is remembered, else `Refused lease_not_found`."
template <class C>
void ReferenceModel::reply_no_live_lease(const C& command) {
  if (const ModelEnd* end = find_end(command.space, command.id)) {
    reply(already_ended(*end, ticket_of(command)));
  } else {
    reply(refuse(command, core::RefusalCode::lease_not_found, "leaseId"));
  }
}

template void ReferenceModel::reply_no_live_lease(const core::Upgrade& command);

void ReferenceModel::apply(const core::Renew& command) {
  ModelLease* lease = find_lease(command.space, command.id);
  if (lease == nullptr) return reply_no_live_lease(command);
  if (!lease->held) return reply(refuse(command, core::RefusalCode::lease_not_held, "leaseId"));
  confirm(*lease);
  if (lease->doomed != core::kNoAudit) {
    core::RenewalRefused refused;
    refused.lease = info(*lease);
    refused.valid_for = valid_for(*lease, now_);
    refused.audit = lease->doomed;
    if (const core::AuditRecord* record = find_audit(lease->doomed)) {
      refused.actor = record->actor;
      refused.reason = record->reason;
    }
    return reply(refused);
  }
  const core::Duration ttl = command.ttl == core::Duration::zero() ? lease->terms.ttl : command.ttl;
  const core::Time asked = std::min(core::after(now_, ttl), max_hold_end(*lease));
  lease->deadline = std::max(lease->deadline, asked);
  lease->renewed_at = now_;
  reply(core::Renewed{info(*lease), valid_for(*lease, now_)});
}

void ReferenceModel::apply(const core::Release& command) {
  if (find_lease(command.space, command.id) != nullptr) {
    return reply(end_lease(command.space, command.id, core::EndCause::released));
  }
  const ModelEnd* end = find_end(command.space, command.id);
  if (end == nullptr) return release_unknown(command);
  if (end->cause == core::EndCause::never_acquired) {
    return reply(refuse(command, core::RefusalCode::lease_not_found, "leaseId"));
  }
  reply(already_ended(*end, {}));
}

void ReferenceModel::release_unknown(const core::Release& command) {
  if (!is_stale(command.id)) {
    if (records() + 1 > limits_.max_records) {
      return reply(refuse(command, core::RefusalCode::overloaded, "records"));
    }
    remember_end(command.space, command.id, core::kNoToken, core::EndCause::never_acquired,
                 core::kNoAudit);
  }
  reply(refuse(command, core::RefusalCode::lease_not_found, "leaseId"));
}

void ReferenceModel::apply(const core::Downgrade& command) {
  ModelLease* lease = find_lease(command.space, command.id);
  if (lease == nullptr) return reply_no_live_lease(command);
  if (!lease->held) return reply(refuse(command, core::RefusalCode::lease_not_held, "leaseId"));
  confirm(*lease);
  if (lease->token != command.known) return reply(present(*lease, {}, now_));
  if (lease->mode == core::Mode::permit) {
    return reply(refuse(command, core::RefusalCode::mode_mismatch, "mode"));
  }
  if (lease->mode == core::Mode::shared) return reply(present(*lease, {}, now_));
  lease->mode = core::Mode::shared;
  lease->upgrade_attempt.reset();  // a change of mode, either way
  reply(core::Downgraded{info(*lease), valid_for(*lease, now_)});
}

void ReferenceModel::apply(const core::CancelWait& command) {
  ModelLease* lease = find_lease(command.space, command.id);
  if (lease == nullptr) return reply_no_live_lease(command);
  if (command.kind == core::WaitKind::acquire) {
    cancel_acquire(*lease, command);
  } else {
    cancel_upgrade(*lease, command);
  }
}

void ReferenceModel::cancel_acquire(ModelLease& lease, const core::CancelWait& command) {
  const bool timeout = command.reason == core::CancelReason::timeout;
  if (command.ticket != lease.ticket) {
    return reply(refuse(command, core::RefusalCode::superseded, "attempt"));
  }
  if (!lease.held && timeout) {
    return reply(end_lease(lease.space, lease.id, core::EndCause::timed_out));
  }
  if (lease.held && timeout) {
    core::Granted effect = granted(lease, command.ticket, now_);
    effect.repeated = true;
    return reply(effect);
  }
  if (lease.held && lease.confirmed) return reply(present(lease, command.ticket, now_));
  if (!lease.detached) lease.detached = now_;
  reply(core::Detached{info(lease), command.ticket});
}

void ReferenceModel::cancel_upgrade(ModelLease& lease, const core::CancelWait& command) {
  if (!lease.upgrade) return reply(present(lease, command.ticket, now_));
  if (command.ticket != lease.upgrade->ticket) {
    return reply(refuse(command, core::RefusalCode::superseded, "attempt"));
  }
  const bool timeout = command.reason == core::CancelReason::timeout;
  reply(withdraw_upgrade(lease, timeout ? core::EndCause::timed_out : core::EndCause::abandoned));
}

}  // namespace pawl::testing
