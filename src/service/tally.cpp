// SPDX-License-Identifier: Apache-2.0
#include "service/tally.h"

#include <optional>

#include "service/problem.h"

namespace pawl::service {
namespace {

using core::EndCause;
using core::RefusalCode;

AskedMode asked(core::Mode mode) { return static_cast<AskedMode>(mode); }
static_assert(static_cast<int>(AskedMode::shared) == static_cast<int>(core::Mode::shared));
static_assert(static_cast<int>(AskedMode::permit) == static_cast<int>(core::Mode::permit));

struct Attempt {
  CallKind call;
  AskedMode mode;
};

// Nothing: it is not something that a client asked for.
std::optional<Attempt> attempt_of(const core::CommandBody& body) {
  if (const auto* acquire = std::get_if<core::Acquire>(&body))
    return Attempt{CallKind::acquire, asked(acquire->terms.mode)};
  if (std::holds_alternative<core::Renew>(body)) return Attempt{CallKind::renew, AskedMode::none};
  if (std::holds_alternative<core::Release>(body))
    return Attempt{CallKind::release, AskedMode::none};
  if (std::holds_alternative<core::Upgrade>(body))
    return Attempt{CallKind::upgrade, AskedMode::exclusive};
  if (std::holds_alternative<core::Downgrade>(body))
    return Attempt{CallKind::downgrade, AskedMode::shared};
  if (std::holds_alternative<core::ForceRelease>(body))
    return Attempt{CallKind::force_release, AskedMode::none};
  return {};
}

Failure failure_of(EndCause cause, core::FencingToken token) {
  if (token == core::kNoToken) return Failure::never_held;
  switch (cause) {
    case EndCause::expired:
      return Failure::expired;
    case EndCause::max_hold_reached:
      return Failure::max_hold_reached;
    case EndCause::force_released:
      return Failure::force_released;
    case EndCause::abandoned:
      return Failure::abandoned;
    case EndCause::released:
      return Failure::released;
    case EndCause::timed_out:
    case EndCause::busy:
    case EndCause::refused:
    case EndCause::never_acquired:
      return Failure::never_held;
  }
  return Failure::refused;
}

Failure failure_of(RefusalCode code) {
  if (code == RefusalCode::lease_not_found) return Failure::lease_not_found;
  if (code == RefusalCode::lease_not_held) return Failure::lease_not_held;
  return Failure::refused;
}

CameTo came_to(core::BusyReason reason) {
  return reason == core::BusyReason::held ? CameTo::busy : CameTo::delayed;
}

CameTo came_to(EndCause cause) {
  if (cause == EndCause::timed_out) return CameTo::timed_out;
  if (cause == EndCause::abandoned) return CameTo::abandoned;
  return CameTo::withdrawn;
}

const core::ResourceName& first_of(const core::LeaseInfo& lease) {
  return lease.terms.resources.front();
}

// One effect; `attempt` if it answers a client's call.
struct Counter {
  Tally& tally;
  const core::Command& command;
  std::optional<Attempt> attempt;

  void answered(CameTo outcome) const {
    if (attempt) tally.came_to(attempt->call, attempt->mode, outcome);
  }

