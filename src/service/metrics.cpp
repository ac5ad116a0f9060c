// SPDX-License-Identifier: Apache-2.0
#include "service/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <deque>
#include <map>
#include <sstream>
#include <vector>

#include "service/prefixes.h"
#include "service/process_figures.h"
#include "service/tally.h"

namespace pawl::service {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using Buckets = Histogram::BucketBoundaries;

const Buckets kWaitBuckets = {.001, .005, .01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 600};
const Buckets kHoldBuckets = {.001, .01, .1,  .5,    1,     5,      10,    30,
                              60,   300, 600, 1'800, 3'600, 21'600, 86'400};
const Buckets kWriteBuckets = {.00005, .0001, .0002, .0005, .001, .002, .005,
                               .01,    .02,   .05,   .1,    .2,   .5,   1};
const Buckets kRequestBuckets = {.0001, .00025, .0005, .001, .0025, .005, .01, .025,
                                 .05,   .1,     .25,   .5,   1,     5,    30,  600};

constexpr std::size_t kMaxNames = 64;     // of calls of a door, or of reasons
constexpr std::size_t kMaxStatuses = 64;  // of one call

template <class Enum>
constexpr std::size_t index(Enum value) {
  return static_cast<std::size_t>(value);
}

double seconds(core::Duration value) { return std::chrono::duration<double>(value).count(); }

struct Registry {
  Family<Counter>& counters(const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
  }
  Family<Gauge>& gauges(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
  }
  Family<Histogram>& histograms(const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
  }
  Counter& counter(const char* name, const char* help) { return counters(name, help).Add({}); }
  Gauge& gauge(const char* name, const char* help) { return gauges(name, help).Add({}); }

  prometheus::Registry registry;
};

// One counter for each value of an enum that occurs: from the first on, so that a rate can be
// taken, and found without a look at its label.
template <class Enum, std::size_t size>
class Labelled {
 public:
  Labelled(Family<Counter>& family, const char* label, std::initializer_list<Enum> values)
      : family_(family), label_(label) {
    for (const Enum value : values) (*this)[value];
  }
  Counter& operator[](Enum value) {
    Counter*& counter = counters_[index(value)];
    if (counter == nullptr) counter = &family_.Add({{label_, std::string(to_text(value))}});
    return *counter;
  }

 private:
  Family<Counter>& family_;
  const char* label_;
  std::array<Counter*, size> counters_{};
};

// Values by a text that our own code gives: bounded all the same.
template <class Value>
class ByName {
 public:
  template <class Make>
  Value& get(std::string_view name, Make make) {
    if (const auto found = values_.find(name); found != values_.end()) return found->second;
    const std::string label(values_.size() < kMaxNames ? name : "other");
    if (const auto found = values_.find(label); found != values_.end()) return found->second;
    return values_.emplace(label, make(label)).first->second;
  }

 private:
  std::map<std::string, Value, std::less<>> values_;
};

// What clients asked of the locks, and what came of it.
class LockMetrics final : public Tally {
 public:
  LockMetrics(Registry& to, std::size_t max_prefixes);

  void attempted(CallKind call, AskedMode mode) override {
    attempts_[index(call)][index(mode)]->Increment();
  }
  void came_to(CallKind call, AskedMode mode, CameTo outcome) override {
    Counter*& counter = outcomes_[index(call)][index(mode)][index(outcome)];
    if (counter == nullptr) counter = &add_outcome(call, mode, outcome);
    counter->Increment();
  }
  void refused(core::RefusalCode code) override { refusals_[code].Increment(); }
  void wanted(const core::ResourceName& resource) override { at(resource).attempts->Increment(); }
  void contended(const core::ResourceName& resource) override {
    at(resource).contended->Increment();
  }
  void queued(const core::ResourceName& resource) override { at(resource).waits->Increment(); }
  void waited(CallKind call, bool granted, core::Duration lasted,
              const core::ResourceName& resource) override {
    waits_[call == CallKind::upgrade ? 2 : granted ? 0 : 1]->Observe(seconds(lasted));
    at(resource).wait_seconds->Increment(seconds(lasted));
  }
  void held(core::Mode mode, core::EndCause cause, core::Duration lasted,
            const core::ResourceName& resource) override {
    holds_[index(mode)]->Observe(seconds(lasted));
    ends_[cause].Increment();
    at(resource).hold_seconds->Increment(seconds(lasted));
  }
  void renewal_failed(Failure why) override { renewal_failures_[why].Increment(); }
  void release_failed(Failure why) override { release_failures_[why].Increment(); }
  void force_released(core::ForceWhen when) override { force_releases_[index(when)]->Increment(); }

 private:
  struct ByPrefix {
    Counter* attempts;
    Counter* contended;
    Counter* waits;
    Counter* wait_seconds;
    Counter* hold_seconds;
  };

