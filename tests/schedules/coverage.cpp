// SPDX-License-Identifier: Apache-2.0
#include "schedules/coverage.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <variant>

#include "support/print.h"

namespace pawl::testing {
namespace {

// In the order of core::Effect.
constexpr std::array<std::string_view, std::variant_size_v<core::Effect>> kEffectNames = {
    "granted",         "queued",         "busy",
    "refused",         "superseded",     "renewed",
    "renewal_refused", "ended",          "already_ended",
    "upgraded",        "upgrade_queued", "upgrade_withdrawn",
    "downgraded",      "present",        "detached",
    "force_released",  "advanced",       "taken_over",
    "limits_set"};

constexpr int kEndCauses = static_cast<int>(core::EndCause::never_acquired) + 1;
constexpr int kRefusalCodes = static_cast<int>(core::RefusalCode::rule_version_unsupported) + 1;

// A lease ends by one of these only before it was one: they are seen as already_ended.
bool is_impossible(std::string_view name) {
  return name == "ended busy" || name == "ended refused" || name == "ended never_acquired";
}

std::string with(std::string_view what, std::string_view how) {
  return std::string(what) + " " + std::string(how);
}

}  // namespace

Coverage::Coverage() {
  for (const std::string_view name : kEffectNames) counts_[std::string(name)] = 0;
  for (int i = 0; i < kEndCauses; ++i) {
    const std::string_view cause = to_text(static_cast<core::EndCause>(i));
    counts_[with("ended", cause)] = 0;
    counts_[with("already_ended", cause)] = 0;
  }
  for (int i = 0; i < kRefusalCodes; ++i) {
    counts_[with("refused", to_text(static_cast<core::RefusalCode>(i)))] = 0;
  }
  for (const char* name : {"refused overloaded leases",
                           "refused overloaded records",
                           "refused overloaded waiters",
                           "granted after_wait",
                           "granted repeated",
                           "queued repeated",
                           "superseded acquire",
                           "superseded upgrade",
                           "busy acquire held",
                           "busy acquire delayed",
                           "busy upgrade held",
                           "busy upgrade delayed",
                           "busy more holders than shown",
                           "busy without holders",
                           "busy unlimited",
                           "upgraded after_wait",
                           "upgrade_queued repeated",
                           "upgrade_withdrawn timed_out",
                           "upgrade_withdrawn abandoned",
                           "ended with upgrade",
                           "ended closed",
                           "ended abandoned held",
                           "ended abandoned waiting",
                           "ended force_released without record",
                           "force_released more than named",
                           "two grants in one step",
                           "three ends in one step"}) {
    counts_[name] = 0;
  }
}

void Coverage::count(const core::Effects& effects) {
  int grants = 0;
  int ends = 0;
  for (const core::Effect& effect : effects.all) {
    const std::string name(kEffectNames[effect.index()]);
    reach(name);
    if (const auto* e = std::get_if<core::Granted>(&effect)) {
      ++grants;
      if (e->after_wait) reach("granted after_wait");
      if (e->repeated) reach("granted repeated");
    } else if (const auto* queued = std::get_if<core::Queued>(&effect)) {
      if (queued->repeated) reach("queued repeated");
    } else if (const auto* superseded = std::get_if<core::Superseded>(&effect)) {
      reach(with(name, to_text(superseded->kind)));
    } else if (const auto* busy = std::get_if<core::Busy>(&effect)) {
      reach(with(with(name, to_text(busy->kind)), to_text(busy->reason)));
      if (busy->holder_count > busy->holders.size()) reach("busy more holders than shown");
      if (busy->holders.empty() && busy->reason == core::BusyReason::held)
        reach("busy without holders");
      if (busy->retry_after == core::kUnlimited) reach("busy unlimited");
    } else if (const auto* refused = std::get_if<core::Refused>(&effect)) {
      reach(with(name, to_text(refused->code)));
      if (refused->code == core::RefusalCode::overloaded)
        reach(with("refused overloaded", refused->field));
    } else if (const auto* upgraded = std::get_if<core::Upgraded>(&effect)) {
      if (upgraded->after_wait) reach("upgraded after_wait");
    } else if (const auto* waits = std::get_if<core::UpgradeQueued>(&effect)) {
      if (waits->repeated) reach("upgrade_queued repeated");
    } else if (const auto* withdrawn = std::get_if<core::UpgradeWithdrawn>(&effect)) {
      reach(with(name, to_text(withdrawn->cause)));
    } else if (const auto* already = std::get_if<core::AlreadyEnded>(&effect)) {
      reach(with(name, to_text(already->cause)));
    } else if (const auto* forced = std::get_if<core::ForceReleased>(&effect)) {
      if (forced->record.holder_count > forced->record.holders.size())
        reach("force_released more than named");
    } else if (const auto* ended = std::get_if<core::Ended>(&effect)) {
      ++ends;
      reach(with(name, to_text(ended->cause)));
      if (ended->waiting_upgrade) reach("ended with upgrade");
      if (ended->closed_until != core::Time{}) reach("ended closed");
      if (ended->cause == core::EndCause::abandoned) {
        reach(ended->held ? "ended abandoned held" : "ended abandoned waiting");
      }
      if (ended->cause == core::EndCause::force_released && ended->actor.empty()) {
        reach("ended force_released without record");
      }
    }
  }
  if (grants >= 2) reach("two grants in one step");
  if (ends >= 3) reach("three ends in one step");
}

std::string Coverage::table() const {
  std::string text;
  for (const auto& [name, count] : counts_) {
    char line[96];
    std::snprintf(line, sizeof line, "%10llu  %s%s\n", static_cast<unsigned long long>(count),
                  name.c_str(), is_impossible(name) ? " (impossible)" : "");
    text += line;
  }
  return text;
}

std::vector<std::string> Coverage::missing(std::uint64_t least) const {
  std::vector<std::string> names;
  for (const auto& [name, count] : counts_) {
    if (is_impossible(name) ? count != 0 : count < least) names.push_back(name);
  }
  return names;
}

}  // namespace pawl::testing
