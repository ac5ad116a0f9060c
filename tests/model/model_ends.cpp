// SPDX-License-Identifier: Apache-2.0
// How a lease ends, and what is said about it later (docs/rules.md §6).
#include <algorithm>

#include "model/model_parts.h"
#include "model/reference_model.h"

namespace pawl::testing {

// Takes the lease out of the state, closes and remembers. The caller emits what this returns.
core::Ended ReferenceModel::end_lease(const core::Namespace& space, const core::LeaseId& id,
                                      core::EndCause cause, core::AuditId audit) {
  const ModelLease lease = *find_lease(space, id);
  core::Ended ended;
  ended.lease = info(lease);
  ended.cause = cause;
  ended.held = lease.held;
  ended.ticket = lease.ticket;
  if (lease.upgrade) ended.waiting_upgrade = lease.upgrade->ticket;
  ended.lasted = now_ - (lease.held ? lease.granted_at : lease.queued_at);
  ended.audit = audit;
  if (const core::AuditRecord* record = find_audit(audit)) {
    ended.actor = record->actor;
    ended.reason = record->reason;
  }

  std::erase_if(leases_,
                [&](const ModelLease& l) { return l.space == lease.space && l.id == lease.id; });
  if (lease.held && closes_until(lease, cause) > now_) {
    ended.closed_until = closes_until(lease, cause);
    close(lease, ended.closed_until);
  }
  remember_end(lease.space, lease.id, lease.held ? lease.token : core::kNoToken, cause, audit);
  remove_unused_resources();
  return ended;
}

// "The later of grantedAt + minHold, if it has one, and now + lockDelay, if it has one and the
// cause is not `released`." Now, if it has neither.
core::Time ReferenceModel::closes_until(const ModelLease& lease, core::EndCause cause) const {
  core::Time until = now_;
  if (lease.terms.min_hold != core::Duration::zero()) {
    until = std::max(until, core::after(lease.granted_at, lease.terms.min_hold));
  }
  if (lease.terms.lock_delay != core::Duration::zero() && cause != core::EndCause::released) {
    until = std::max(until, core::after(now_, lease.terms.lock_delay));
  }
  return until;
}

// By its present mode; a longer closure of the same sort stays.
void ReferenceModel::close(const ModelLease& lease, core::Time until) {
  for (const core::ResourceName& name : lease.terms.resources) {
    ModelResource& resource = *find_resource(lease.space, name);
    if (lease.mode == core::Mode::exclusive) {
      resource.all_closed_until = std::max(resource.all_closed_until.value_or(until), until);
    } else if (lease.mode == core::Mode::shared) {
      resource.exclusive_closed_until =
          std::max(resource.exclusive_closed_until.value_or(until), until);
    } else {
      auto& closed = resource.permits_closed;
      const auto same_time = std::find_if(closed.begin(), closed.end(),
                                          [&](const PermitClosure& c) { return c.until == until; });
      if (same_time == closed.end()) {
        closed.push_back({lease.terms.permits.count, until});
      } else {
        same_time->count += lease.terms.permits.count;
      }
    }
  }
}

void ReferenceModel::remember_end(const core::Namespace& space, const core::LeaseId& id,
                                  core::FencingToken token, core::EndCause cause,
                                  core::AuditId audit) {
  ends_.push_back(ModelEnd{space, id, token, cause, now_, audit});
}

// While the trail still has it.
const core::AuditRecord* ReferenceModel::find_audit(core::AuditId id) const {
  for (const core::AuditRecord& record : audit_) {
    if (record.id == id) return &record;
  }
  return nullptr;
}

core::AlreadyEnded ReferenceModel::already_ended(const ModelEnd& end, core::Ticket ticket) const {
  core::AlreadyEnded ended;
  ended.space = end.space;
  ended.id = end.id;
  ended.ticket = ticket;
  ended.cause = end.cause;
  ended.token = end.token;
  ended.ended_at = end.at;
  ended.audit = end.audit;
  if (const core::AuditRecord* record = find_audit(end.audit)) {
    ended.actor = record->actor;
    ended.reason = record->reason;
  }
  return ended;
}

}  // namespace pawl::testing
