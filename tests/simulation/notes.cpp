// SPDX-License-Identifier: Apache-2.0
#include "core/read.h"
#include "simulation/ledger.h"

namespace pawl::testing {
namespace {

using Kind = StateEvent::Kind;

Count count_of(core::RefusalCode code) {
  switch (code) {
    case core::RefusalCode::lease_id_stale:
      return Count::stale_ids;
    case core::RefusalCode::overloaded:
      return Count::overloaded;
    case core::RefusalCode::superseded:
      return Count::superseded;
    default:
      return Count::refused_otherwise;
  }
}

Count count_of(core::EndCause cause) {
  switch (cause) {
    case core::EndCause::released:
      return Count::releases;
    case core::EndCause::expired:
      return Count::expiries;
    case core::EndCause::max_hold_reached:
      return Count::max_holds;
    case core::EndCause::force_released:
      return Count::force_releases;
    case core::EndCause::abandoned:
      return Count::abandoned;
    case core::EndCause::timed_out:
      return Count::time_outs;
    default:
      return Count::refused_otherwise;
  }
}

Kind kind_of(const core::Ended& ended, bool by_command) {
  switch (ended.cause) {
    case core::EndCause::expired:
      return Kind::expired;
    case core::EndCause::max_hold_reached:
      return Kind::max_hold_over;
    case core::EndCause::abandoned:
      return Kind::abandoned;
    case core::EndCause::force_released:
      return by_command ? Kind::other_end : Kind::doomed_over;
    case core::EndCause::released:
      return Kind::other_end;
    default:
      return Kind::expired;  // no good reason to end what is held
  }
}

// A force-release that ends leases in its own step: those of the resource that it names.
bool ends_now(const core::CommandBody& body, const core::Ended& ended) {
  const auto* force = std::get_if<core::ForceRelease>(&body);
  if (force == nullptr || force->when != core::ForceWhen::now) return false;
  for (const core::ResourceName& name : ended.lease.terms.resources) {
    if (name == force->resource) return true;
  }
  return false;
}

}  // namespace

void Notes::note(const core::State* state, const core::Command& command,
                 const core::Effects& effects) {
  stats.add(Count::commands);
  if (const auto* acquire = std::get_if<core::Acquire>(&command.body))
    sendings.emplace_back(acquire->id.str(), acquire->ticket);
  if (const auto* upgrade = std::get_if<core::Upgrade>(&command.body))
    sendings.emplace_back(upgrade->id.str(), upgrade->ticket);
  for (const core::Effect& effect : effects.all) note(state, command.body, effects.now, effect);
}

void Notes::note(const core::State* state, const core::CommandBody& body, core::Time now,
                 const core::Effect& effect) {
  const auto event = [&](Kind kind, const core::LeaseId& lease, core::Duration ttl = {},
                         core::Duration max_hold = {}) {
    events.push_back({kind, lease, now, ttl, max_hold});
  };
  if (const auto* granted = std::get_if<core::Granted>(&effect)) {
    const core::LeaseInfo& lease = granted->lease;
    if (!granted->repeated) {
      stats.add(granted->after_wait ? Count::grants_after_wait : Count::grants_at_once);
      event(Kind::granted, lease.id, lease.terms.ttl, lease.terms.max_hold);
    } else {
      stats.add(Count::grants_repeated);
      const auto view =
          state == nullptr ? std::nullopt : core::show_lease(*state, kSpace, lease.id);
      if (view && !view->detached) event(Kind::attached, lease.id);
    }
  } else if (const auto* renewed = std::get_if<core::Renewed>(&effect)) {
    stats.add(Count::renewals);
    const auto& command = std::get<core::Renew>(body);
    const bool own = command.ttl == core::Duration::zero();
    event(Kind::renewed, renewed->lease.id, own ? renewed->lease.terms.ttl : command.ttl);
  } else if (const auto* ended = std::get_if<core::Ended>(&effect)) {
    stats.add(count_of(ended->cause));
    const Kind kind = kind_of(*ended, ends_now(body, *ended));
    event(ended->held ? kind : Kind::other_end, ended->lease.id);
  } else if (const auto* detached = std::get_if<core::Detached>(&effect)) {
    stats.add(Count::detached);
    if (detached->lease.token != core::kNoToken) event(Kind::detached, detached->lease.id);
  } else if (const auto* queued = std::get_if<core::Queued>(&effect)) {
    if (!queued->repeated) {
      stats.add(Count::waits);
      waiting.push_back(queued->lease.id.str());
    }
  } else if (const auto* refused = std::get_if<core::Refused>(&effect)) {
    stats.add(count_of(refused->code));
    // The release of an unknown id is remembered, so that its late acquire is refused.
    if (std::holds_alternative<core::Release>(body) &&
        refused->code == core::RefusalCode::lease_not_found)
      event(Kind::other_end, refused->id);
  } else if (const auto* upgraded = std::get_if<core::Upgraded>(&effect)) {
    stats.add(upgraded->after_wait ? Count::upgrades_after_wait : Count::upgrades);
  } else if (const auto* busy = std::get_if<core::Busy>(&effect)) {
    stats.add(Count::busy);
    if (busy->kind == core::WaitKind::acquire) event(Kind::other_end, busy->id);
  } else if (std::holds_alternative<core::Superseded>(effect)) {
    stats.add(Count::superseded);
  } else if (std::holds_alternative<core::RenewalRefused>(effect)) {
    stats.add(Count::renewals_refused);
  } else if (std::holds_alternative<core::AlreadyEnded>(effect)) {
    stats.add(Count::already_ended);
  } else if (std::holds_alternative<core::UpgradeWithdrawn>(effect)) {
    stats.add(Count::upgrades_withdrawn);
  } else if (std::holds_alternative<core::Downgraded>(effect)) {
    stats.add(Count::downgrades);
  }
}

}  // namespace pawl::testing
