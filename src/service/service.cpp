// SPDX-License-Identifier: Apache-2.0
#include "service/service.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/read.h"
#include "core/validate.h"
#include "service/calls.h"
#include "service/feed.h"
#include "service/hold_times.h"
#include "service/lease_ids.h"
#include "service/long_holds.h"
#include "service/metrics.h"
#include "service/renewal_failures.h"
#include "service/reporter.h"
#include "service/verdict.h"

namespace pawl::service {
namespace {

constexpr ports::Ticks kLimitsAgain = std::chrono::milliseconds(50);
constexpr ports::Ticks kDrainStep = std::chrono::milliseconds(10);

Problem invalid(core::Invalid wrong) {
  Problem problem;
  problem.code = ProblemCode::invalid;
  problem.field = std::move(wrong.field);
  problem.detail = std::move(wrong.why);
  return problem;
}

Problem undecided(const Asked& asked, const Told& told) {
  if (const auto* refused = std::get_if<NotTaken>(&told)) return problem_of(asked, *refused);
  if (std::holds_alternative<Detached>(told)) return problem_of(asked, Detached{});
  return problem_of(asked, OutcomeUnknown{});
}

bool asks_for_a_hold(const core::CommandBody& body) {
  return std::holds_alternative<core::Acquire>(body) || std::holds_alternative<core::Upgrade>(body);
}

}  // namespace

class Service::Impl {
 public:
  Impl(const World& world, const ServiceOptions& options)
      : world_(world),
        options_(options),
        limits_(options.limits),
        applied_at_(world.clock.now()),
        feed_(world.loop, options.feed_events, options.feed_bytes),
        hold_times_(options.hold_time_resources),
        renewal_failures_(options.renewal_failures),
        reporter_(world.observer, world.wall, world.metrics, feed_, hold_times_, renewal_failures_),
        calls_({world.store, world.loop, world.clock, world.random}),
        long_holds_(
            world.loop, world.clock, options.long_hold,
            [this](const LongHolds::OnLook& done) { lend_state(done); },
            [this](const core::LeaseInfo& lease, core::Time now) {
              reporter_.held_long(lease, now);
            }),
        limits_timer_(world.loop.make_timer([this] { bring_limits(); })),
        drain_timer_(world.loop.make_timer([this] { check_drained(); })) {}

  CallId call(core::CommandBody body, OnOutcome done);
  void answer(const Asked& asked, const Told& told, const OnOutcome& done);
  Problem fail(Problem problem);  // counted
  void look(const OnLook& done);
  void lend_state(const LongHolds::OnLook& done);
  // What a command would be stamped with now.
  core::Time now_after(core::Time logged) const {
    return core::after(logged, world_.clock.now() - applied_at_);
  }
  void applied(ports::LogPosition where, const core::Command& command,
               const core::Effects& effects);
  void office_changed(const ports::Office& office);
  void bring_limits();
  void heed(const core::Limits& limits);
  void drain(ports::Ticks patience, ports::Action done);
  void check_drained();
  void refresh_metrics();
  bool ready() const { return !draining_ && world_.store.office().in_office; }

  World world_;
  ServiceOptions options_;
  core::Limits limits_;  // in force, as far as this node has heard
  core::Time state_time_{};
  ports::Ticks applied_at_;  // when state time was last seen to move
  Feed feed_;
  HoldTimes hold_times_;
  RenewalFailures renewal_failures_;
  Reporter reporter_;
  Calls calls_;
  LongHolds long_holds_;
  std::unique_ptr<ports::Timer> limits_timer_;
  std::unique_ptr<ports::Timer> drain_timer_;
  bool draining_ = false;
  ports::Ticks drained_by_{0};
  ports::Action drained_;

