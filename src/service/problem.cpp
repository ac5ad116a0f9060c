// SPDX-License-Identifier: Apache-2.0
#include "service/problem.h"

namespace pawl::service {

std::string_view to_text(ProblemCode code) {
  switch (code) {
    case ProblemCode::malformed:
      return "malformed";
    case ProblemCode::unknown_field:
      return "unknown_field";
    case ProblemCode::not_found:
      return "not_found";
    case ProblemCode::method_not_allowed:
      return "method_not_allowed";
    case ProblemCode::cross_origin:
      return "cross_origin";
    case ProblemCode::too_large:
      return "too_large";
    case ProblemCode::timed_out:
      return "timed_out";
    case ProblemCode::invalid:
      return "invalid";
    case ProblemCode::lease_not_found:
      return "lease_not_found";
    case ProblemCode::lease_lost:
      return "lease_lost";
    case ProblemCode::lease_not_held:
      return "lease_not_held";
    case ProblemCode::lease_id_conflict:
      return "lease_id_conflict";
    case ProblemCode::lease_id_stale:
      return "lease_id_stale";
    case ProblemCode::superseded:
      return "superseded";
    case ProblemCode::mode_mismatch:
      return "mode_mismatch";
    case ProblemCode::permit_limit_mismatch:
      return "permit_limit_mismatch";
    case ProblemCode::upgrade_conflict:
      return "upgrade_conflict";
    case ProblemCode::token_mismatch:
      return "token_mismatch";
    case ProblemCode::renewal_refused:
      return "renewal_refused";
    case ProblemCode::not_held:
      return "not_held";
    case ProblemCode::not_holder:
      return "not_holder";
    case ProblemCode::no_deadline:
      return "no_deadline";
    case ProblemCode::limit_reached:
      return "limit_reached";
    case ProblemCode::overloaded:
      return "overloaded";
    case ProblemCode::too_many:
      return "too_many";
    case ProblemCode::not_leader:
      return "not_leader";
    case ProblemCode::stopping:
      return "stopping";
    case ProblemCode::outcome_unknown:
      return "outcome_unknown";
    case ProblemCode::internal:
      return "internal";
  }
  return "internal";
}

bool retry_helps(ProblemCode code) {
  switch (code) {
    case ProblemCode::timed_out:
    case ProblemCode::limit_reached:
    case ProblemCode::overloaded:
    case ProblemCode::too_many:
    case ProblemCode::not_leader:
    case ProblemCode::stopping:
    case ProblemCode::outcome_unknown:
      return true;
    default:
      return false;
  }
}

std::string_view to_text(core::EndCause cause) {
  switch (cause) {
    case core::EndCause::released:
      return "released";
    case core::EndCause::expired:
      return "expired";
    case core::EndCause::max_hold_reached:
      return "max_hold_reached";
    case core::EndCause::force_released:
      return "force_released";
    case core::EndCause::abandoned:
      return "abandoned";
    case core::EndCause::timed_out:
      return "timed_out";
    case core::EndCause::busy:
      return "busy";
    case core::EndCause::refused:
      return "refused";
    case core::EndCause::never_acquired:
      return "never_acquired";
  }
  return "unknown";
}

std::string_view to_text(core::Mode mode) {
  switch (mode) {
    case core::Mode::exclusive:
      return "exclusive";
    case core::Mode::shared:
      return "shared";
    case core::Mode::permit:
      return "permit";
  }
  return "unknown";
}

}  // namespace pawl::service
