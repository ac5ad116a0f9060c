// SPDX-License-Identifier: Apache-2.0
// Remembered ends and the audit trail in the state's tables (see tables.h).
#include <algorithm>
#include <array>

#include "core/digest.h"
#include "core/tables.h"

namespace pawl::core {
namespace {

// An end's place in the index: part of its hash, moved about by this node's own key.
std::uint32_t bucket_hash(const State& state, const Hash128& id) {
  return static_cast<std::uint32_t>(((id.low ^ state.index_key.k0) * (state.index_key.k1 | 1)) >>
                                    32);
}

}  // namespace

State::State(std::uint64_t index_seed)
    : index_key{Digest(1).add(index_seed).value(), Digest(2).add(index_seed).value()} {}

Hash128 end_id(std::string_view space, std::string_view lease_id) {
  // Both in one message, with a byte between them that neither can have. The key is fixed: these
  // bits are in snapshots, and mean the same on every node.
  std::array<char, kMaxNamespaceBytes + 1 + kMaxLeaseIdBytes> message{};
  PAWL_ASSERT(space.size() + 1 + lease_id.size() <= message.size());
  std::copy(space.begin(), space.end(), message.begin());
  std::copy(lease_id.begin(), lease_id.end(), message.begin() + space.size() + 1);
  return sip13_128({0x7061776c20656e64, 0x6f66206120686f6c},
                   {message.data(), space.size() + 1 + lease_id.size()});
}

const End* find_end(const State& state, const Namespace& space, const LeaseId& id) {
  if (state.ends.used() == 0) return nullptr;
  const Hash128 wanted = end_id(space.view(), id.view());
  const std::uint32_t found = state.end_index.find(bucket_hash(state, wanted), [&](const End& end) {
    return end.id == wanted && end.at > state.horizon;
  });
  return found == kNone ? nullptr : &state.ends[found];
}

void remember_end(State& state, const Hash128& id, std::uint64_t token, EndCause cause,
                  AuditId audit) {
  const std::uint32_t ref = state.ends.add();
  End& end = state.ends[ref];
  end.id = id;
  end.token = token;
  end.at = state.now;
  end.audit = audit;
  end.cause = cause;
  end.hash = bucket_hash(state, id);
  state.end_index.add(ref);
  (state.newest_end == kNone ? state.oldest_end : state.ends[state.newest_end].next) = ref;
  state.newest_end = ref;
  ++state.records;
  state.digest += end_digest(end);
}

void forget_ends(State& state) {
  for (std::uint32_t i = 0; i < kForgetPerStep; ++i) {
    const std::uint32_t ref = state.oldest_end;
    if (ref == kNone || state.ends[ref].at > state.horizon) return;
    state.oldest_end = state.ends[ref].next;
    if (state.oldest_end == kNone) state.newest_end = kNone;
    state.digest -= end_digest(state.ends[ref]);
    --state.records;
    state.end_index.remove(ref);
    state.ends.remove(ref);
  }
}

const AuditRecord* find_audit(const State& state, AuditId id) {
  if (id == kNoAudit) return nullptr;
  const auto found = std::lower_bound(
      state.audit.begin(), state.audit.end(), id,
      [](const AuditRecord& record, AuditId wanted) { return record.id < wanted; });
  return found == state.audit.end() || found->id != id ? nullptr : &*found;
}

void add_audit(State& state, AuditRecord record) {
  state.digest += audit_digest(record);
  state.audit.push_back(std::move(record));
  while (state.audit.size() > state.limits.max_audit) {
    state.digest -= audit_digest(state.audit.front());
    state.audit.pop_front();
  }
}

}  // namespace pawl::core