 private:
  std::optional<core::Invalid> check(const core::Command& command, bool own_id) const;
};

// A repeat of a request that was fine before the limits were lowered must be answered as before
// (P6): only the log knows whether it is one, so an id that the client brought goes there if any
// limits would do.
std::optional<core::Invalid> Service::Impl::check(const core::Command& command, bool own_id) const {
  auto wrong = core::validate(command, limits_);
  if (!wrong || own_id || !std::holds_alternative<core::Acquire>(command.body)) return wrong;
  return core::validate(command, core::widest_limits()) ? wrong : std::nullopt;
}

CallId Service::Impl::call(core::CommandBody body, OnOutcome done) {
  if (draining_ && asks_for_a_hold(body)) {
    done(fail(problem_of(ports::NotSubmitted{ports::NotSubmitted::Why::stopping, ""})));
    return 0;
  }
  bool own_id = false;
  if (auto* acquire = std::get_if<core::Acquire>(&body);
      acquire != nullptr && acquire->id.empty()) {
    acquire->id = make_lease_id(world_.secrets);
    acquire->submitted_once = own_id = true;
  }
  if (auto* force = std::get_if<core::ForceRelease>(&body))
    force->wall_ms = world_.wall.now().time_since_epoch().count();
  core::Command command{core::Time{}, std::move(body)};
  if (auto wrong = check(command, own_id)) {
    done(fail(invalid(std::move(*wrong))));
    return 0;
  }
  return calls_.take(std::move(command.body),
                     [this, done = std::move(done)](const Asked& asked, const Told& told) {
                       answer(asked, told, done);
                     });
}

void Service::Impl::answer(const Asked& asked, const Told& told, const OnOutcome& done) {
  const auto* decided = std::get_if<Decided>(&told);
  if (decided == nullptr) return done(fail(undecided(asked, told)));
  const core::Effect& effect = decided->effect;
  if (auto problem = problem_of(asked, effect, decided->now)) return done(std::move(*problem));
  std::optional<Receipt> receipt;
  if (std::holds_alternative<core::Granted>(effect))
    receipt = Receipt{asked.space, asked.id, asked.ticket, asked.wait_kind()};
  done(Happened{effect, decided->now, world_.wall.now(), std::move(receipt)});
}

Problem Service::Impl::fail(Problem problem) {
  world_.metrics.call_failed(problem.code);
  return problem;
}

void Service::Impl::look(const OnLook& done) {
  world_.store.read([this, done](const ports::ReadAnswer& answer) {
    if (const auto* refused = std::get_if<ports::NotSubmitted>(&answer))
      return done(fail(problem_of(*refused)));
    const core::State& state = std::get<ports::Readable>(answer).state;
    done(Seen{state, now_after(state.now), world_.wall.now()});
  });
}

void Service::Impl::lend_state(const LongHolds::OnLook& done) {
  world_.store.read([this, done](const ports::ReadAnswer& answer) {
    const auto* readable = std::get_if<ports::Readable>(&answer);
    if (readable == nullptr) return done(nullptr, {});
    done(&readable->state, now_after(readable->state.now));
  });
}

void Service::Impl::applied(ports::LogPosition where, const core::Command& command,
                            const core::Effects& effects) {
  state_time_ = effects.now;
  applied_at_ = world_.clock.now();
  if (const auto* set = std::get_if<core::LimitsSet>(&effects.reply())) heed(set->limits);
  calls_.applied(effects);
  reporter_.applied(where, command, effects);
}

void Service::Impl::office_changed(const ports::Office& office) {
  world_.metrics.office_changed(office);
  if (office.in_office) return bring_limits();
  calls_.left_office();
}

void Service::Impl::heed(const core::Limits& limits) {
  limits_ = limits;
  calls_.set_longest_wait(limits.max_wait);
}

// Whoever takes office has the operator's newest word on the limits.
void Service::Impl::bring_limits() {
  if (!world_.store.office().in_office) return;
  lend_state([this](const core::State* state, core::Time) {
    if (state == nullptr) return limits_timer_->set(world_.clock.now() + kLimitsAgain);
    heed(state->limits);
    if (state->limits == options_.limits) return;
    world_.store.submit(core::SetLimits{options_.limits}, [this](const ports::Answer& answer) {
      const auto* applied = std::get_if<ports::Applied>(&answer);
      if (applied == nullptr) return limits_timer_->set(world_.clock.now() + kLimitsAgain);
      if (const auto* refused = std::get_if<core::Refused>(&applied->effects.reply()))
        world_.observer.event(ports::Severity::error, "limits_refused",
                              {{"field", refused->field}, {"why", refused->why}});
    });
  });
}

void Service::Impl::drain(ports::Ticks patience, ports::Action done) {
  draining_ = true;
  drained_by_ = world_.clock.now() + patience;
  drained_ = std::move(done);
  calls_.detach_all();
  check_drained();
}

void Service::Impl::check_drained() {
  const ports::Ticks now = world_.clock.now();
  if (calls_.under_way() > 0 && now < drained_by_)
    return drain_timer_->set(std::min(drained_by_, now + kDrainStep));
  if (const ports::Action done = std::exchange(drained_, nullptr)) done();
}

void Service::Impl::refresh_metrics() {
  lend_state([this](const core::State* state, core::Time) {
    Metrics::Now now;
    now.ready = ready();
    now.held_long = long_holds_.count();
    now.longest_hold = long_holds_.longest();
    if (state != nullptr) {
      now.held = state->held;
      now.waiting = state->waiting;
      now.records = state->records;
      now.audit = state->audit.size();
      now.remembered = state->ends.used();
    }
    world_.metrics.set_now(now);
  });
}

Service::Service(const World& world, const ServiceOptions& options)
    : impl_(std::make_unique<Impl>(world, options)) {
  world.store.listen(this);
  office_changed(world.store.office());
}

Service::~Service() { impl_->world_.store.listen(nullptr); }

CallId Service::call(core::CommandBody body, OnOutcome done) {
  return impl_->call(std::move(body), std::move(done));
}
void Service::hung_up(CallId call) { impl_->calls_.hung_up(call); }
void Service::unheard(const Receipt& receipt) {
  impl_->calls_.unheard(receipt.space, receipt.id, receipt.ticket, receipt.kind);
}
void Service::look(OnLook done) { impl_->look(done); }
bool Service::ready() const { return impl_->ready(); }
ports::Office Service::office() const { return impl_->world_.store.office(); }
core::Time Service::state_time() const { return impl_->state_time_; }
const core::Limits& Service::limits() const { return impl_->limits_; }
void Service::drain(ports::Ticks patience, ports::Action done) {
  impl_->drain(patience, std::move(done));
}
Feed& Service::feed() { return impl_->feed_; }
const HoldTimes& Service::hold_times() const { return impl_->hold_times_; }
const RenewalFailures& Service::renewal_failures() const { return impl_->renewal_failures_; }
Metrics& Service::metrics() { return impl_->world_.metrics; }
void Service::refresh_metrics() { impl_->refresh_metrics(); }
const ports::WallClock& Service::wall_clock() const { return impl_->world_.wall; }

void Service::applied(ports::LogPosition where, const core::Command& command,
                      const core::Effects& effects) {
  impl_->applied(where, command, effects);
}
void Service::office_changed(const ports::Office& office) { impl_->office_changed(office); }

}  // namespace pawl::service
