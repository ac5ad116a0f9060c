// SPDX-License-Identifier: Apache-2.0
// ForceRelease, Advance, Takeover, SetLimits (docs/rules.md §7).
#include <algorithm>

#include "model/model_parts.h"
#include "model/reference_model.h"

namespace pawl::testing {

void ReferenceModel::apply(const core::ForceRelease& command) {
  std::vector<const ModelLease*> targets = holders(command.space, command.resource);
  if (targets.empty()) return reply(refuse(command, core::RefusalCode::not_held, "resource"));
  if (command.only_lease) {
    std::erase_if(targets,
                  [&](const ModelLease* lease) { return lease->id != *command.only_lease; });
    if (targets.empty()) return reply(refuse(command, core::RefusalCode::not_holder, "leaseId"));
  }
  if (command.only_token) {
    std::erase_if(targets,
                  [&](const ModelLease* lease) { return lease->token != *command.only_token; });
    if (targets.empty())
      return reply(refuse(command, core::RefusalCode::not_holder, "fencingToken"));
  }
  if (command.when == core::ForceWhen::at_deadline &&
      std::any_of(targets.begin(), targets.end(),
                  [](const ModelLease* lease) { return lease->deadline == core::kNever; })) {
    return reply(refuse(command, core::RefusalCode::no_deadline, "when"));
  }
  force(command, targets);
}

// `targets` are in order of token.
void ReferenceModel::force(const core::ForceRelease& command,
                           const std::vector<const ModelLease*>& targets) {
  core::AuditRecord record;
  record.id = core::AuditId{++last_audit_};
  record.space = command.space;
  record.resource = command.resource;
  record.actor = command.actor;
  record.reason = command.reason;
  record.when = command.when;
  record.holder_count = static_cast<std::uint32_t>(targets.size());
  record.at = now_;
  record.wall_ms = command.wall_ms;
  std::vector<core::LeaseId> ids;
  for (const ModelLease* lease : targets) {
    ids.push_back(lease->id);
    if (record.holders.size() < core::kAuditedHolders) record.holders.push_back(holder(*lease));
  }
  audit_.push_back(record);
  while (audit_.size() > limits_.max_audit) audit_.erase(audit_.begin());

  for (const core::LeaseId& id : ids) {
    if (command.when == core::ForceWhen::now) {
      emit(end_lease(command.space, id, core::EndCause::force_released, record.id));
    } else {
      find_lease(command.space, id)->doomed = record.id;
    }
  }
  reply(core::ForceReleased{record});
}

void ReferenceModel::apply(const core::Advance&) { reply(core::Advanced{}); }

void ReferenceModel::apply(const core::Takeover&) {
  core::TakenOver taken;
  for (ModelLease& lease : leases_) {
    if (!lease.held && !lease.detached) {
      lease.detached = now_;
      ++taken.detached;
    }
    if (lease.upgrade && !lease.upgrade->detached) {
      lease.upgrade->detached = now_;
      ++taken.detached;
    }
  }
  reply(taken);
}

void ReferenceModel::apply(const core::SetLimits& command) {
  if (command.rule_version != core::kRuleVersion) {
    return reply(refuse(command, core::RefusalCode::rule_version_unsupported, "ruleVersion"));
  }
  limits_ = command.limits;
  reply(core::LimitsSet{command.limits, command.rule_version});
}

}  // namespace pawl::testing
