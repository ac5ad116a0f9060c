// SPDX-License-Identifier: Apache-2.0
#include "schedules/generate.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "model/reference_model.h"
#include "schedules/spoil.h"
#include "support/random.h"

namespace pawl::testing {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

class Generator {
 public:
  Generator(std::uint64_t seed, const Shape& shape) : random_(seed), shape_(shape) {}

  Schedule run() {
    if (shape_.tiny_limits || shape_.unlimited_ttl) {
      add({core::Time{}, core::SetLimits{limits(), core::kRuleVersion}});
    }
    while (schedule_.size() < shape_.length) {
      const core::Time at = next_time();
      core::CommandBody body = next_body();
      if (random_.percent(shape_.invalid)) spoil(body, random_);
      add({at, std::move(body)});
    }
    if (shape_.forgets_many) forget_many();
    return std::move(schedule_);
  }

 private:
  void add(core::Command command) {
    model_.step(command);
    schedule_.push_back(std::move(command));
  }

  // All ends are due to be forgotten, the limit is where it matters how many of them still count as
  // records, and the next commands name some that are forgotten but not yet removed.
  void forget_many() {
    if (model_.records() <= core::kForgetPerStep) return;
    core::Limits limits;
    limits.max_records = model_.records() - core::kForgetPerStep + random_.below(3);
    add({model_.now(), core::SetLimits{limits, core::kRuleVersion}});
    const core::Time then = model_.now() + limits.retention;
    for (int i = 0; i < 6; ++i) {
      core::Release release{space(), new_id()};
      if (random_.percent(50) && !model_.ends().empty()) {
        const ModelEnd& newest = model_.ends().back();
        release = {newest.space, newest.id};
      }
      add({then, random_.percent(80) ? core::CommandBody(release) : core::CommandBody(acquire())});
    }
  }

  // Times