  void operator()(const core::Granted& granted) const {
    if (granted.repeated) return answered(CameTo::repeated);
    const AskedMode mode = asked(granted.lease.terms.mode);
    if (!granted.after_wait) return tally.came_to(CallKind::acquire, mode, CameTo::granted);
    tally.came_to(CallKind::acquire, mode, CameTo::granted_after_wait);
    tally.waited(CallKind::acquire, true, granted.waited, first_of(granted.lease));
  }
  void operator()(const core::Queued& queued) const {
    if (queued.repeated) return answered(CameTo::repeated);
    tally.contended(first_of(queued.lease));
    tally.queued(first_of(queued.lease));
  }
  void operator()(const core::Busy& busy) const {
    answered(came_to(busy.reason));
    if (const auto* acquire = std::get_if<core::Acquire>(&command.body))
      tally.contended(acquire->terms.resources.front());
  }
  void operator()(const core::Refused& refused) const {
    if (!attempt) return;
    answered(CameTo::refused);
    tally.refused(refused.code);
    if (attempt->call == CallKind::renew) tally.renewal_failed(failure_of(refused.code));
    if (attempt->call == CallKind::release) tally.release_failed(failure_of(refused.code));
  }
  void operator()(const core::Renewed&) const { answered(CameTo::done); }
  void operator()(const core::RenewalRefused&) const {
    answered(CameTo::refused);
    tally.renewal_failed(Failure::renewal_refused);
  }
  void operator()(const core::Ended& end) const {
    const core::LeaseInfo& lease = end.lease;
    if (end.held) {
      tally.held(lease.mode, end.cause, end.lasted, first_of(lease));
      if (end.waiting_upgrade)
        tally.came_to(CallKind::upgrade, AskedMode::exclusive, CameTo::ended);
    } else {
      tally.came_to(CallKind::acquire, asked(lease.terms.mode), came_to(end.cause));
      tally.waited(CallKind::acquire, false, end.lasted, first_of(lease));
    }
    if (!attempt) return;
    answered(attempt->call == CallKind::release ? CameTo::done : CameTo::repeated);
  }
  void operator()(const core::AlreadyEnded& end) const {
    if (!attempt) return;
    const Failure why = failure_of(end.cause, end.token);
    if (attempt->call == CallKind::renew) tally.renewal_failed(why);
    if (attempt->call != CallKind::release) return answered(CameTo::ended);
    if (why == Failure::released || why == Failure::never_held) return answered(CameTo::repeated);
    answered(CameTo::ended);
    tally.release_failed(why);
  }
  void operator()(const core::Upgraded& upgraded) const {
    if (!upgraded.after_wait)
      return tally.came_to(CallKind::upgrade, AskedMode::exclusive, CameTo::granted);
    tally.came_to(CallKind::upgrade, AskedMode::exclusive, CameTo::granted_after_wait);
    tally.waited(CallKind::upgrade, true, upgraded.waited, first_of(upgraded.lease));
  }
  void operator()(const core::UpgradeQueued& queued) const {
    if (queued.repeated) answered(CameTo::repeated);
  }
  void operator()(const core::UpgradeWithdrawn& withdrawn) const {
    tally.came_to(CallKind::upgrade, AskedMode::exclusive, came_to(withdrawn.cause));
    answered(CameTo::repeated);
  }
  void operator()(const core::Downgraded&) const { answered(CameTo::done); }
  void operator()(const core::Present&) const { answered(CameTo::unchanged); }
  void operator()(const core::ForceReleased& released) const {
    answered(CameTo::done);
    tally.force_released(released.record.when);
  }
  // The newer attempt is counted, and the wait goes on.
  void operator()(const core::Superseded&) const {}
  void operator()(const core::Detached&) const {}
  void operator()(const core::Advanced&) const {}
  void operator()(const core::TakenOver&) const {}
  void operator()(const core::LimitsSet&) const {}
};

}  // namespace

void count(const core::Command& command, const core::Effects& effects, Tally& tally) {
  const std::optional<Attempt> attempt = attempt_of(command.body);
  if (attempt) tally.attempted(attempt->call, attempt->mode);
  if (const auto* acquire = std::get_if<core::Acquire>(&command.body)) {
    if (!acquire->terms.resources.empty()) tally.wanted(acquire->terms.resources.front());
  }
  for (std::size_t i = 0; i < effects.all.size(); ++i) {
    const bool answers = i == effects.reply_index;
    std::visit(Counter{tally, command, answers ? attempt : std::nullopt}, effects.all[i]);
  }
}

std::string_view to_text(CallKind call) {
  constexpr std::string_view kTexts[] = {"acquire", "renew",     "release",
                                         "upgrade", "downgrade", "force_release"};
  return kTexts[static_cast<std::size_t>(call)];
}

std::string_view to_text(AskedMode mode) {
  return mode == AskedMode::none ? "none" : to_text(static_cast<core::Mode>(mode));
}

std::string_view to_text(CameTo outcome) {
  constexpr std::string_view kTexts[] = {
      "done",    "granted",   "granted_after_wait", "repeated",  "unchanged", "busy",
      "delayed", "timed_out", "withdrawn",          "abandoned", "ended",     "refused"};
  return kTexts[static_cast<std::size_t>(outcome)];
}

std::string_view to_text(Failure why) {
  constexpr std::string_view kTexts[] = {
      "expired",    "max_hold_reached", "force_released", "abandoned",       "released",
      "never_held", "lease_not_found",  "lease_not_held", "renewal_refused", "refused"};
  return kTexts[static_cast<std::size_t>(why)];
}

std::string_view to_text(RefusalCode code) {
  constexpr std::string_view kTexts[] = {"invalid",          "lease_id_conflict",
                                         "lease_id_stale",   "lease_not_found",
                                         "lease_not_held",   "superseded",
                                         "mode_mismatch",    "permit_limit_mismatch",
                                         "upgrade_conflict", "limit_reached",
                                         "not_held",         "not_holder",
                                         "no_deadline",      "rule_version_unsupported"};
  return kTexts[static_cast<std::size_t>(code)];
}

}  // namespace pawl::service
