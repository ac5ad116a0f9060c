// SPDX-License-Identifier: Apache-2.0
#include "schedules/shape.h"

#include "support/random.h"

namespace pawl::testing {
namespace {

Shape contended() {
  Shape shape;
  shape.name = "contended";
  shape.resources = 1;
  shape.waits = 75;
  return shape;
}

Shape many_resources() {
  Shape shape;
  shape.name = "many resources";
  shape.resources = 12;
  shape.most_in_one_request = 4;
  shape.permit = 20;
  return shape;
}

Shape several_at_once() {
  Shape shape;
  shape.name = "several at once";
  shape.resources = 4;
  shape.most_in_one_request = 4;
  shape.waits = 80;
  return shape;
}

Shape permits() {
  Shape shape;
  shape.name = "permits";
  shape.resources = 2;
  shape.most_in_one_request = 2;
  shape.permit = 92;
  shape.permit_limits = {3, 3, 3, 3, 5};
  shape.holds = 20;
  shape.upgrade = 3;
  shape.downgrade = 2;
  return shape;
}

Shape upgrades() {
  Shape shape;
  shape.name = "upgrades";
  shape.resources = 2;
  shape.most_in_one_request = 2;
  shape.shared = 85;
  shape.short_ttl = 10;
  shape.waits = 55;
  shape.upgrade = 30;
  shape.downgrade = 14;
  shape.force = 6;
  shape.acquire = 26;
  shape.takeover = 3;
  shape.cancel = 10;
  shape.release = 8;
  return shape;
}

Shape detaching() {
  Shape shape;
  shape.name = "detaching";
  shape.resources = 2;
  shape.most_in_one_request = 2;
  shape.waits = 85;
  shape.short_ttl = 15;
  shape.cancel = 20;
  shape.takeover = 5;
  shape.acquire_again = 14;
  shape.upgrade = 14;
  shape.shared = 60;
  shape.to_something_due = 30;
  return shape;
}

Shape holds_and_delays() {
  Shape shape;
  shape.name = "holds and delays";
  shape.resources = 2;
  shape.most_in_one_request = 2;
  shape.holds = 50;
  shape.permit = 25;
  shape.waits = 50;
  shape.release = 20;
  shape.upgrade = 8;
  shape.to_something_due = 32;
  return shape;
}

// Many force releases, some of whose audit records are soon dropped.
Shape operators() {
  Shape shape;
  shape.name = "operators";
  shape.resources = 2;
  shape.most_in_one_request = 2;
  shape.shared = 60;
  shape.tiny_limits = true;
  shape.force = 20;
  shape.renew = 16;
  shape.short_ttl = 20;
  shape.set_limits = 0;
  shape.gap = 1;
  shape.holds = 20;
  return shape;
}

Shape tiny_limits() {
  Shape shape;
  shape.name = "tiny limits";
  shape.resources = 3;
  shape.most_in_one_request = 2;
  shape.tiny_limits = true;
  shape.holds = 20;
  shape.force = 6;
  shape.acquire_again = 14;
  shape.duplicate = 10;
  shape.release_unknown = 4;
  shape.set_limits = 3;
  return shape;
}

Shape idle_gaps() {
  Shape shape;
  shape.name = "idle gaps";
  shape.resources = 3;
  shape.most_in_one_request = 2;
  shape.permit = 15;
  shape.gap = 25;
  shape.acquire_again = 15;
  shape.duplicate = 12;
  shape.short_ttl = 20;
  return shape;
}

Shape bad_input() {
  Shape shape;
  shape.name = "bad input";
  shape.invalid = 30;
  shape.permit = 20;
  shape.set_limits = 4;
  return shape;
}

// More holders than a Busy shows, or an audit record names.
Shape crowd() {
  Shape shape;
  shape.name = "crowd";
  shape.length = 220;
  shape.resources = 1;
  shape.shared = 100;
  shape.acquire = 150;
  shape.acquire_again = 2;
  shape.renew = 2;
  shape.release = 1;
  shape.upgrade = 2;
  shape.force = 2;
  shape.cancel = 1;
  shape.advance = 1;
  shape.takeover = 0;
  shape.set_limits = 0;
  shape.duplicate = 1;
  shape.invalid = 0;
  shape.waits = 0;
  shape.other_space = 0;
  shape.short_ttl = 0;
  shape.holds = 0;
  shape.small_step = 3;
  shape.to_something_due = 0;
  shape.gap = 0;
  return shape;
}

// More ends than one step forgets: no time passes until there are enough.
Shape forgetful() {
  Shape shape;
  shape.name = "forgetful";
  shape.length = 560;
  shape.forgets_many = true;
  shape.holds = 0;
  shape.resources = 1;
  shape.waits = 2;
  shape.release_unknown = 220;
  shape.acquire = 60;
  shape.set_limits = 0;
  shape.invalid = 0;
  shape.short_ttl = 0;
  shape.small_step = 0;
  shape.to_something_due = 0;
  shape.gap = 0;
  return shape;
}

// Closures of permits at few different times, counted against a small number of records.
Shape closed_permits() {
  Shape shape;
  shape.name = "closed permits";
  shape.resources = 1;
  shape.tiny_limits = true;
  shape.permit = 100;
  shape.permit_limits = {9};
  shape.holds = 60;
  shape.waits = 30;
  shape.release = 25;
  shape.set_limits = 0;
  shape.same_time = 70;
  return shape;
}

Shape base_shape(std::uint64_t seed, Random& random) {
  if (seed % 200 == 0) return forgetful();
  if (seed % 50 == 0) return crowd();
  switch (random.below(13)) {
    case 0:
      return contended();
    case 1:
      return many_resources();
    case 2:
      return several_at_once();
    case 3:
      return permits();
    case 4:
      return upgrades();
    case 5:
      return detaching();
    case 6:
      return holds_and_delays();
    case 7:
      return tiny_limits();
    case 8:
      return idle_gaps();
    case 9:
      return operators();
    case 10:
      return closed_permits();
    case 11:
      return upgrades();
    default:
      return bad_input();
  }
}

}  // namespace

Shape shape_of(std::uint64_t seed) {
  Random random(seed * 2 + 1);
  Shape shape = base_shape(seed, random);
  if (shape.length > 100) return shape;
  shape.length = 30 + random.below32(91);
  if (random.percent(25)) shape.resources = 1 + random.below32(3);
  if (random.percent(15)) shape.permit = 30;
  if (random.percent(15)) shape.tiny_limits = true;
  if (random.percent(15)) shape.unlimited_ttl = true;
  if (random.percent(10)) shape.shared = 90;
  if (random.percent(10)) shape.waits = 100;
  return shape;
}

}  // namespace pawl::testing