  Counter& add_outcome(CallKind call, AskedMode mode, CameTo outcome) {
    return outcome_family_.Add({{"call", std::string(to_text(call))},
                                {"mode", std::string(to_text(mode))},
                                {"outcome", std::string(to_text(outcome))}});
  }
  void add_call(Family<Counter>& attempts, CallKind call, std::initializer_list<AskedMode> modes,
                std::initializer_list<CameTo> outcomes);
  ByPrefix& at(const core::ResourceName& resource);

  Family<Counter>& outcome_family_;
  std::array<std::array<Counter*, 4>, 6> attempts_{};
  std::array<std::array<std::array<Counter*, 12>, 4>, 6> outcomes_{};
  Labelled<core::RefusalCode, 14> refusals_;
  Labelled<core::EndCause, 9> ends_;
  Labelled<Failure, 10> renewal_failures_;
  Labelled<Failure, 10> release_failures_;
  std::array<Counter*, 2> force_releases_{};
  std::array<Histogram*, 3> waits_{};
  std::array<Histogram*, 3> holds_{};

  Prefixes prefixes_;
  std::vector<ByPrefix> by_prefix_;
  Family<Counter>& prefix_attempts_;
  Family<Counter>& prefix_contended_;
  Family<Counter>& prefix_waits_;
  Family<Counter>& prefix_wait_seconds_;
  Family<Counter>& prefix_hold_seconds_;
};

LockMetrics::LockMetrics(Registry& to, std::size_t max_prefixes)
    : outcome_family_(to.counters("pawl_outcomes_total", "What came of the calls.")),
      refusals_(to.counters("pawl_refusals_total", "Calls that the lock rules refused."), "code",
                {core::RefusalCode::lease_not_found, core::RefusalCode::overloaded}),
      ends_(to.counters("pawl_holds_ended_total", "Holds that are over."), "cause",
            {core::EndCause::released, core::EndCause::expired, core::EndCause::max_hold_reached,
             core::EndCause::force_released, core::EndCause::abandoned}),
      renewal_failures_(
          to.counters("pawl_renewal_failures_total", "Renewals that failed."), "cause",
          {Failure::expired, Failure::max_hold_reached, Failure::force_released, Failure::abandoned,
           Failure::released, Failure::lease_not_found, Failure::renewal_refused}),
      release_failures_(to.counters("pawl_release_failures_total",
                                    "Releases of leases that were lost before, or unknown."),
                        "cause",
                        {Failure::expired, Failure::max_hold_reached, Failure::force_released,
                         Failure::abandoned, Failure::lease_not_found}),
      prefixes_(max_prefixes),
      prefix_attempts_(to.counters("pawl_prefix_attempts_total", "Acquires by resource prefix.")),
      prefix_contended_(to.counters("pawl_prefix_contended_total",
                                    "Acquires that found the resource taken or others waiting.")),
      prefix_waits_(to.counters("pawl_prefix_waits_total", "Acquires that had to wait.")),
      prefix_wait_seconds_(
          to.counters("pawl_prefix_wait_seconds_total", "Time spent waiting, once it is over.")),
      prefix_hold_seconds_(
          to.counters("pawl_prefix_hold_seconds_total", "Time held, once the hold is over.")) {
  using enum CameTo;
  auto& attempts = to.counters("pawl_attempts_total", "Calls that reached the log.");
  add_call(attempts, CallKind::acquire,
           {AskedMode::exclusive, AskedMode::shared, AskedMode::permit},
           {granted, granted_after_wait, repeated, busy, delayed, timed_out, withdrawn,
            CameTo::abandoned, ended, CameTo::refused});
  add_call(attempts, CallKind::renew, {AskedMode::none}, {done, ended, CameTo::refused});
  add_call(attempts, CallKind::release, {AskedMode::none},
           {done, repeated, ended, CameTo::refused});
  add_call(attempts, CallKind::upgrade, {AskedMode::exclusive},
           {granted, granted_after_wait, repeated, unchanged, busy, delayed, timed_out,
            CameTo::abandoned, ended, CameTo::refused});
  add_call(attempts, CallKind::downgrade, {AskedMode::shared},
           {done, unchanged, ended, CameTo::refused});
  add_call(attempts, CallKind::force_release, {AskedMode::none}, {done, CameTo::refused});

  auto& force = to.counters("pawl_force_releases_total", "Force releases by operators.");
  force_releases_ = {&force.Add({{"when", "now"}}), &force.Add({{"when", "at_deadline"}})};
  auto& waits = to.histograms("pawl_wait_seconds", "How long those waited whose wait is over.");
  waits_ = {&waits.Add({{"call", "acquire"}, {"result", "granted"}}, kWaitBuckets),
            &waits.Add({{"call", "acquire"}, {"result", "not_granted"}}, kWaitBuckets),
            &waits.Add({{"call", "upgrade"}, {"result", "granted"}}, kWaitBuckets)};
  auto& holds = to.histograms("pawl_hold_seconds", "How long leases were held that are over.");
  for (const auto mode : {core::Mode::exclusive, core::Mode::shared, core::Mode::permit}) {
    holds_[index(mode)] = &holds.Add({{"mode", std::string(to_text(mode))}}, kHoldBuckets);
  }
  at(core::ResourceName());
}

void LockMetrics::add_call(Family<Counter>& attempts, CallKind call,
                           std::initializer_list<AskedMode> modes,
                           std::initializer_list<CameTo> outcomes) {
  for (const AskedMode mode : modes) {
    attempts_[index(call)][index(mode)] =
        &attempts.Add({{"call", std::string(to_text(call))}, {"mode", std::string(to_text(mode))}});
    for (const CameTo outcome : outcomes) {
      outcomes_[index(call)][index(mode)][index(outcome)] = &add_outcome(call, mode, outcome);
    }
  }
}

LockMetrics::ByPrefix& LockMetrics::at(const core::ResourceName& resource) {
  const std::size_t number = prefixes_.number_of(resource.view());
  while (by_prefix_.size() <= number) {
    const prometheus::Labels label = {{"prefix", prefixes_.text(by_prefix_.size())}};
    by_prefix_.push_back({&prefix_attempts_.Add(label), &prefix_contended_.Add(label),
                          &prefix_waits_.Add(label), &prefix_wait_seconds_.Add(label),
                          &prefix_hold_seconds_.Add(label)});
  }
  return by_prefix_[number];
}

// Requests and connections, by door.
class DoorMetrics {
 public:
  explicit DoorMetrics(Registry& to)
      : requests_(to.counters("pawl_requests_total", "Requests answered.")),
        request_seconds_(to.histograms("pawl_request_seconds",
                                       "From the whole request to its answer, waits included.")),
        open_(to.gauges("pawl_connections_open", "Connections that are open.")),
        opened_(to.counters("pawl_connections_opened_total", "Connections that were accepted.")),
        refused_(
            to.counters("pawl_connections_refused_total", "Connections that were turned away.")) {
    door("http");
  }

