// SPDX-License-Identifier: Apache-2.0
// The lock calls of the HTTP API as the clients of a history need them: requests from values,
// values from answers. Plain values, pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/names.h"
#include "e2e/history/http_client.h"
#include "history/history.h"

namespace pawl::testing {

// What somebody wants.
struct Wish {
  core::LeaseId lease;
  std::string owner;
  std::vector<core::ResourceName> resources;
  core::Mode mode = core::Mode::exclusive;
  core::Permits permits;
  Micros ttl{0};  // durations are whole milliseconds
  Micros wait{0};
  Micros max_hold{0};  // zero: none, like the next two
  Micros min_hold{0};
  Micros lock_delay{0};
};

HttpRequest acquire_request(const Wish& wish, int attempt);
HttpRequest renew_request(const core::LeaseId& lease);
HttpRequest release_request(const core::LeaseId& lease);
HttpRequest upgrade_request(const core::LeaseId& lease, core::FencingToken known, Micros wait,
                            int attempt);
HttpRequest downgrade_request(const core::LeaseId& lease, core::FencingToken known);
HttpRequest show_request(const core::ResourceName& resource);
// Without a lease: whoever holds it.
HttpRequest force_request(const core::ResourceName& resource, const core::LeaseId& lease,
                          bool at_deadline);

struct LockAnswer {
  int status = 0;
  bool yes = false;  // acquired, renewed, upgraded, downgraded, released
  bool repeated = false;
  core::FencingToken token{};
  Micros valid_for{0};
  Micros waited{0};
  core::Time state_time{};
  std::string reason;                  // of a no
  std::string code;                    // of a problem
  std::string cause;                   // of an end
  std::vector<core::LeaseId> holders;  // of a resource
};

// Nothing: this is no answer of ours.
[[nodiscard]] std::optional<LockAnswer> parse_answer(const HttpAnswer& answer);

// Nothing was decided: the same may be asked again.
bool is_transient(const LockAnswer& answer);

// The lease of a line of the server's log, if the line tells of its end.
[[nodiscard]] std::optional<StateEvent> parse_end(const std::string& line);

}  // namespace pawl::testing
