// SPDX-License-Identifier: Apache-2.0
// Everything that is counted, as Prometheus sees it. docs/metrics.md lists it all, and a test keeps
// the two together. Counting is in the loop; text() too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/effect.h"
#include "ports/clock.h"
#include "ports/lock_store.h"
#include "service/problem.h"

namespace pawl::service {

class Metrics {
 public:
  // At most so many label values by resource prefix; what comes later is "other".
  explicit Metrics(std::size_t max_prefixes, std::string_view version = "unknown");
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // From the log: everything that happened on this node's copy of the state.
  void applied(const core::Command& command, const core::Effects& effects);
  // From the service.
  void call_failed(ProblemCode code);  // overloaded, outcome_unknown, ...: never reached the log
  void office_changed(const ports::Office& office);
  void held_long();
  void fence_checked(bool valid);
  void log_written(ports::Ticks took);
  // From the doors. `door` is "http" or "resp", `call` a fixed name such as "acquire", `why` one
  // such as "too_many"; of each only so many are told apart, the rest is "other".
  void request_done(std::string_view door, std::string_view call, int status, ports::Ticks took);
  void connection_opened(std::string_view door);
  void connection_closed(std::string_view door);
  void connection_refused(std::string_view door, std::string_view why);

  void set_event_readers(std::uint64_t now);

  // What is there at the moment; set before text() is made.
  struct Now {
    std::uint64_t held = 0;
    std::uint64_t waiting = 0;
    std::uint64_t records = 0;     // what counts against limits.max_records
    std::uint64_t remembered = 0;  // ends of leases
    std::uint64_t audit = 0;
    std::uint64_t held_long = 0;  // as of the last sweep, as is the next
    core::Duration longest_hold{0};
    bool ready = false;
  };
  void set_now(const Now& now);

  // The text exposition format.
  std::string text() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::service
