// SPDX-License-Identifier: Apache-2.0
// Who is granted (docs/rules.md §3).
#include <algorithm>

#include "model/model_parts.h"
#include "model/reference_model.h"

namespace pawl::testing {
namespace {

bool is_active(const ModelLease& lease) { return !lease.held && !lease.passed_over; }

bool has_active_upgrade(const ModelLease& lease) {
  return lease.upgrade && !lease.upgrade->passed_over;
}

std::uint64_t permits_closed(const ModelResource* resource) {
  std::uint64_t count = 0;
  if (resource != nullptr) {
    for (const PermitClosure& closure : resource->permits_closed) count += closure.count;
  }
  return count;
}

bool has_closure(const ModelResource* resource) {
  return resource != nullptr && (resource->all_closed_until || resource->exclusive_closed_until ||
                                 !resource->permits_closed.empty());
}

}  // namespace

// In order of their tokens (§1).
std::vector<const ModelLease*> ReferenceModel::holders(const core::Namespace& space,
                                                       const core::ResourceName& name) const {
  std::vector<const ModelLease*> found;
  for (const ModelLease& lease : leases_) {
    if (lease.held && uses(lease, space, name)) found.push_back(&lease);
  }
  std::sort(found.begin(), found.end(), [](auto* a, auto* b) { return a->token < b->token; });
  return found;
}

// The waiting leases, passed over or not.
std::vector<const ModelLease*> ReferenceModel::waiters(const core::Namespace& space,
                                                       const core::ResourceName& name) const {
  std::vector<const ModelLease*> found;
  for (const ModelLease& lease : leases_) {
    if (!lease.held && uses(lease, space, name)) found.push_back(&lease);
  }
  return found;
}

// An active one.
bool ReferenceModel::upgrade_waits(const core::Namespace& space,
                                   const core::ResourceName& name) const {
  const auto all = holders(space, name);
  return std::any_of(all.begin(), all.end(),
                     [](auto* lease) { return has_active_upgrade(*lease); });
}

bool ReferenceModel::queue_is_empty(const core::Namespace& space,
                                    const core::ResourceName& name) const {
  const auto all = waiters(space, name);
  return std::none_of(all.begin(), all.end(), [](auto* lease) { return is_active(*lease); }) &&
         !upgrade_waits(space, name);
}

// Room, but for the closures of exclusive and shared; `closed_permits` is what the closures take.
bool ReferenceModel::holders_leave_room(const core::Namespace& space,
                                        const core::ResourceName& name, const core::Terms& terms,
                                        std::uint64_t closed_permits) const {
  const auto all = holders(space, name);
  if (terms.mode == core::Mode::exclusive) return all.empty();
  if (terms.mode == core::Mode::shared) {
    return std::none_of(all.begin(), all.end(),
                        [](auto* lease) { return lease->mode == core::Mode::exclusive; });
  }
  std::uint64_t taken = closed_permits;
  for (const ModelLease* lease : all) taken += lease->terms.permits.count;
  return taken + terms.permits.count <= terms.permits.limit;
}

bool ReferenceModel::has_room(const core::Namespace& space, const core::ResourceName& name,
                              const core::Terms& terms) const {
  const ModelResource* resource = find_resource(space, name);
  if (!holders_leave_room(space, name, terms, permits_closed(resource))) return false;
  if (terms.mode == core::Mode::exclusive) return !has_closure(resource);
  if (terms.mode == core::Mode::shared) return resource == nullptr || !resource->all_closed_until;
  return true;
}

// A new request is granted when this is so for none of its resources.
bool ReferenceModel::new_request_fails_on(const core::Namespace& space,
                                          const core::ResourceName& name,
                                          const core::Terms& terms) const {
  return !has_room(space, name, terms) || !queue_is_empty(space, name);
}

bool ReferenceModel::waiter_is_grantable(const ModelLease& lease) const {
  if (lease.held || lease.detached) return false;
  for (const core::ResourceName& name : lease.terms.resources) {
    if (!has_room(lease.space, name, lease.terms)) return false;
    if (upgrade_waits(lease.space, name)) return false;
    for (const ModelLease* other : waiters(lease.space, name)) {
      if (is_active(*other) && other->arrival < lease.arrival) return false;
    }
  }
  return true;
}

bool ReferenceModel::is_alone(const ModelLease& lease, const core::ResourceName& name) const {
  return holders(lease.space, name).size() == 1;
}

// The only holder of all its resources, and no closure. The queue does not matter.
bool ReferenceModel::upgrade_can_be_had(const ModelLease& lease) const {
  for (const core::ResourceName& name : lease.terms.resources) {
    if (!is_alone(lease, name) || has_closure(find_resource(lease.space, name))) return false;
  }
  return true;
}

bool ReferenceModel::upgrade_is_grantable(const ModelLease& lease) const {
  return lease.upgrade && !lease.upgrade->detached && upgrade_can_be_had(lease);
}

// While anything is grantable, the smallest arrival number; an upgrade counts with its own.
void ReferenceModel::serve_queues() {
  for (;;) {
    ModelLease* first = nullptr;
    std::uint64_t smallest = 0;
    for (ModelLease& lease : leases_) {
      const bool grantable = lease.held ? upgrade_is_grantable(lease) : waiter_is_grantable(lease);
      if (!grantable) continue;
      const std::uint64_t arrival = lease.held ? lease.upgrade->arrival : lease.arrival;
      if (first == nullptr || arrival < smallest) {
        first = &lease;
        smallest = arrival;
      }
    }
    if (first == nullptr) return;
    if (first->held) {
      core::Upgraded upgraded;
      upgraded.ticket = first->upgrade->ticket;
      upgraded.old_token = first->token;
      upgraded.waited = now_ - first->upgrade->queued_at;
      upgraded.after_wait = true;
      grant_upgrade(*first);
      upgraded.lease = info(*first);
      upgraded.valid_for = valid_for(*first, now_);
      emit(upgraded);
    } else {
      grant(*first);
      core::Granted effect = granted(*first, first->ticket, now_);
      effect.waited = now_ - first->queued_at;
      effect.after_wait = true;
      emit(effect);
    }
  }
}

// "A grant takes the next fencing token."
void ReferenceModel::grant(ModelLease& lease) {
  lease.held = true;
  lease.mode = lease.terms.mode;
  lease.token = core::FencingToken{++last_token_};
  lease.granted_at = now_;
  lease.renewed_at = now_;
  lease.deadline = std::min(core::after(now_, lease.terms.ttl), max_hold_end(lease));
  lease.confirmed = false;
  lease.doomed = core::kNoAudit;
  lease.detached.reset();
  lease.passed_over = false;
}

// "Takes the next token and changes the mode to exclusive, nothing else."
void ReferenceModel::grant_upgrade(ModelLease& lease) {
  lease.token = core::FencingToken{++last_token_};
  lease.mode = core::Mode::exclusive;
  lease.upgrade.reset();
  lease.upgrade_attempt.reset();  // §5: a change of mode forgets it
}

}  // namespace pawl::testing
