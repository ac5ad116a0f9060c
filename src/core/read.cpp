// SPDX-License-Identifier: Apache-2.0
#include "core/read.h"

#include <algorithm>

#include "core/tables.h"

namespace pawl::core {
namespace {

WaiterView view(const State& state, const Lease& lease, Time since, const Attachment& attachment,
                bool upgrade) {
  return {info(state, lease), state.now - since, upgrade, attachment.detached()};
}

void add_waiters(const State& state, const Queue& queue, std::size_t limit,
                 std::vector<WaiterView>& out) {
  auto active = queue.active.begin();
  auto aside = queue.passed_over.begin();
  while (out.size() < limit && (active != queue.active.end() || aside != queue.passed_over.end())) {
    const bool take_active = aside == queue.passed_over.end() ||
                             (active != queue.active.end() && active->first < aside->first);
    const Lease& lease = state.leases[(take_active ? active++ : aside++)->second];
    out.push_back(view(state, lease, lease.since, extra_of(state, lease).attachment, false));
  }
}

}  // namespace

Time next_due(const State& state) { return state.due.empty() ? kNever : state.due.first().due; }

bool is_live(const State& state) {
  return state.held + state.waiting > 0 || state.closures.used() > 0;
}

std::optional<LeaseView> show_lease(const State& state, const Namespace& space, const LeaseId& id) {
  const LeaseRef ref = find_lease(state, space, id);
  if (ref == kNone) return {};
  const Lease& lease = state.leases[ref];
  const Extra& extra = extra_of(state, lease);
  return LeaseView{info(state, lease), lease.phase == Phase::waiting, extra.attachment.detached(),
                   extra.doomed};
}

std::optional<ResourceView> show_resource(const State& state, const Namespace& space,
                                          const ResourceName& name, std::size_t limit) {
  const LockRef ref = find_lock(state, space, name);
  if (ref == kNone) return {};
  const Lock& lock = state.locks[ref];
  ResourceView out;
  out.resource = name;
  out.holder_count = lock.holders;
  out.waiter_count = waiters(state, lock) + (lock.upgrade == kNone ? 0 : 1);
  for (LeaseRef at = lock.first_holder; at != kNone && out.holders.size() < limit;
       at = next_holder(state, ref, at)) {
    out.holders.push_back(holder(state, state.leases[at]));
  }
  if (lock.last_holder != kNone)
    out.last_token = FencingToken{state.leases[lock.last_holder].token};
  if (lock.upgrade != kNone && limit > 0) {
    const Lease& lease = state.leases[lock.upgrade];
    const UpgradeWait& upgrade = *extra_of(state, lease).upgrade;
    out.waiters.push_back(view(state, lease, upgrade.since, upgrade.attachment, true));
  }
  if (lock.queue != kNone) add_waiters(state, state.queues[lock.queue], limit, out.waiters);
  const Closures& closures = closures_of(state, lock);
  out.closed_until = std::max(closures.all_until, closures.exclusive_until);
  if (!closures.permits_until.empty()) {
    out.closed_until = std::max(out.closed_until, closures.permits_until.rbegin()->first);
  }
  return out;
}

std::vector<ListedResource> list_resources(const State& state, const Namespace& space,
                                           std::string_view prefix, std::string_view after,
                                           std::size_t limit) {
  std::vector<ListedResource> out;
  const auto found = state.space_by_name.find(space.view());
  if (found == state.space_by_name.end() || limit == 0) return out;
  const auto lock_name = [&state](LockRef lock) { return name_of(state, lock); };
  state.names.visit(state.spaces[found->second].locks, prefix, after, lock_name, [&](LockRef ref) {
    const Lock& lock = state.locks[ref];
    ListedResource& listed = out.emplace_back();
    listed.resource = ResourceName(name_of(state, ref));
    listed.holder_count = lock.holders;
    for (LeaseRef at = lock.first_holder; at != kNone && listed.holders.size() < kShownHolders;
         at = next_holder(state, ref, at)) {
      listed.holders.push_back(info(state, state.leases[at]));
    }
    return out.size() < limit;
  });
  return out;
}

bool holds_token(const State& state, const Namespace& space, const ResourceName& name,
                 FencingToken token) {
  const LockRef ref = find_lock(state, space, name);
  if (ref == kNone) return false;
  LeaseRef at = state.locks[ref].first_holder;
  while (at != kNone && FencingToken{state.leases[at].token} < token)
    at = next_holder(state, ref, at);
  return at != kNone && FencingToken{state.leases[at].token} == token;
}

}  // namespace pawl::core
