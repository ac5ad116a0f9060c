// SPDX-License-Identifier: Apache-2.0
#include "schedules/spoil.h"

#include <string>
#include <variant>

namespace pawl::testing {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string bad_text(Random& random) {
  switch (random.below(6)) {
    case 0:
      return "";
    case 1:
      return std::string(2000, 'x');
    case 2:
      return "two\nlines";
    case 3:
      return "\xff\xfe not utf-8";
    case 4:
      return std::string("nul\0inside", 10);
    default:
      return "sp ace/\xc3\xa9";
  }
}

core::Duration bad_duration(Random& random) {
  return random.pick({core::Duration(-1), core::Duration(0), core::Duration(1),
                      core::Duration(hours(25)), core::Duration(hours(24)),
                      core::Duration(milliseconds(100)), core::kUnlimited, core::Duration::min(),
                      core::kUnlimited - seconds(1)});
}

std::uint32_t bad_count(Random& random) {
  return random.pick({0U, 1U, 4U, 1'000'000U, 1'000'001U, ~0U});
}

template <class Command>
void spoil_name(Command& command, Random& random) {
  if (random.percent(30)) {
    command.space = core::Namespace(bad_text(random));
  } else if (random.percent(50)) {
    command.id = core::LeaseId(bad_text(random));
  } else {
    command.id = core::LeaseId(
        random.pick({"short", "1234567", "12345678", "p1_xyz_0", "p1__", "with space", "p1_1_0"}));
  }
}

void spoil_terms(core::Acquire& command, Random& random) {
  core::Terms& terms = command.terms;
  switch (random.below(14)) {
    case 0:
      terms.resources.clear();
      break;
    case 1:
      terms.resources.insert(terms.resources.end(), 2, core::ResourceName("a"));
      break;
    case 2:
      terms.resources.push_back(core::ResourceName(bad_text(random)));
      break;
    case 3:
      terms.owner = core::OwnerId(bad_text(random));
      break;
    case 4:
      terms.permits.count = bad_count(random);
      break;
    case 5:
      terms.permits.limit = bad_count(random);
      break;
    case 6:
      terms.ttl = bad_duration(random);
      break;
    case 7:
      terms.max_hold = bad_duration(random);
      break;
    case 8:
      terms.min_hold = bad_duration(random);
      break;
    case 9:
      terms.lock_delay = bad_duration(random);
      break;
    case 10:
      command.wait = bad_duration(random);
      break;
    case 11:
      command.metadata.assign(1 + random.below(20), {"key", bad_text(random)});
      break;
    case 12:
      command.ticket.attempt = bad_count(random);
      break;
    default:
      for (std::uint32_t i = 0; i < 70; ++i)
        terms.resources.push_back(core::ResourceName("r" + std::to_string(i)));
      break;
  }
}

struct Spoiler {
  Random& random;

  void operator()(core::Acquire& command) const {
    if (random.percent(25)) {
      spoil_name(command, random);
    } else {
      spoil_terms(command, random);
    }
  }
  void operator()(core::Renew& command) const {
    if (random.percent(50)) {
      spoil_name(command, random);
    } else {
      command.ttl = bad_duration(random);
    }
  }
  void operator()(core::Upgrade& command) const {
    switch (random.below(4)) {
      case 0:
        spoil_name(command, random);
        break;
      case 1:
        command.wait = bad_duration(random);
        break;
      case 2:
        command.ticket.attempt = bad_count(random);
        break;
      default:
        command.known =
            core::FencingToken{random.pick({std::uint64_t{0}, core::kMaxToken, ~std::uint64_t{0}})};
    }
  }
  void operator()(core::CancelWait& command) const {
    if (random.percent(50)) {
      spoil_name(command, random);
    } else {
      command.ticket.attempt = bad_count(random);
    }
  }
  void operator()(core::Release& command) const { spoil_name(command, random); }
  void operator()(core::Downgrade& command) const { spoil_name(command, random); }
  void operator()(core::ForceRelease& command) const {
    switch (random.below(6)) {
      case 0:
        command.space = core::Namespace(bad_text(random));
        break;
      case 1:
        command.resource = core::ResourceName(bad_text(random));
        break;
      case 2:
        command.actor = core::ActorId(bad_text(random));
        break;
      case 3:
        command.reason = bad_text(random);
        break;
      case 4:
        command.only_lease = core::LeaseId(bad_text(random));
        break;
      default:
        command.only_lease = core::LeaseId("lease-0001");
        command.only_token = core::FencingToken{1};
    }
  }
  void operator()(core::SetLimits& command) const {
    core::Limits& limits = command.limits;
    switch (random.below(9)) {
      case 0:
        limits.retention = bad_duration(random);
        break;
      case 1:
        limits.max_audit = bad_count(random);
        break;
      case 2:
        limits.max_leases = bad_count(random);
        break;
      case 3:
        limits.max_records = bad_count(random);
        break;
      case 4:
        limits.max_resources = bad_count(random);
        break;
      case 5:
        limits.min_ttl = bad_duration(random);
        break;
      case 6:
        limits.max_ttl = bad_duration(random);
        break;
      case 7:
        limits.max_closed = bad_duration(random);
        break;
      default:
        limits.max_waiters = bad_count(random);
        break;
    }
  }
  void operator()(core::Advance&) const {}
  void operator()(core::Takeover&) const {}
};

}  // namespace

void spoil(core::CommandBody& body, Random& random) { std::visit(Spoiler{random}, body); }

}  // namespace pawl::testing
