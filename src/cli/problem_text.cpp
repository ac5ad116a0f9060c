// SPDX-License-Identifier: Apache-2.0
#include "cli/problem_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cli/fields.h"
#include "cli/text.h"

namespace pawl::cli {
namespace {

struct Advice {
  std::string_view code;
  ExitCode exit;
  std::string_view hint;
};

constexpr std::string_view kLater = "try again in a moment";
constexpr std::string_view kOtherVersion =
    "the service may be of another version than this command: see 'pawl version'";
constexpr std::string_view kNewId = "leave --lease-id out to ask with a new one";

// What is not listed here exits with kFailed and gets no hint.
constexpr std::array kAdvice = {
    Advice{"invalid", kUsage, ""},
    Advice{"malformed", kFailed, kOtherVersion},
    Advice{"unknown_field", kFailed, kOtherVersion},
    Advice{"not_found", kFailed, kOtherVersion},
    Advice{"method_not_allowed", kFailed, kOtherVersion},
    Advice{"lease_not_found", kLost,
           "check the id and --namespace; how a lease ended is remembered for a minute or so"},
    Advice{"lease_lost", kLost, "whatever it protected may be another's by now; ask for a new one"},
    Advice{"lease_not_held", kFailed, "it still waits: see 'pawl show'"},
    Advice{"lease_id_conflict", kFailed, kNewId},
    Advice{"lease_id_stale", kFailed, kNewId},
    Advice{"superseded", kFailed, "a later attempt with this id was seen: raise --attempt"},
    Advice{"mode_mismatch", kFailed, "all who use a name must use it in the same way"},
    Advice{"permit_limit_mismatch", kFailed, "all who use a name must give the same limit"},
    Advice{"renewal_refused", kFailed, "an operator ends this lease: finish before it runs out"},
    Advice{"not_held", kFailed, "nobody holds it: see 'pawl why'"},
    Advice{"not_holder", kFailed, "it has another holder by now: see 'pawl why'"},
    Advice{"no_deadline", kFailed, "leave --at-deadline out to end it at once"},
    Advice{"limit_reached", kFailed, kLater},
    Advice{"overloaded", kFailed, kLater},
    Advice{"too_many", kFailed, kLater},
    Advice{"timed_out", kFailed, kLater},
    Advice{"stopping", kFailed, kLater},
    Advice{"not_leader", kFailed, kLater},
    Advice{"outcome_unknown", kUnknown,
           "it may have happened: look with 'pawl show' or 'pawl why'"},
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 22> kFlags = {{
    {"resource", "NAME"},
    {"ownerId", "--owner"},
    {"ttlSeconds", "--ttl"},
    {"waitSeconds", "--wait"},
    {"mode", "--shared"},
    {"permits", "--permits"},
    {"permits.limit", "--permits"},
    {"permits.count", "--permits"},
    {"leaseId", "LEASE_ID"},
    {"leaseIds", "LEASE_ID"},
    {"attempt", "--attempt"},
    {"maxHoldSeconds", "--max-hold"},
    {"minHoldSeconds", "--min-hold"},
    {"lockDelaySeconds", "--lock-delay"},
    {"metadata", "--meta"},
    {"namespace", "--namespace"},
    {"actorId", "--actor"},
    {"reason", "--reason"},
    {"fencingToken", "--token"},
    {"limit", "--limit"},
    {"after", "--after"},
    {"Last-Event-ID", "--after"},
}};

// "; its token was 7; ended by ops: stuck": what else is known of a lost lease.
std::string circumstances(const boost::json::object& problem) {
  std::string out;
  if (const std::string cause = text_at(problem, "cause"); !cause.empty())
    out += "; cause: " + cause;
  if (const std::string actor = text_at(problem, "actorId"); !actor.empty())
    out += " by " + actor + " (" + text_at(problem, "reason") + ")";
  return out;
}

// The detail with the field's name as the flag that was typed; a wrong value always names it.
std::string in_flags(const std::string& detail, const std::string& field, ExitCode code) {
  if (field.empty()) return detail;
  if (detail.starts_with(field + " ")) return flag_of(field) + detail.substr(field.size());
  return code == kUsage ? flag_of(field) + ": " + detail : detail;
}

}  // namespace

std::string flag_of(std::string_view field) {
  if (field.starts_with("metadata.")) return "--meta " + std::string(field.substr(9));
  if (field.starts_with("resources")) return "NAME";
  if (field.starts_with("leaseIds")) return "LEASE_ID";
  const auto found = std::find_if(kFlags.begin(), kFlags.end(),
                                  [&](const auto& flag) { return flag.first == field; });
  return std::string(found == kFlags.end() ? field : found->second);
}

Trouble trouble_from(const boost::json::object& problem) {
  Trouble trouble;
  trouble.problem_code = text_at(problem, "code");
  trouble.state_time_ms = number_at(problem, "stateTimeMs");
  const auto advice = std::find_if(kAdvice.begin(), kAdvice.end(),
                                   [&](const Advice& a) { return a.code == trouble.problem_code; });
  if (advice != kAdvice.end()) {
    trouble.code = advice->exit;
    trouble.hint = advice->hint;
  }
  std::string detail = text_at(problem, "detail");
  if (detail.empty()) detail = text_at(problem, "title");
  if (detail.ends_with('.')) detail.pop_back();
  trouble.message = in_flags(detail, text_at(problem, "field"), trouble.code);
  if (trouble.problem_code == "lease_lost") trouble.message += circumstances(problem);
  const std::string leader = text_at(problem, "leader");
  if (!leader.empty()) trouble.hint = "ask the leader: --url http://" + leader;
  return trouble;
}

}  // namespace pawl::cli
