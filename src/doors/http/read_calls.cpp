// SPDX-License-Identifier: Apache-2.0
#include "doors/http/read_calls.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/read.h"
#include "doors/http/pieces.h"
#include "doors/http/queries.h"
#include "doors/http/requests.h"
#include "doors/http/views.h"
#include "service/feed.h"
#include "service/hold_times.h"
#include "service/metrics.h"
#include "service/renewal_failures.h"
#include "service/verdict.h"

namespace pawl::doors::http {
namespace {

using service::CallId;
using service::Look;
using service::Seen;

// `show` answers from the state that was seen.
template <class Show>
CallId look(Call& call, Show show) {
  call.service.look([reply = std::move(call.reply), show = std::move(show)](const Look& seen) {
    if (const auto* problem = std::get_if<service::Problem>(&seen)) return reply.problem(*problem);
    const auto& [state, now, wall] = std::get<Seen>(seen);
    show(reply, state, Moment{now, wall, state.now});
  });
  return 0;
}

// The namespace of the query, checked.
Verdict read_space(const Call& call, core::Namespace& space) {
  if (Verdict bad = settle_namespace(call.target, space)) return bad;
  return check_namespace(space, call.service.limits());
}

// By whom and why is in the trail, as long as that goes back.
void add_actor(const core::State& state, core::AlreadyEnded& end) {
  if (end.audit == core::kNoAudit) return;
  const core::AuditId before{static_cast<std::uint64_t>(end.audit) - 1};
  const auto records = core::list_audit(state, end.space, "", before, 1).records;
  if (records.empty() || records.front().id != end.audit) return;
  end.actor = records.front().actor;
  end.reason = records.front().reason;
}

service::Problem no_such_lease(const core::State& state, const core::Namespace& space,
                               const core::LeaseId& id) {
  service::Asked asked;
  asked.kind = service::CallKind::renew;
  asked.space = space;
  asked.id = id;
  core::Effect answer =
      core::Refused{space, id, {}, core::RefusalCode::lease_not_found, "leaseId", ""};
  std::optional<core::AlreadyEnded> end = core::show_end(state, space, id);
  if (end && end->cause != core::EndCause::never_acquired) {
    add_actor(state, *end);
    answer = std::move(*end);
  }
  return service::problem_of(asked, answer, state.now).value_or(service::Problem{});
}

}  // namespace

CallId list_locks(Call& call) {
  core::Namespace space;
  std::size_t limit = 0;
  std::optional<core::HoldCursor> after;
  if (Verdict bad = read_space(call, space)) return call.refuse(*bad);
  if (Verdict bad = read_limit(call.target, call.options, limit)) return call.refuse(*bad);
  if (Verdict bad = read_after(call.target, after)) return call.refuse(*bad);
  return look(call, [space = std::move(space), prefix = read_text(call.target, "prefix"),
                     after = std::move(after),
                     limit](const Responder& reply, const core::State& state, Moment moment) {
    reply.json(locks_view(core::list_holds(state, space, prefix, after, limit), moment));
  });
}

CallId show_lock(Call& call) {
  core::Namespace space;
  core::LeaseId id(call.argument);
  if (Verdict bad = settle_namespace(call.target, space)) return call.refuse(*bad);
  if (Verdict bad = check_lease(space, id, call.service.limits())) return call.refuse(*bad);
  return look(call, [space = std::move(space), id = std::move(id)](
                        const Responder& reply, const core::State& state, Moment moment) {
    const auto view = core::show_lease(state, space, id);
    if (!view) return reply.problem(no_such_lease(state, space, id));
    reply.json(lock_view(*view, moment));
  });
}

CallId show_resource(Call& call) {
  core::Namespace space;
  core::ResourceName name(call.argument);
  std::size_t limit = 0;
  if (Verdict bad = settle_namespace(call.target, space)) return call.refuse(*bad);
  if (Verdict bad = check_resource(space, name, call.service.limits())) return call.refuse(*bad);
  if (Verdict bad = read_limit(call.target, call.options, limit)) return call.refuse(*bad);
  return look(call,
              [&times = call.service.hold_times(), space = std::move(space), name = std::move(name),
               limit](const Responder& reply, const core::State& state, Moment moment) {
                const auto view = core::show_resource(state, space, name, limit);
                reply.json(resource_view(space, name, view, times.usual(space, name), moment));
              });
}

CallId list_audit(Call& call) {
  core::Namespace space;
  std::size_t limit = 0;
  core::AuditId after{};
  if (Verdict bad = read_space(call, space)) return call.refuse(*bad);
  if (Verdict bad = read_limit(call.target, call.options, limit)) return call.refuse(*bad);
  if (Verdict bad = read_after(call.target, after)) return call.refuse(*bad);
  return look(call, [space = std::move(space), prefix = read_text(call.target, "prefix"), after,
                     limit](const Responder& reply, const core::State& state, Moment) {
    // One more than is shown tells whether there is a next page.
    reply.json(audit_view(core::list_audit(state, space, prefix, after, limit)));
  });
}

CallId check_fence(Call& call) {
  FenceCheck check;
  if (Verdict bad = read(call.request.body, check)) return call.refuse(*bad);
  if (Verdict bad = settle_namespace(call.target, check.space)) return call.refuse(*bad);
  if (Verdict bad = check_resource(check.space, check.resource, call.service.limits()))
    return call.refuse(*bad);
  return look(call, [&metrics = call.service.metrics(), check = std::move(check)](
                        const Responder& reply, const core::State& state, Moment moment) {
    const bool valid = core::holds_token(state, check.space, check.resource, check.token);
    const auto view = core::show_resource(state, check.space, check.resource, 0);
    metrics.fence_checked(valid);
    reply.json(fence_view(valid, view ? view->last_token : core::kNoToken, moment.logged));
  });
}

CallId watch_events(Call& call) {
  Stream stream;
  stream.filter.prefix = read_text(call.target, "prefix");
  if (read_text(call.target, "namespace") != "*") {
    core::Namespace space;
    if (Verdict bad = read_space(call, space)) return call.refuse(*bad);
    stream.filter.space = std::move(space);
  }
  std::optional<service::EventId> after;
  if (Verdict bad = read_after(call.target, call.request.last_event_id, after))
    return call.refuse(*bad);
  if (call.request.method == "HEAD") {
    Answer head;
    head.content_type = "text/event-stream";
    call.reply.tell(std::move(head));
    return 0;
  }
  stream.from = call.service.feed().end();
  if (after) {
    const service::Feed::Found found = call.service.feed().after(*after);
    stream.from = found.place;
    stream.missed = found.missed;
  }
  call.reply.stream(std::move(stream));
  return 0;
}

CallId list_renewal_failures(Call& call) {
  core::Namespace space;
  std::size_t limit = 0;
  if (Verdict bad = read_space(call, space)) return call.refuse(*bad);
  if (Verdict bad = read_limit(call.target, call.options, limit)) return call.refuse(*bad);
  service::RenewalFailures::Filter filter;
  filter.space = std::move(space);
  filter.prefix = read_text(call.target, "prefix");
  if (const std::string* owner = call.target.find("ownerId")) filter.owner = core::OwnerId(*owner);
  call.reply.json(renewal_failures_view(call.service.renewal_failures().recent(filter, limit)));
  return 0;
}

}  // namespace pawl::doors::http
