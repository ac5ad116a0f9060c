// SPDX-License-Identifier: Apache-2.0
#include "service/reporter.h"

#include <array>

#include "service/problem.h"

namespace pawl::service {
namespace {

// The fields of one log line; what is not known is left out.
class Line {
 public:
  void add(std::string_view name, std::string_view value) {
    if (!value.empty()) fields_[size_++] = {name, value};
  }
  void add(std::string_view name, ports::JsonText value) { fields_[size_++] = {name, value}; }
  void add(std::string_view name, std::uint64_t value) {
    fields_[size_++] = {name, static_cast<std::int64_t>(value)};
  }
  void add(std::string_view name, core::Duration value) {
    fields_[size_++] = {name, std::chrono::duration<double>(value).count()};
  }
  void add(std::string_view, std::monostate) {}

  std::span<const ports::Field> fields() const { return {fields_.data(), size_}; }

 private:
  std::array<ports::Field, 9 + std::tuple_size_v<decltype(Happening::details)>> fields_;
  std::size_t size_ = 0;
};

}  // namespace

Reporter::Reporter(ports::Observer& observer, const ports::WallClock& wall, Metrics& metrics,
                   Feed& feed, HoldTimes& hold_times, RenewalFailures& renewal_failures)
    : observer_(observer),
      wall_(wall),
      metrics_(metrics),
      feed_(feed),
      hold_times_(hold_times),
      renewal_failures_(renewal_failures) {}

void Reporter::applied(ports::LogPosition where, const core::Command& command,
                       const core::Effects& effects) {
  metrics_.applied(command, effects);
  const auto* renew = std::get_if<core::Renew>(&command.body);
  const ports::WallTime wall = wall_.now();
  EventId id{where, 0};
  const auto tell_next = [&](const Happening& happening) {
    tell(happening, id, effects.now, wall);
    ++id.number;
  };
  for (const core::Effect& effect : effects.all) {
    if (const auto* end = std::get_if<core::Ended>(&effect)) {
      hold_times_.ended(*end);
      renewal_failures_.ended(*end);
    }
    if (const auto happening = happening_of(effect)) tell_next(*happening);
    if (renew == nullptr || &effect != &effects.reply()) continue;
    const RenewalFailure* failure = renewal_failures_.renewed(*renew, effect, effects.now, wall);
    if (failure != nullptr) tell_next(renewal_failed(*failure));
  }
}

void Reporter::held_long(const core::LeaseInfo& lease, core::Time now) {
  metrics_.held_long();
  tell(service::held_long(lease, now), {}, now, wall_.now());
}

void Reporter::tell(const Happening& happening, std::optional<EventId> id, core::Time now,
                    ports::WallTime wall) {
  log(happening, now);
  scratch_.clear();
  append_json(scratch_, happening, now, wall);
  const Subject& subject = happening.subject;
  feed_.add({id,
             happening.name,
             *subject.space,
             {subject.resources.begin(), subject.resources.end()},
             scratch_});
}

void Reporter::log(const Happening& happening, core::Time now) {
  const Subject& subject = happening.subject;
  Line line;
  line.add("namespace", subject.space->view());
  if (!subject.resources.empty()) line.add("resource", subject.resources.front().view());
  if (subject.resources.size() > 1) {
    scratch_.clear();
    append_json(scratch_, subject.resources);
    line.add("resources", ports::JsonText(scratch_));
  }
  line.add("ownerId", subject.owner);
  line.add("leaseId", subject.lease_id);
  if (subject.mode) line.add("mode", to_text(*subject.mode));
  if (subject.token != core::kNoToken)
    line.add("fencingToken", static_cast<std::uint64_t>(subject.token));
  if (subject.ttl) line.add("ttlSeconds", *subject.ttl);
  line.add("stateTimeMs", static_cast<std::uint64_t>(core::to_ms(now)));
  for (const Detail& detail : happening.own()) {
    std::visit([&](const auto& value) { line.add(detail.name, value); }, detail.value);
  }
  observer_.event(happening.severity, happening.name, line.fields());
}

}  // namespace pawl::service
