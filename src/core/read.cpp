// SPDX-License-Identifier: Apache-2.0
#include "core/read.h"

#include <algorithm>
#include <utility>

#include "core/tables.h"

namespace pawl::core {
namespace {

WaiterView view(const State& state, const Lease& lease, Time since, const Attachment& attachment,
                bool upgrade) {
  LeaseInfo shown = info(state, lease);
  shown.terms.resources.clear();
  shown.metadata.clear();
  return {std::move(shown), state.now - since, upgrade, attachment.detached()};
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

// Resources that are only waited for, or closed, are passed by; so many at most in one page.
constexpr std::size_t kMostPassedBy = 10'000;

// What it takes to write about it; numbers and times count for little.
std::size_t text_bytes(const LeaseInfo& lease) {
  std::size_t bytes = lease.id.view().size() + lease.terms.owner.view().size();
  for (const ResourceName& name : lease.terms.resources) bytes += name.view().size();
  for (const auto& [key, value] : lease.metadata) bytes += key.size() + value.size();
  return bytes;
}

std::size_t text_bytes(const AuditRecord& record) {
  std::size_t bytes =
      record.resource.view().size() + record.actor.view().size() + record.reason.size();
  for (const Holder& held : record.holders)
    bytes += held.id.view().size() + held.owner.view().size();
  return bytes;
}

struct Room {
  std::size_t items;
  std::size_t bytes = kPageBytes;

  // One is always let in.
  bool full() const { return items == 0 || bytes == 0; }
  void take(std::size_t text) {
    --items;
    bytes -= std::min(bytes, text);
  }
};

// Adds the holders of one resource that come after `token`. False: the page is full.
bool add_holds(const State& state, LockRef ref, FencingToken token, Room& room, HoldPage& page) {
  for (LeaseRef at = state.locks[ref].first_holder; at != kNone; at = next_holder(state, ref, at)) {
    const Lease& lease = state.leases[at];
    if (FencingToken{lease.token} <= token) continue;
    if (room.full()) {
      const ListedHold& last = page.holds.back();
      page.next = HoldCursor{last.resource.str(), last.lease.token};
      return false;
    }
    page.holds.push_back({ResourceName(name_of(state, ref)), info(state, lease)});
    room.take(text_bytes(page.holds.back().lease));
  }
  return true;
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

HoldPage list_holds(const State& state, const Namespace& space, std::string_view prefix,
                    const std::optional<HoldCursor>& after, std::size_t limit) {
  HoldPage page;
  const auto found = state.space_by_name.find(space.view());
  if (found == state.space_by_name.end() || limit == 0) return page;
  Room room{limit};
  if (after && std::string_view(after->resource).starts_with(prefix)) {
    const LockRef ref = find_lock(state, space, ResourceName(after->resource));
    if (ref != kNone && !add_holds(state, ref, after->token, room, page)) return page;
  }
  std::size_t passed_by = 0;
  const auto lock_name = [&state](LockRef lock) { return name_of(state, lock); };
  state.names.visit(state.spaces[found->second].locks, prefix, after ? after->resource : "",
                    lock_name, [&](LockRef ref) {
                      if (state.locks[ref].holders == 0 && ++passed_by == kMostPassedBy) {
                        page.next = HoldCursor{std::string(name_of(state, ref)), kNoToken};
                        return false;
                      }
                      return add_holds(state, ref, kNoToken, room, page);
                    });
  return page;
}

HoldSweep sweep_holds(const State& state, LeaseRef from, std::size_t slots, Time granted_after,
                      Time granted_by) {
  HoldSweep sweep;
  const std::uint32_t end = state.leases.end();
  LeaseRef at = std::min(from, end);
  for (; at < end && slots > 0; ++at, --slots) {
    const Lease& lease = state.leases[at];
    if (lease.phase != Phase::held) continue;
    sweep.oldest = std::min(sweep.oldest, lease.since);
    if (lease.since > granted_by) continue;
    ++sweep.granted_by;
    if (lease.since > granted_after) sweep.found.push_back(info(state, lease));
  }
  sweep.next = at < end ? at : kNone;
  return sweep;
}

std::optional<AlreadyEnded> show_end(const State& state, const Namespace& space,
                                     const LeaseId& id) {
  const End* end = find_end(state, space, id);
  if (end == nullptr) return {};
  return AlreadyEnded{space,   id,         {}, end->cause, FencingToken{end->token},
                      end->at, end->audit, {}, {}};
}

AuditPage list_audit(const State& state, const Namespace& space, std::string_view prefix,
                     AuditId after, std::size_t limit) {
  AuditPage page;
  Room room{limit};
  const auto from =
      std::upper_bound(state.audit.begin(), state.audit.end(), after,
                       [](AuditId id, const AuditRecord& record) { return id < record.id; });
  for (auto at = from; at != state.audit.end(); ++at) {
    if (at->space != space || !at->resource.view().starts_with(prefix)) continue;
    if (room.full()) {
      page.more = true;
      break;
    }
    page.records.push_back(*at);
    room.take(text_bytes(*at));
  }
  return page;
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
