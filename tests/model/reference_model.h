// SPDX-License-Identifier: Apache-2.0
// The rules of the lock, written a second time from docs/rules.md alone: slow and obvious, so that
// each function can be checked against its paragraph. src/core is compared with it, effect by
// effect. Not thread-safe; never reads a clock. Shares only validation and the vocabulary with
// src/core. See model_state.h for the lists, and the sections cited at each function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/command.h"
#include "core/effect.h"
#include "model/model_state.h"

namespace pawl::testing {

class ReferenceModel {
 public:
  core::Effects step(const core::Command& command);

  // For tests: how the state stands.
  core::Time now() const { return now_; }
  core::Time horizon() const { return horizon_; }
  const core::Limits& limits() const { return limits_; }
  core::FencingToken last_token() const { return core::FencingToken{last_token_}; }
  const std::vector<ModelLease>& leases() const { return leases_; }
  const std::vector<ModelResource>& resources() const { return resources_; }
  const std::vector<ModelEnd>& ends() const { return ends_; }
  const std::vector<core::AuditRecord>& audit() const { return audit_; }
  std::size_t lease_count() const { return leases_.size(); }
  std::size_t waiter_count() const;                  // waiting leases
  std::size_t upgrade_count() const;                 // waiting upgrades
  std::uint64_t records() const;                     // §8
  std::vector<core::LeaseInfo> live_leases() const;  // by (namespace, id)

  // The next time at which §2.2 has something to do for this lease; kNever if there is none.
  static core::Time next_due(const ModelLease& lease);

 private:
  // §2, reference_model.cpp
  void move_time(core::Time at);
  void end_what_is_due();
  void open_closures();
  void do_what_is_due(ModelLease& lease);
  void emit(core::Effect effect);
  void reply(core::Effect effect);
  void apply(const core::Command& command);

  // §3, model_grants.cpp
  std::vector<const ModelLease*> holders(const core::Namespace& space,
                                         const core::ResourceName& name) const;
  std::vector<const ModelLease*> waiters(const core::Namespace& space,
                                         const core::ResourceName& name) const;
  bool upgrade_waits(const core::Namespace& space, const core::ResourceName& name) const;
  bool queue_is_empty(const core::Namespace& space, const core::ResourceName& name) const;
  bool holders_leave_room(const core::Namespace& space, const core::ResourceName& name,
                          const core::Terms& terms, std::uint64_t closed_permits) const;
  bool has_room(const core::Namespace& space, const core::ResourceName& name,
                const core::Terms& terms) const;
  bool new_request_fails_on(const core::Namespace& space, const core::ResourceName& name,
                            const core::Terms& terms) const;
  bool waiter_is_grantable(const ModelLease& lease) const;
  bool is_alone(const ModelLease& lease, const core::ResourceName& name) const;
  bool upgrade_can_be_had(const ModelLease& lease) const;
  bool upgrade_is_grantable(const ModelLease& lease) const;
  void serve_queues();
  void grant(ModelLease& lease);
  void grant_upgrade(ModelLease& lease);

  // §4, model_acquire.cpp
  void apply(const core::Acquire& command);
  void acquire_again(ModelLease& lease, const core::Acquire& command);
  void acquire_again_waiting(ModelLease& lease, const core::Acquire& command);
  void acquire_again_held(ModelLease& lease, const core::Acquire& command);
  void acquire_new(const core::Acquire& command);
  std::optional<core::Refused> kind_refusal(const core::Acquire& command) const;
  ModelLease& add_lease(const core::Acquire& command);
  std::uint32_t longest_queue(const ModelLease& lease) const;
  core::Busy busy(const core::Acquire& command) const;
  void describe_holders(core::Busy& busy, std::vector<const ModelLease*> holders) const;
  core::Duration closed_for(const core::Namespace& space, const core::ResourceName& name,
                            core::Mode mode) const;

  // §5, model_lease_commands.cpp and model_upgrade.cpp
  template <class C>
  void reply_no_live_lease(const C& command);
  void apply(const core::Renew& command);
  void apply(const core::Release& command);
  void release_unknown(const core::Release& command);
  void apply(const core::Downgrade& command);
  void apply(const core::CancelWait& command);
  void cancel_acquire(ModelLease& lease, const core::CancelWait& command);
  void cancel_upgrade(ModelLease& lease, const core::CancelWait& command);
  void apply(const core::Upgrade& command);
  void upgrade_again(ModelLease& lease, const core::Upgrade& command);
  void upgrade_new(ModelLease& lease, const core::Upgrade& command);
  void upgrade_at_once(ModelLease& lease, const core::Upgrade& command);
  bool another_upgrade_waits(const ModelLease& lease) const;
  core::Busy upgrade_busy(const ModelLease& lease, const core::Upgrade& command) const;
  core::UpgradeWithdrawn withdraw_upgrade(ModelLease& lease, core::EndCause cause);

  // §6, model_ends.cpp
  core::Ended end_lease(const core::Namespace& space, const core::LeaseId& id, core::EndCause cause,
                        core::AuditId audit = core::kNoAudit);
  core::Time closes_until(const ModelLease& lease, core::EndCause cause) const;
  void close(const ModelLease& lease, core::Time until);
  void remember_end(const core::Namespace& space, const core::LeaseId& id, core::FencingToken token,
                    core::EndCause cause, core::AuditId audit);
  const core::AuditRecord* find_audit(core::AuditId id) const;
  core::AlreadyEnded already_ended(const ModelEnd& end, core::Ticket ticket) const;

  // §7, model_operator.cpp
  void apply(const core::ForceRelease& command);
  void force(const core::ForceRelease& command, const std::vector<const ModelLease*>& targets);
  void apply(const core::Advance& command);
  void apply(const core::Takeover& command);
  void apply(const core::SetLimits& command);

  // §8, model_memory.cpp
  void move_horizon();
  void forget_ends();
  const ModelEnd* find_end(const core::Namespace& space, const core::LeaseId& id) const;
  bool is_stale(const core::LeaseId& id) const;
  ModelLease* find_lease(const core::Namespace& space, const core::LeaseId& id);
  ModelResource* find_resource(const core::Namespace& space, const core::ResourceName& name);
  const ModelResource* find_resource(const core::Namespace& space,
                                     const core::ResourceName& name) const;
  void remove_unused_resources();

  core::Time now_{};
  core::Time horizon_ = core::Time::min();  // before all time
  std::uint64_t last_token_ = 0;
  std::uint64_t last_arrival_ = 0;
  std::uint64_t last_audit_ = 0;
  core::Limits limits_;
  std::vector<ModelLease> leases_;        // in no order that matters
  std::vector<ModelResource> resources_;  // in no order that matters
  std::vector<ModelEnd> ends_;            // oldest first
  std::vector<core::AuditRecord> audit_;  // oldest first

  core::Effects effects_;  // of the step that is being taken
};

}  // namespace pawl::testing
