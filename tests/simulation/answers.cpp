// SPDX-License-Identifier: Apache-2.0
#include "simulation/answers.h"

namespace pawl::testing {
namespace {

void confirm(Operation& op, const core::LeaseInfo& lease, core::Duration valid_for) {
  op.outcome = Outcome::ok;
  op.token = lease.token;
  op.valid_for = valid_for;
}

Over over_by(core::EndCause cause) {
  return cause == core::EndCause::released ? Over::released : Over::otherwise;
}

// A lease that is not found, stale or never fitted will not come to life any more; an answer for
// lack of room, or for this one attempt, says nothing about the lease.
Over over_by(core::RefusalCode code) {
  switch (code) {
    case core::RefusalCode::lease_not_found:
    case core::RefusalCode::lease_id_stale:
    case core::RefusalCode::mode_mismatch:
    case core::RefusalCode::permit_limit_mismatch:
      return Over::otherwise;
    default:
      return Over::no;
  }
}

struct Recorder {
  Operation& op;

  void operator()(const core::Granted& granted) const {
    confirm(op, granted.lease, granted.valid_for);
    op.waited = granted.after_wait || (granted.repeated && op.wait > Micros::zero());
  }
  void operator()(const core::Renewed& renewed) const {
    confirm(op, renewed.lease, renewed.valid_for);
  }
  void operator()(const core::Upgraded& upgraded) const {
    confirm(op, upgraded.lease, upgraded.valid_for);
  }
  void operator()(const core::Downgraded& downgraded) const {
    confirm(op, downgraded.lease, downgraded.valid_for);
  }
  void operator()(const core::Present& present) const {
    const bool exclusive = present.lease.mode == core::Mode::exclusive;
    if (exclusive == (op.kind == OpKind::upgrade))
      return confirm(op, present.lease, present.valid_for);
    op.outcome = Outcome::fail;
  }
  void operator()(const core::Ended& ended) const {
    op.outcome = op.kind == OpKind::release ? Outcome::ok : Outcome::fail;
    op.over = over_by(ended.cause);
  }
  void operator()(const core::AlreadyEnded& ended) const {
    op.over = over_by(ended.cause);
    const bool again = op.kind == OpKind::release && op.over == Over::released;
    op.outcome = again ? Outcome::ok : Outcome::fail;
  }
  void operator()(const core::Refused& refused) const {
    op.outcome = Outcome::fail;
    const bool changes_mode = op.kind == OpKind::upgrade || op.kind == OpKind::downgrade;
    const bool mode = refused.code == core::RefusalCode::mode_mismatch;
    op.over = changes_mode && mode ? Over::no : over_by(refused.code);
  }
  void operator()(const core::Busy& busy) const {
    op.outcome = Outcome::fail;
    op.over = busy.kind == core::WaitKind::acquire ? Over::otherwise : Over::no;
  }
  void operator()(const core::ForceReleased&) const { op.outcome = Outcome::ok; }
  template <class T>
  void operator()(const T&) const {
    op.outcome = Outcome::fail;  // RenewalRefused, UpgradeWithdrawn: the lease goes on
  }
};

}  // namespace

void record(const core::Effect& effect, Operation& op) { std::visit(Recorder{op}, effect); }

const core::LeaseInfo* lease_in(const core::Effect& effect) {
  if (const auto* granted = std::get_if<core::Granted>(&effect)) return &granted->lease;
  if (const auto* renewed = std::get_if<core::Renewed>(&effect)) return &renewed->lease;
  if (const auto* upgraded = std::get_if<core::Upgraded>(&effect)) return &upgraded->lease;
  if (const auto* downgraded = std::get_if<core::Downgraded>(&effect)) return &downgraded->lease;
  if (const auto* present = std::get_if<core::Present>(&effect)) return &present->lease;
  return nullptr;
}

}  // namespace pawl::testing
