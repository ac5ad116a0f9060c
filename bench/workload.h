// SPDX-License-Identifier: Apache-2.0
// What the benchmarks of the core feed it: names as users write them, a 40-byte resource, a 16-byte
// owner, client-made lease ids.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "core/step.h"

namespace pawl::bench {

using namespace pawl::core;
using namespace std::chrono_literals;

inline constexpr int kMillion = 1'000'000;

inline std::string numbered(const char* format, long number) {
  char text[96];
  const int bytes = std::snprintf(text, sizeof text, format, number);
  return {text, static_cast<std::size_t>(bytes)};
}

// 40 bytes, 16 bytes, 47 bytes.
inline ResourceName resource(long n) {
  return ResourceName(numbered("tenant_%08ld:billing-close:2026-04.0000", n));
}
inline OwnerId owner(long n) { return OwnerId(numbered("worker-%09ld", n % 1000)); }
inline LeaseId lease_id(Time now, long n) {
  return LeaseId(numbered("p1_%011lx", to_ms(now)) + numbered("_%032lx", n));
}

inline Command acquire(Time now, long lease, long name, Duration ttl = 30s, Duration wait = 0s) {
  Acquire request;
  request.space = Namespace("default");
  request.id = lease_id(now, lease);
  request.terms.owner = owner(lease);
  request.terms.resources = {resource(name)};
  request.terms.ttl = ttl;
  request.wait = wait;
  return {now, std::move(request)};
}

inline Command release(Time now, const LeaseId& id) {
  return {now, Release{Namespace("default"), id}};
}

// A state in which `count` leases are held, on resources numbered from one million.
inline std::unique_ptr<State> with_held(long count, Duration ttl = 24h) {
  auto state = std::make_unique<State>(1);
  SetLimits raise;
  raise.limits.max_leases = std::uint64_t{2} * kMillion;
  step(*state, {Time{}, raise});
  for (long i = 0; i < count; ++i) step(*state, acquire(Time{}, kMillion + i, kMillion + i, ttl));
  return state;
}

}  // namespace pawl::bench
