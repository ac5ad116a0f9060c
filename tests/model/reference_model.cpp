// SPDX-License-Identifier: Apache-2.0
// One step, and what is due in it (docs/rules.md §2).
#include "model/reference_model.h"

#include <algorithm>
#include <utility>

#include "core/validate.h"
#include "model/model_parts.h"

namespace pawl::testing {
namespace {

enum class Due {
  nothing,
  lease_ends,
  lease_abandoned,
  passed_over,
  upgrade_passed_over,
  upgrade_withdrawn
};

struct Next {
  core::Time at = core::kNever;
  Due what = Due::nothing;
};

// Keeps the earlier one; of two at the same time, the one that was there.
void consider(Next& next, core::Time at, Due what) {
  if (at < next.at) next = {at, what};
}

Next next_of_waiting(const ModelLease& lease) {
  Next next;
  if (!lease.detached) return next;
  if (!lease.passed_over)
    consider(next, core::after(*lease.detached, core::kHoldBack), Due::passed_over);
  consider(next, core::after(*lease.detached, core::kGiveUp), Due::lease_abandoned);
  return next;
}

// The end of the lease comes before the end of its upgrade where both fall on the same time.
Next next_of_held(const ModelLease& lease) {
  Next next;
  consider(next, lease.deadline, Due::lease_ends);
  if (lease.detached && !lease.confirmed) {
    consider(next, core::after(*lease.detached, core::kGiveUp), Due::lease_abandoned);
  }
  if (lease.upgrade && lease.upgrade->detached) {
    const core::Time detached = *lease.upgrade->detached;
    if (!lease.upgrade->passed_over) {
      consider(next, core::after(detached, core::kHoldBack), Due::upgrade_passed_over);
    }
    consider(next, core::after(detached, core::kGiveUp), Due::upgrade_withdrawn);
  }
  return next;
}

Next next_of(const ModelLease& lease) {
  return lease.held ? next_of_held(lease) : next_of_waiting(lease);
}

// §2.2, first point.
core::EndCause cause_at_deadline(const ModelLease& lease) {
  if (lease.doomed != core::kNoAudit) return core::EndCause::force_released;
  const bool has_max_hold = lease.terms.max_hold != core::Duration::zero();
  if (has_max_hold && lease.deadline == max_hold_end(lease))
    return core::EndCause::max_hold_reached;
  return core::EndCause::expired;
}

}  // namespace

core::Effects ReferenceModel::step(const core::Command& command) {
  effects_ = {};
  move_time(command.at);
  end_what_is_due();
  apply(command);
  serve_queues();
  effects_.now = now_;
  return std::move(effects_);
}

// §2.1
void ReferenceModel::move_time(core::Time at) {
  now_ = std::max(now_, at);
  move_horizon();
}

// §2.2, in order of (due time, the lease's own arrival number).
void ReferenceModel::end_what_is_due() {
  forget_ends();
  open_closures();
  for (;;) {
    ModelLease* first = nullptr;
    for (ModelLease& lease : leases_) {
      if (next_of(lease).what == Due::nothing || next_of(lease).at > now_) continue;
      if (first == nullptr || std::pair(next_of(lease).at, lease.arrival) <
                                  std::pair(next_of(*first).at, first->arrival)) {
        first = &lease;
      }
    }
    if (first == nullptr) return;
    do_what_is_due(*first);
  }
}

void ReferenceModel::do_what_is_due(ModelLease& lease) {
  switch (next_of(lease).what) {
    case Due::nothing:
      break;
    case Due::lease_ends: {
      const core::EndCause cause = cause_at_deadline(lease);
      const bool forced = cause == core::EndCause::force_released;
      emit(end_lease(lease.space, lease.id, cause, forced ? lease.doomed : core::kNoAudit));
      break;
    }
    case Due::lease_abandoned:
      emit(end_lease(lease.space, lease.id, core::EndCause::abandoned));
      break;
    case Due::passed_over:
      lease.passed_over = true;
      break;
    case Due::upgrade_passed_over:
      lease.upgrade->passed_over = true;
      break;
    case Due::upgrade_withdrawn:
      emit(withdraw_upgrade(lease, core::EndCause::abandoned));
      break;
  }
}

// §2.2, last point.
void ReferenceModel::open_closures() {
  for (ModelResource& resource : resources_) {
    if (resource.all_closed_until && *resource.all_closed_until <= now_) {
      resource.all_closed_until.reset();
    }
    if (resource.exclusive_closed_until && *resource.exclusive_closed_until <= now_) {
      resource.exclusive_closed_until.reset();
    }
    std::erase_if(resource.permits_closed, [&](const PermitClosure& c) { return c.until <= now_; });
  }
  remove_unused_resources();
}

void ReferenceModel::emit(core::Effect effect) { effects_.all.push_back(std::move(effect)); }

void ReferenceModel::reply(core::Effect effect) {
  effects_.reply_index = effects_.all.size();
  effects_.all.push_back(std::move(effect));
}

// §2.3. Every command begins with its validation, by the limits in the state.
void ReferenceModel::apply(const core::Command& command) {
  std::optional<core::Invalid> invalid = core::validate(command, limits_);
  if (const auto* acquire = std::get_if<core::Acquire>(&command.body)) {
    const bool known = find_lease(acquire->space, acquire->id) != nullptr ||
                       find_end(acquire->space, acquire->id) != nullptr;
    if (known && !core::validate(command, core::widest_limits())) invalid.reset();  // §4.1
  }
  std::visit(
      [&](const auto& body) {
        if (invalid) {
          core::Refused refused = refuse(body, core::RefusalCode::invalid, invalid->field);
          refused.why = invalid->why;
          reply(refused);
        } else {
          apply(body);
        }
      },
      command.body);
}

core::Time ReferenceModel::next_due(const ModelLease& lease) { return next_of(lease).at; }

}  // namespace pawl::testing
