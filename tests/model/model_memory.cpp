// SPDX-License-Identifier: Apache-2.0
// Memory: the horizon, the ends, the records (docs/rules.md §8), and finding things in the lists.
#include <algorithm>
#include <tuple>

#include "core/validate.h"
#include "model/model_parts.h"
#include "model/reference_model.h"

namespace pawl::testing {

void ReferenceModel::move_horizon() {
  const core::Duration since_start = now_.time_since_epoch();
  if (since_start >= limits_.retention) horizon_ = std::max(horizon_, now_ - limits_.retention);
}

// "Oldest first, at most `kForgetPerStep` in a step."
void ReferenceModel::forget_ends() {
  for (std::uint32_t n = 0; n < core::kForgetPerStep; ++n) {
    if (ends_.empty() || ends_.front().at > horizon_) return;
    ends_.erase(ends_.begin());
  }
}

// Not one that is forgotten and not yet removed.
const ModelEnd* ReferenceModel::find_end(const core::Namespace& space,
                                         const core::LeaseId& id) const {
  for (const ModelEnd& end : ends_) {
    if (end.space == space && end.id == id && end.at > horizon_) return &end;
  }
  return nullptr;
}

// §4.4
bool ReferenceModel::is_stale(const core::LeaseId& id) const {
  const std::optional<core::Time> made = core::made_at(id.view());
  return made && *made <= horizon_;
}

std::uint64_t ReferenceModel::records() const {
  std::uint64_t count = ends_.size();
  for (const ModelLease& lease : leases_) count += weight(lease.terms);
  for (const ModelResource& resource : resources_) {
    if (resource.all_closed_until) ++count;
    if (resource.exclusive_closed_until) ++count;
    count += resource.permits_closed.size();
  }
  return count;
}

ModelLease* ReferenceModel::find_lease(const core::Namespace& space, const core::LeaseId& id) {
  for (ModelLease& lease : leases_) {
    if (lease.space == space && lease.id == id) return &lease;
  }
  return nullptr;
}

ModelResource* ReferenceModel::find_resource(const core::Namespace& space,
                                             const core::ResourceName& name) {
  for (ModelResource& resource : resources_) {
    if (resource.space == space && resource.name == name) return &resource;
  }
  return nullptr;
}

const ModelResource* ReferenceModel::find_resource(const core::Namespace& space,
                                                   const core::ResourceName& name) const {
  for (const ModelResource& resource : resources_) {
    if (resource.space == space && resource.name == name) return &resource;
  }
  return nullptr;
}

// §1: a resource exists exactly while it has holders, waiters, or closures.
void ReferenceModel::remove_unused_resources() {
  std::erase_if(resources_, [&](const ModelResource& resource) {
    const bool used = std::any_of(leases_.begin(), leases_.end(), [&](const ModelLease& lease) {
      return uses(lease, resource.space, resource.name);
    });
    return !used && !resource.all_closed_until && !resource.exclusive_closed_until &&
           resource.permits_closed.empty();
  });
}

std::size_t ReferenceModel::waiter_count() const {
  return static_cast<std::size_t>(
      std::count_if(leases_.begin(), leases_.end(), [](const ModelLease& l) { return !l.held; }));
}

std::size_t ReferenceModel::upgrade_count() const {
  return static_cast<std::size_t>(std::count_if(
      leases_.begin(), leases_.end(), [](const ModelLease& l) { return l.upgrade.has_value(); }));
}

std::vector<core::LeaseInfo> ReferenceModel::live_leases() const {
  std::vector<core::LeaseInfo> all;
  for (const ModelLease& lease : leases_) all.push_back(info(lease));
  std::sort(all.begin(), all.end(), [](const core::LeaseInfo& a, const core::LeaseInfo& b) {
    return std::tie(a.space, a.id) < std::tie(b.space, b.id);
  });
  return all;
}

}  // namespace pawl::testing