  void request_done(std::string_view door_name, std::string_view call_name, int status,
                    ports::Ticks took) {
    Door& at = door(door_name);
    Call& call = at.calls.get(call_name, [&](const std::string& label) {
      const prometheus::Labels labels = {{"door", at.name}, {"call", label}};
      return Call{label, &request_seconds_.Add(labels, kRequestBuckets), {}};
    });
    counter(at, call, status).Increment();
    call.seconds->Observe(seconds(took));
  }
  void opened(std::string_view door_name) {
    door(door_name).opened->Increment();
    door(door_name).open->Increment();
  }
  void closed(std::string_view door_name) { door(door_name).open->Decrement(); }
  void refused(std::string_view door_name, std::string_view why) {
    Door& at = door(door_name);
    at.refused
        .get(why,
             [&](const std::string& label) {
               return &refused_.Add({{"door", at.name}, {"why", label}});
             })
        ->Increment();
  }

 private:
  struct Call {
    std::string name;
    Histogram* seconds;
    std::vector<std::pair<int, Counter*>> by_status;
  };
  struct Door {
    std::string name;
    Gauge* open;
    Counter* opened;
    ByName<Call> calls;
    ByName<Counter*> refused;
  };

  Door& door(std::string_view name) {
    return doors_.get(name, [&](const std::string& label) {
      const prometheus::Labels labels = {{"door", label}};
      return Door{label, &open_.Add(labels), &opened_.Add(labels), {}, {}};
    });
  }
  Counter& counter(const Door& at, Call& call, int status) {
    for (const auto& [known, found] : call.by_status) {
      if (known == status) return *found;
    }
    if (call.by_status.size() >= kMaxStatuses) return *call.by_status.back().second;
    Counter& added =
        requests_.Add({{"door", at.name}, {"call", call.name}, {"status", std::to_string(status)}});
    call.by_status.emplace_back(status, &added);
    return added;
  }

  Family<Counter>& requests_;
  Family<Histogram>& request_seconds_;
  Family<Gauge>& open_;
  Family<Counter>& opened_;
  Family<Counter>& refused_;
  ByName<Door> doors_;
};

}  // namespace

class Metrics::Impl {
 public:
  Impl(std::size_t max_prefixes, std::string_view version)
      : locks(to, max_prefixes),
        doors(to),
        failed(to.counters("pawl_calls_failed_total",
                           "Calls that never reached the log, or whose outcome is unknown."),
               "code",
               {ProblemCode::invalid, ProblemCode::overloaded, ProblemCode::not_leader,
                ProblemCode::stopping, ProblemCode::outcome_unknown}) {
    auto& checks = to.counters("pawl_fence_checks_total", "Fencing tokens that were checked.");
    fence_checks = {&checks.Add({{"result", "invalid"}}), &checks.Add({{"result", "valid"}})};
    to.gauges("pawl_build_info", "Always 1; the version is its label.")
        .Add({{"version", std::string(version)}})
        .Set(1);
  }