  core::Time next_time() {
    const core::Time now = model_.now();
    switch (random_.weighted({shape_.same_time, shape_.small_step, shape_.to_something_due,
                              shape_.gap, shape_.backwards})) {
      case 0:
        return now;
      case 1:
        return now +
               microseconds(1 + random_.below(random_.pick({10U, 1'000U, 300'000U, 1'500'000U})));
      case 2:
        return something_due();
      case 3:
        return now +
               random_.pick({seconds(7), seconds(30), seconds(61), seconds(3600), seconds(90'000)});
      default:
        return core::Time(now.time_since_epoch() * random_.below32(100) / 100);
    }
  }

  // A time at which something ends, opens or is forgotten; often exactly, else just before or
  // after.
  core::Time something_due() {
    std::vector<core::Time> times;
    for (const ModelLease& lease : model_.leases()) {
      times.push_back(ReferenceModel::next_due(lease));
      if (lease.held) times.push_back(lease.deadline);
    }
    for (const ModelResource& resource : model_.resources()) {
      if (resource.all_closed_until) times.push_back(*resource.all_closed_until);
      if (resource.exclusive_closed_until) times.push_back(*resource.exclusive_closed_until);
      for (const PermitClosure& closure : resource.permits_closed) times.push_back(closure.until);
    }
    if (!model_.ends().empty() && random_.percent(20)) {
      times.push_back(core::after(random_.pick(model_.ends()).at, model_.limits().retention));
    }
    std::erase_if(times, [&](core::Time t) {
      return t <= model_.now() || t > model_.now() + seconds(200'000);
    });
    if (times.empty()) return model_.now() + milliseconds(random_.below(3000));
    std::sort(times.begin(), times.end());
    const core::Time chosen = random_.percent(70) ? times.front() : random_.pick(times);
    return chosen +
           random_.pick({microseconds(0), microseconds(0), microseconds(-1), microseconds(1)});
  }

  // Names

  core::Namespace space() {
    return core::Namespace(random_.percent(shape_.other_space) ? "other" : "default");
  }
  core::ResourceName resource() {
    return core::ResourceName(
        std::string(1, static_cast<char>('a' + random_.below(shape_.resources))));
  }
  // One of them has a long name: such texts are kept in another way.
  core::OwnerId owner() {
    const std::uint64_t number = 1 + random_.below(4);
    return core::OwnerId("w" + std::to_string(number) + (number == 4 ? std::string(200, 'w') : ""));
  }

  core::LeaseId new_id() {
    char text[64];
    if (random_.percent(75)) {
      std::snprintf(text, sizeof text, "lease-%04u", ++last_id_);
      return core::LeaseId(text);
    }
    // Made now, at the edge of the memory, or in the future.
    const std::int64_t now = core::to_ms(model_.now());
    const std::int64_t edge =
        now - std::chrono::duration_cast<milliseconds>(model_.limits().retention).count();
    const std::int64_t ms = random_.pick({now, now, now, edge, edge - 1, edge + 1, now + 5000});
    std::snprintf(text, sizeof text, "p1_%llx_%032x",
                  static_cast<unsigned long long>(std::max<std::int64_t>(ms, 0)), ++last_id_);
    return core::LeaseId(text);
  }

  template <class Wanted>
  const ModelLease* live(Wanted wanted) {
    std::vector<const ModelLease*> found;
    for (const ModelLease& lease : model_.leases()) {
      if (wanted(lease)) found.push_back(&lease);
    }
    return found.empty() ? nullptr : random_.pick(found);
  }
  const ModelLease* live() {
    return live([](const ModelLease&) { return true; });
  }

  // Mostly one that lives; sometimes one that is over, or never was.
  std::pair<core::Namespace, core::LeaseId> any_id() {
    if (const ModelLease* lease = live(); lease != nullptr && random_.percent(85))
      return {lease->space, lease->id};
    if (!model_.ends().empty() && random_.percent(60)) {
      const ModelEnd& end = random_.pick(model_.ends());
      return {end.space, end.id};
    }
    if (!acquires_.empty() && random_.percent(70)) {
      const core::Acquire& earlier = random_.pick(acquires_);
      return {random_.percent(90) ? earlier.space : space(), earlier.id};
    }
    return {space(), new_id()};
  }

  core::Ticket near(core::Ticket ticket) {
    switch (random_.below(5)) {
      case 0:
        ++ticket.attempt;
        break;
      case 1:
        ticket.attempt -= ticket.attempt > 1 ? 1 : 0;
        break;
      case 2:
        ticket.door = random_.below32(4);
        break;
      case 3:
        ticket = {ticket.attempt + 1, random_.below32(4)};
        break;
      default:
        break;
    }
    return ticket;
  }

  core::FencingToken near(core::FencingToken token) {
    if (random_.percent(88)) return token;
    return core::FencingToken{1 +
                              random_.below(static_cast<std::uint64_t>(model_.last_token()) + 3)};
  }

  // Bodies

  // Nobody is there for a grant either whose upgrade lost its door in this instant: both end at the
  // same time.
  std::optional<core::CancelWait> gone_with_its_upgrade() {
    const ModelLease* lease = live([&](const ModelLease& l) {
      return l.upgrade && l.upgrade->detached == model_.now() && !l.confirmed && !l.detached;
    });
    if (lease == nullptr || !random_.percent(30)) return std::nullopt;
    return core::CancelWait{lease->space, lease->id, lease->ticket, core::WaitKind::acquire,
                            core::CancelReason::gone};
  }

  core::CommandBody next_body() {
    if (const auto gone = gone_with_its_upgrade()) return *gone;
    switch (random_.weighted({shape_.acquire, shape_.acquire_again, shape_.renew, shape_.release,
                              shape_.release_unknown, shape_.upgrade, shape_.downgrade,
                              shape_.cancel, shape_.force, shape_.advance, shape_.takeover,
                              shape_.set_limits, shape_.duplicate})) {
      case 0:
        return acquire();
      case 1:
        return acquire_again();
      case 2:
        return renew();
      case 3:
        return release();
      case 4:
        return core::Release{space(), new_id()};
      case 5:
        return upgrade();
      case 6:
        return downgrade();
      case 7:
        return cancel();
      case 8:
        return force();
      case 9:
        return core::Advance{};
      case 10:
        return core::Takeover{};
      case 11:
        return set_limits();
      default:
        return schedule_.empty() ? core::CommandBody(acquire()) : random_.pick(schedule_).body;
    }
  }

  core::Duration ttl() {
    if (random_.percent(shape_.unlimited_ttl ? 20 : 1)) return core::kUnlimited;
    if (random_.percent(shape_.short_ttl))
      return random_.pick({milliseconds(100), milliseconds(1000), milliseconds(2000)});
    return random_.pick({seconds(5), seconds(10), seconds(10), seconds(3600)});
  }
  core::Duration hold() {
    if (!random_.percent(shape_.holds)) return {};
    return random_.pick({milliseconds(500), milliseconds(2000), milliseconds(2000),
                         milliseconds(5000), milliseconds(60'000)});
  }
  core::Duration wait() {
    return random_.percent(shape_.waits) ? core::Duration(seconds(1 + random_.below(30)))
                                         : core::Duration{};
  }

  core::Terms terms() {
    core::Terms terms;
    terms.owner = owner();
    const std::uint32_t count = 1 + random_.below32(shape_.most_in_one_request);
    while (terms.resources.size() < std::min(count, shape_.resources)) {
      const core::ResourceName name = resource();
      const auto& names = terms.resources;
      if (std::find(names.begin(), names.end(), name) == names.end())
        terms.resources.push_back(name);
    }
    if (random_.percent(shape_.permit)) {
      terms.mode = core::Mode::permit;
      terms.permits.limit = random_.pick(shape_.permit_limits);
      terms.permits.count = 1 + random_.below32(terms.permits.limit);
    } else if (random_.percent(shape_.shared)) {
      terms.mode = core::Mode::shared;
    }
    terms.ttl = ttl();
    terms.max_hold = hold();
    terms.min_hold = hold();
    terms.lock_delay = hold();
    return terms;
  }

  core::Acquire acquire() {
    core::Acquire command;
    command.space = space();
    command.id = new_id();
    command.terms = terms();
    command.wait = wait();
    if (random_.percent(10)) command.metadata = {{"host", "h" + std::to_string(random_.below(3))}};
    command.ticket = {random_.percent(80) ? 1U : 1 + random_.below32(3), random_.below32(4)};
    command.submitted_once = random_.percent(10);
    acquires_.push_back(command);
    return command;
  }

  // A re-send of an earlier one, of a lease that lives if there is one; now and then not quite the
  // same.
  core::CommandBody acquire_again() {
    if (acquires_.empty()) return acquire();
    core::Acquire command = random_.pick(acquires_);
    if (const ModelLease* lease = live(); lease != nullptr && random_.percent(75)) {
      for (const core::Acquire& earlier : acquires_) {
        if (earlier.space == lease->space && earlier.id == lease->id) command = earlier;
      }
      command.ticket = lease->ticket;
    }
    command.ticket = near(command.ticket);
    if (random_.percent(20)) command.wait = wait();
    if (random_.percent(10)) command.metadata = {{"host", "again"}};
    if (random_.percent(6)) change_one_term(command.terms);
    return command;
  }

  void change_one_term(core::Terms& changed) {
    const core::Terms other = terms();
    switch (random_.below(8)) {
      case 0:
        changed.owner = other.owner;
        break;
      case 1:
        changed.resources = other.resources;
        break;
      case 2:
        std::reverse(changed.resources.begin(), changed.resources.end());
        break;
      case 3:
        changed.mode = other.mode;
        changed.permits = other.permits;
        break;
      case 4:
        changed.ttl = other.ttl;
        break;
      case 5:
        changed.max_hold = other.max_hold;
        break;
      case 6:
        changed.min_hold = other.min_hold;
        break;
      default:
        changed.lock_delay = other.lock_delay;
        break;
    }
  }

  core::CommandBody renew() {
    const auto [space, id] = any_id();
    return core::Renew{space, id, random_.percent(70) ? core::Duration{} : ttl()};
  }

  core::CommandBody release() {
    const auto [space, id] = any_id();
    return core::Release{space, id};
  }

  core::CommandBody upgrade() {
    core::Upgrade command;
    const ModelLease* lease =
        live([](const ModelLease& l) { return l.held && l.mode == core::Mode::shared; });
    if (lease == nullptr || random_.percent(10)) lease = live();
    if (lease == nullptr) {
      std::tie(command.space, command.id) = any_id();
    } else {
      command.space = lease->space;
      command.id = lease->id;
      command.known = near(lease->token);
      if (lease->upgrade) command.ticket = near(lease->upgrade->ticket);
    }
    if (command.ticket == core::Ticket{})
      command.ticket = {1 + random_.below32(3), random_.below32(4)};
    command.wait = wait();
    return command;
  }

  core::CommandBody downgrade() {
    core::Downgrade command;
    const ModelLease* lease =
        live([](const ModelLease& l) { return l.held && l.mode == core::Mode::exclusive; });
    if (lease == nullptr || random_.percent(15)) lease = live();
    if (lease == nullptr) {
      std::tie(command.space, command.id) = any_id();
    } else {
      command.space = lease->space;
      command.id = lease->id;
      command.known = near(lease->token);
    }
    return command;
  }

  core::CommandBody cancel() {
    core::CancelWait command;
    command.reason = random_.percent(50) ? core::CancelReason::timeout : core::CancelReason::gone;
    const ModelLease* lease =
        live([](const ModelLease& l) { return !l.held || !l.confirmed || l.upgrade; });
    if (lease == nullptr || random_.percent(15)) lease = live();
    if (lease == nullptr) {
      std::tie(command.space, command.id) = any_id();
      return command;
    }
    command.space = lease->space;
    command.id = lease->id;
    const bool upgrade = lease->upgrade ? random_.percent(60) : random_.percent(5);
    command.kind = upgrade ? core::WaitKind::upgrade : core::WaitKind::acquire;
    const core::Ticket current = upgrade && lease->upgrade ? lease->upgrade->ticket : lease->ticket;
    command.ticket = random_.percent(80) ? current : near(current);
    return command;
  }

  core::CommandBody force() {
    core::ForceRelease command;
    command.space = space();
    command.resource = resource();
    const ModelLease* lease = live([](const ModelLease& l) { return l.held; });
    if (lease != nullptr && random_.percent(85)) {
      command.space = lease->space;
      command.resource = random_.pick(lease->terms.resources);
    }
    command.actor = core::ActorId("op" + std::to_string(random_.below(2)));
    command.reason = random_.pick({"stuck", "deploy", "test run"});
    command.when = random_.percent(50) ? core::ForceWhen::now : core::ForceWhen::at_deadline;
    command.wall_ms = static_cast<std::int64_t>(random_.below(3));
    if (random_.percent(30))
      command.only_lease = random_.percent(70) && lease ? lease->id : any_id().second;
    else if (random_.percent(30))
      command.only_token = near(lease ? lease->token : core::FencingToken{1});
    return command;
  }

  core::Limits limits() {
    core::Limits limits;
    if (shape_.unlimited_ttl) limits.max_ttl = core::kUnlimited;
    if (!shape_.tiny_limits) return limits;
    limits.max_leases = 2 + random_.below(8);
    limits.max_waiters = 1 + random_.below32(4);
    limits.max_records = 8 + random_.below(30);
    limits.max_audit = 1 + random_.below32(3);
    limits.retention = seconds(1 + random_.below(3));
    limits.max_resources = 2 + random_.below32(3);
    return limits;
  }

  core::CommandBody set_limits() {
    core::SetLimits command;
    command.limits = limits();
    if (random_.percent(30)) command.limits.retention = seconds(random_.pick({1U, 10U, 60U, 600U}));
    if (random_.percent(20)) command.limits.max_audit = 1 + random_.below32(2);
    if (random_.percent(10)) command.rule_version = random_.below32(3);
    return command;
  }

  Random random_;
  const Shape& shape_;
  ReferenceModel model_;
  Schedule schedule_;
  std::vector<core::Acquire> acquires_;
  unsigned last_id_ = 0;
};

}  // namespace

Schedule generate(std::uint64_t seed, const Shape& shape) { return Generator(seed, shape).run(); }

}  // namespace pawl::testing
