// SPDX-License-Identifier: Apache-2.0
#include "service/verdict.h"

#include <string>
#include <utility>

namespace pawl::service {
namespace {

using core::EndCause;
using core::RefusalCode;

ProblemCode code_of(RefusalCode code) {
  switch (code) {
    case RefusalCode::invalid:
      return ProblemCode::invalid;
    case RefusalCode::lease_id_conflict:
      return ProblemCode::lease_id_conflict;
    case RefusalCode::lease_id_stale:
      return ProblemCode::lease_id_stale;
    case RefusalCode::lease_not_found:
      return ProblemCode::lease_not_found;
    case RefusalCode::lease_not_held:
      return ProblemCode::lease_not_held;
    case RefusalCode::superseded:
      return ProblemCode::superseded;
    case RefusalCode::mode_mismatch:
      return ProblemCode::mode_mismatch;
    case RefusalCode::permit_limit_mismatch:
      return ProblemCode::permit_limit_mismatch;
    case RefusalCode::upgrade_conflict:
      return ProblemCode::upgrade_conflict;
    case RefusalCode::overloaded:
      return ProblemCode::limit_reached;
    case RefusalCode::not_held:
      return ProblemCode::not_held;
    case RefusalCode::not_holder:
      return ProblemCode::not_holder;
    case RefusalCode::no_deadline:
      return ProblemCode::no_deadline;
    case RefusalCode::rule_version_unsupported:
      return ProblemCode::internal;
  }
  return ProblemCode::internal;
}

// For those refusals that the core leaves without words.
std::string_view words_for(ProblemCode code) {
  switch (code) {
    case ProblemCode::lease_id_conflict:
      return "this lease id belongs to another request: other resources, owner, mode or times";
    case ProblemCode::lease_id_stale:
      return "this lease id was made longer ago than ends are remembered; take a new one";
    case ProblemCode::lease_not_found:
      return "no lease has this id, and none ended lately";
    case ProblemCode::lease_not_held:
      return "this lease still waits to be granted";
    case ProblemCode::superseded:
      return "a newer attempt of this request counts; this one was answered before or has been "
             "replaced";
    case ProblemCode::mode_mismatch:
      return "permits and the other modes don't mix on one resource, and a permit has no upgrade";
    case ProblemCode::permit_limit_mismatch:
      return "the resource is in use with another limit of permits";
    case ProblemCode::upgrade_conflict:
      return "another holder waits for its upgrade; both waiting would never end, so release one";
    case ProblemCode::limit_reached:
      return "as much as the limits allow is held, waited for or remembered";
    case ProblemCode::not_held:
      return "nobody holds this resource";
    case ProblemCode::not_holder:
      return "this lease or token does not hold the resource, or no longer does";
    case ProblemCode::no_deadline:
      return "a lease without a deadline can only be released now";
    default:
      return "the request was refused";
  }
}

Problem refused(const Asked& asked, const core::Refused& answer) {
  Problem problem;
  problem.code = code_of(answer.code);
  problem.field = answer.field;
  problem.detail = answer.why.empty() ? std::string(words_for(problem.code)) : answer.why;
  problem.lease_id = asked.id;
  return problem;
}

std::string_view how_it_ended(EndCause cause) {
  switch (cause) {
    case EndCause::released:
      return "the lease was released";
    case EndCause::expired:
      return "the lease was not renewed in time and has expired";
    case EndCause::max_hold_reached:
      return "the lease reached its longest hold";
    case EndCause::force_released:
      return "an operator released the lease";
    case EndCause::abandoned:
      return "nobody came back for the lease, so it was given up";
    case EndCause::timed_out:
      return "the wait for the lease was over";
    case EndCause::busy:
      return "the lease was never granted: the resource was taken";
    case EndCause::refused:
      return "the lease was never granted: its mode or permits did not fit the resource";
    case EndCause::never_acquired:
      return "the lease was released before it was asked for";
  }
  return "the lease is over";
}

template <class End>
Problem lost(const Asked& asked, const End& end, core::FencingToken token) {
  Problem problem;
  problem.code = ProblemCode::lease_lost;
  problem.detail = how_it_ended(end.cause);
  problem.lease_id = asked.id;
  problem.cause = end.cause;
  problem.actor = end.actor;
  problem.reason = end.reason;
  problem.audit = end.audit;
  problem.token = token;
  return problem;
}

// Never held: there is nothing that could have been lost.
bool never_held(EndCause cause, core::FencingToken token) {
  return cause == EndCause::busy || cause == EndCause::timed_out || cause == EndCause::refused ||
         (cause == EndCause::abandoned && token == core::kNoToken);
}

bool answers(CallKind kind, const core::AlreadyEnded& end) {
  if (kind == CallKind::acquire)
    return end.cause == EndCause::busy || end.cause == EndCause::timed_out;
  if (kind == CallKind::release)
    return end.cause == EndCause::released || never_held(end.cause, end.token);
  return false;
}

// P6: a change that was made already is answered as it was, when the token shows that it was.
bool answers(const Asked& asked, const core::Present& present) {
  if (asked.kind == CallKind::upgrade)
    return present.lease.mode == core::Mode::exclusive && present.lease.token > asked.known;
  if (asked.kind == CallKind::downgrade)
    return present.lease.mode == core::Mode::shared && present.lease.token == asked.known;
  return false;
}

Problem token_mismatch(const Asked& asked, const core::Present& present) {
  Problem problem;
  problem.code = ProblemCode::token_mismatch;
  problem.field = "fencingToken";
  problem.detail = "the lease has the fencing token " +
                   std::to_string(static_cast<std::uint64_t>(present.lease.token)) + ", not " +
                   std::to_string(static_cast<std::uint64_t>(asked.known));
  problem.lease_id = asked.id;
  problem.token = present.lease.token;
  return problem;
}

Problem renewal_refused(const Asked& asked, const core::RenewalRefused& answer) {
  Problem problem;
  problem.code = ProblemCode::renewal_refused;
  problem.detail = "an operator ends this lease at its deadline; it is held until then";
  problem.lease_id = asked.id;
  problem.cause = EndCause::force_released;
  problem.actor = answer.actor;
  problem.reason = answer.reason;
  problem.audit = answer.audit;
  problem.token = answer.lease.token;
  problem.valid_for = answer.valid_for;
  return problem;
}

Problem withdrawn(const Asked& asked) {
  Problem problem;
  problem.code = ProblemCode::superseded;
  problem.detail = "the upgrade was withdrawn; the lease goes on as shared";
  problem.lease_id = asked.id;
  return problem;
}

struct Judge {
  const Asked& asked;

