// SPDX-License-Identifier: Apache-2.0
// Why a request was not done, for people and programs: a code that never changes its meaning, the
// field it is about, one sentence, and whether trying again can help. Doors give it the form of
// their protocol. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/effect.h"

namespace pawl::service {

enum class ProblemCode : std::uint8_t {
  // The request could not be read, or there is no such thing to ask for.
  malformed,           // not what the protocol or its notation allows
  unknown_field,       // `field` is none of ours; the detail names the nearest
  not_found,           // no such path
  method_not_allowed,  // the path exists, the method doesn't
  cross_origin,        // a web page of another origin sent it
  too_large,           // a body, a header or a target beyond the limit
  timed_out,           // the rest of the request never came
  // It was read, and is not acceptable.
  invalid,  // `field` has a value that can't be
  // The locks say no.
  lease_not_found,
  lease_lost,      // the lease is over: `cause`, and for force_released the actor and the reason
  lease_not_held,  // it still waits
  lease_id_conflict,
  lease_id_stale,
  superseded,
  mode_mismatch,
  permit_limit_mismatch,
  upgrade_conflict,
  token_mismatch,   // the lease has another token than the caller believes: `token`
  renewal_refused,  // an operator ends this lease at its deadline
  not_held,
  not_holder,
  no_deadline,
  // Not now.
  limit_reached,    // as much as the limits allow is held, waited for or remembered; `field`
  overloaded,       // more is under way than the node takes; nothing was done
  too_many,         // connections or event readers
  not_leader,       // another node answers: `leader`, if known
  stopping,         // this node is shutting down; ask again
  outcome_unknown,  // it may have happened or still happen: repeat it with `lease_id` (P11)
  internal,
};

struct Problem {
  ProblemCode code = ProblemCode::internal;
  std::string field;   // as the API names it; empty: none
  std::string detail;  // one sentence
  core::LeaseId lease_id;
  std::optional<core::EndCause> cause;
  core::ActorId actor;
  std::string reason;
  core::AuditId audit{};
  core::FencingToken token{};            // of the lease in question, if it has or had one
  std::optional<core::Time> state_time;  // of the step that decided it
  core::Duration valid_for{0};           // renewal_refused: how long it is still held
  std::string leader;
};

// `lease_lost` and so on: stable, part of every API.
std::string_view to_text(ProblemCode code);
// Whether the same request, sent again later, may succeed.
bool retry_helps(ProblemCode code);

std::string_view to_text(core::EndCause cause);
std::string_view to_text(core::Mode mode);

}  // namespace pawl::service
