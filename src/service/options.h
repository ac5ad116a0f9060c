// SPDX-License-Identifier: Apache-2.0
// What an operator can set about the service. Plain values with working defaults.
#pragma once

#include <chrono>
#include <cstddef>

#include "core/limits.h"

namespace pawl::service {

struct ServiceOptions {
  // Logged as soon as this node takes office, unless the state has them already.
  core::Limits limits;

  // A lease held for longer raises `lock_held_long`, once; zero: never.
  core::Duration long_hold = std::chrono::minutes(10);

  // The event feed keeps this much for readers that come back or fall behind.
  std::size_t feed_events = 100'000;
  std::size_t feed_bytes = std::size_t{32} << 20;
  // Losses and failed renewals kept for operators.
  std::size_t renewal_failures = 1'000;
  // Resources whose usual hold time is known; the least recently released is forgotten first.
  std::size_t hold_time_resources = 10'000;
  // Label values of the metrics by resource prefix; what comes later is counted as "other".
  std::size_t metric_prefixes = 100;
};

}  // namespace pawl::service