  void office_changed(const ports::Office& office) {
    in_office.Set(office.in_office ? 1 : 0);
    const std::string seen = office.in_office ? "self" : office.leader;
    if (!seen.empty() && seen != leader) leader_changes.Increment();
    leader = seen;
  }

  Registry to;
  LockMetrics locks;
  DoorMetrics doors;
  Labelled<ProblemCode, index(ProblemCode::internal) + 1> failed;
  std::array<Counter*, 2> fence_checks{};
  Histogram& log_write_seconds =
      to.histograms("pawl_log_write_seconds", "One write to the log, until it is on disk.")
          .Add({}, kWriteBuckets);
  Counter& held_long_events =
      to.counter("pawl_held_long_total", "Leases that were found held for longer than usual.");
  Counter& leader_changes =
      to.counter("pawl_leader_changes_total", "Times that this node saw a new leader.");
  Gauge& in_office = to.gauge("pawl_in_office", "1 while this node leads.");
  Gauge& ready = to.gauge("pawl_ready", "1 while this node can grant.");
  Gauge& held = to.gauge("pawl_leases_held", "Leases that are held.");
  Gauge& waiting = to.gauge("pawl_leases_waiting", "Leases that wait to be granted.");
  Gauge& held_long =
      to.gauge("pawl_leases_held_long", "Leases that are held for longer than usual.");
  Gauge& longest_hold = to.gauge("pawl_longest_hold_seconds", "Age of the oldest hold.");
  Gauge& records = to.gauge("pawl_records", "What counts against the limit of records.");
  Gauge& remembered =
      to.gauge("pawl_lease_ids_remembered", "Leases that are over and still remembered.");
  Gauge& audit = to.gauge("pawl_audit_records", "Records in the audit trail.");
  Gauge& event_readers = to.gauge("pawl_event_readers", "Clients that follow the events.");
  Gauge& start_time =
      to.gauge("process_start_time_seconds", "When the process started, since 1970.");
  Gauge& resident = to.gauge("process_resident_memory_bytes", "Memory in use.");
  Gauge& descriptors = to.gauge("process_open_fds", "Open file descriptors.");

 private:
  std::string leader;
};

Metrics::Metrics(std::size_t max_prefixes, std::string_view version)
    : impl_(std::make_unique<Impl>(max_prefixes, version)) {}
Metrics::~Metrics() = default;

void Metrics::applied(const core::Command& command, const core::Effects& effects) {
  count(command, effects, impl_->locks);
}
void Metrics::call_failed(ProblemCode code) { impl_->failed[code].Increment(); }
void Metrics::office_changed(const ports::Office& office) { impl_->office_changed(office); }
void Metrics::held_long() { impl_->held_long_events.Increment(); }
void Metrics::fence_checked(bool valid) { impl_->fence_checks[valid ? 1 : 0]->Increment(); }
void Metrics::log_written(ports::Ticks took) { impl_->log_write_seconds.Observe(seconds(took)); }

void Metrics::request_done(std::string_view door, std::string_view call, int status,
                           ports::Ticks took) {
  impl_->doors.request_done(door, call, status, took);
}
void Metrics::connection_opened(std::string_view door) { impl_->doors.opened(door); }
void Metrics::connection_closed(std::string_view door) { impl_->doors.closed(door); }
void Metrics::connection_refused(std::string_view door, std::string_view why) {
  impl_->doors.refused(door, why);
}

void Metrics::set_event_readers(std::uint64_t now) {
  impl_->event_readers.Set(static_cast<double>(now));
}

void Metrics::set_now(const Now& now) {
  const auto set = [](Gauge& gauge, std::uint64_t value) { gauge.Set(static_cast<double>(value)); };
  set(impl_->held, now.held);
  set(impl_->waiting, now.waiting);
  set(impl_->records, now.records);
  set(impl_->remembered, now.remembered);
  set(impl_->audit, now.audit);
  set(impl_->held_long, now.held_long);
  set(impl_->ready, now.ready ? 1 : 0);
  impl_->longest_hold.Set(seconds(now.longest_hold));
}

std::string Metrics::text() const {
  const ProcessFigures process = process_figures();
  impl_->start_time.Set(process.start_time_seconds);
  impl_->resident.Set(static_cast<double>(process.resident_bytes));
  impl_->descriptors.Set(static_cast<double>(process.open_descriptors));
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, impl_->to.registry.Collect());
  return std::move(out).str();
}

}  // namespace pawl::service