  std::optional<Problem> operator()(const core::Refused& answer) const {
    return refused(asked, answer);
  }
  std::optional<Problem> operator()(const core::AlreadyEnded& answer) const {
    if (answers(asked.kind, answer)) return {};
    return lost(asked, answer, answer.token);
  }
  std::optional<Problem> operator()(const core::Ended& answer) const {
    const bool own_release = asked.kind == CallKind::release && answer.cause == EndCause::released;
    const bool own_timeout = asked.kind == CallKind::acquire && answer.cause == EndCause::timed_out;
    if (own_release || own_timeout) return {};
    return lost(asked, answer, answer.lease.token);
  }
  std::optional<Problem> operator()(const core::Present& answer) const {
    if (answers(asked, answer)) return {};
    return token_mismatch(asked, answer);
  }
  std::optional<Problem> operator()(const core::RenewalRefused& answer) const {
    return renewal_refused(asked, answer);
  }
  std::optional<Problem> operator()(const core::Superseded&) const {
    return refused(asked, {asked.space, asked.id, {}, RefusalCode::superseded, "attempt", ""});
  }
  std::optional<Problem> operator()(const core::UpgradeWithdrawn& answer) const {
    if (answer.cause == EndCause::timed_out) return {};
    return withdrawn(asked);
  }
  // Whatever else is an answer to any call at all.
  std::optional<Problem> operator()(const core::Granted&) const { return {}; }
  std::optional<Problem> operator()(const core::Busy&) const { return {}; }
  std::optional<Problem> operator()(const core::Renewed&) const { return {}; }
  std::optional<Problem> operator()(const core::Upgraded&) const { return {}; }
  std::optional<Problem> operator()(const core::Downgraded&) const { return {}; }
  std::optional<Problem> operator()(const core::ForceReleased&) const { return {}; }
  template <class Other>
  std::optional<Problem> operator()(const Other&) const {
    Problem problem;
    problem.detail = "the service gave an answer that fits no request";
    problem.lease_id = asked.id;
    return problem;
  }
};

}  // namespace

std::optional<Problem> problem_of(const Asked& asked, const core::Effect& answer, core::Time now) {
  std::optional<Problem> problem = std::visit(Judge{asked}, answer);
  if (problem) problem->state_time = now;
  return problem;
}

Problem problem_of(const Asked& asked, const NotTaken& told) {
  Problem problem = problem_of(told.refused);
  problem.lease_id = asked.id;
  return problem;
}

Problem problem_of(const Asked& asked, const OutcomeUnknown&) {
  Problem problem;
  problem.code = ProblemCode::outcome_unknown;
  problem.detail =
      "this may have been done, or may still be; repeat it with the same lease id to find out";
  problem.lease_id = asked.id;
  return problem;
}

Problem problem_of(const ports::NotSubmitted& refused) {
  Problem problem;
  switch (refused.why) {
    case ports::NotSubmitted::Why::overloaded:
      problem.code = ProblemCode::overloaded;
      problem.detail = "more is under way than this node takes at once; nothing was done";
      break;
    case ports::NotSubmitted::Why::not_leader:
      problem.code = ProblemCode::not_leader;
      problem.detail = refused.leader.empty()
                           ? "this node does not lead now, and knows nobody who does"
                           : "another node leads now: " + refused.leader;
      problem.leader = refused.leader;
      break;
    case ports::NotSubmitted::Why::stopping:
      problem.code = ProblemCode::stopping;
      problem.detail = "this node is shutting down; nothing was done";
      break;
  }
  return problem;
}

Problem problem_of(const Asked& asked, const Detached&) {
  Problem problem;
  problem.code = ProblemCode::stopping;
  problem.detail =
      "this node is shutting down; ask again with the same lease id, which keeps its place for "
      "some seconds";
  problem.lease_id = asked.id;
  return problem;
}

}  // namespace pawl::service
