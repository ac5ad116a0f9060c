// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/config_table.h"

#include <algorithm>
#include <vector>

#include "core/validate.h"

namespace pawl::cli {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kGeneral = "General";
constexpr std::string_view kLogs = "Logs";
constexpr std::string_view kHttp = "HTTP server";
constexpr std::string_view kRequests = "Limits of a request";
constexpr std::string_view kState = "Limits of the whole service";
constexpr std::string_view kOperators = "For operators";

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;
constexpr std::uint64_t kGiB = 1024 * kMiB;

constexpr std::uint64_t us(core::Duration duration) {
  return static_cast<std::uint64_t>(duration.count());
}
constexpr std::uint64_t kLongTime = us(hours(24) * 365 * 10);

// The widest that the state machine can take (core/validate.h).
std::vector<Setting> make_settings() {
  const core::Limits widest = core::widest_limits();
  return {
      {"data-dir", kGeneral, "The data folder; made at the first start",
       [](Config& c) -> Place { return &c.data_dir; }},
      {"http", kGeneral, "Where to listen for HTTP; port 0 takes a free one",
       [](Config& c) -> Place { return &c.http; }},
      {"drain-timeout", kGeneral, "How long a stop waits for requests under way",
       [](Config& c) -> Place { return &c.drain_timeout; }, 0, us(hours(1))},

      {"log-level", kLogs, "The least severe lines that are written: info, warning or error",
       [](Config& c) -> Place { return &c.log_level; }},
      {"log-format", kLogs, "json, text, or auto: text on a terminal, otherwise JSON",
       [](Config& c) -> Place { return &c.log_format; }},
      {"log-locks", kLogs, "Whether the normal life of locks is logged: acquired, released, ...",
       [](Config& c) -> Place { return &c.log_locks; }},

      {"max-connections", kHttp, "Connections at once; more are refused",
       [](Config& c) -> Place { return &c.server.max_connections; }, 1, 1'000'000},
      {"max-event-readers", kHttp, "Readers of /v1/events at once",
       [](Config& c) -> Place { return &c.server.max_event_readers; }, 0, 100'000},
      {"max-header-bytes", kHttp, "The longest request line and headers",
       [](Config& c) -> Place { return ByteCount{&c.server.max_header_bytes}; }, kKiB, kMiB},
      {"max-body-bytes", kHttp, "The longest request body",
       [](Config& c) -> Place { return ByteCount{&c.server.max_body_bytes}; }, kKiB, 64 * kMiB},
      {"header-timeout", kHttp, "From the first byte of a request to the end of its headers",
       [](Config& c) -> Place { return &c.server.header_timeout; }, us(milliseconds(100)),
       us(hours(1))},
      {"body-timeout", kHttp, "For the body of a request to arrive",
       [](Config& c) -> Place { return &c.server.body_timeout; }, us(milliseconds(100)),
       us(hours(1))},
      {"idle-timeout", kHttp, "A connection without a request is closed after this",
       [](Config& c) -> Place { return &c.server.idle_timeout; }, us(milliseconds(100)),
       us(hours(24))},
      {"write-timeout", kHttp, "A client that does not read its answer is cut off after this",
       [](Config& c) -> Place { return &c.server.write_timeout; }, us(milliseconds(100)),
       us(hours(1))},
      {"lost-timeout", kHttp, "A client that vanished without a word is noticed after this",
       [](Config& c) -> Place { return &c.server.lost_timeout; }, us(seconds(1)), us(hours(1))},
      {"event-heartbeat", kHttp, "A sign of life on quiet event streams",
       [](Config& c) -> Place { return &c.server.heartbeat; }, us(milliseconds(100)),
       us(seconds(20))},

      {"min-ttl", kRequests, "The shortest TTL of a lease",
       [](Config& c) -> Place { return &c.service.limits.min_ttl; }, us(widest.min_ttl), kLongTime},
      {"max-ttl", kRequests, "The longest TTL of a lease",
       [](Config& c) -> Place { return &c.service.limits.max_ttl; }, us(widest.min_ttl), kLongTime},
      {"max-wait", kRequests, "The longest waitSeconds",
       [](Config& c) -> Place { return &c.service.limits.max_wait; }, 0, kLongTime},
      {"max-closed", kRequests, "The longest minHoldSeconds and lockDelaySeconds",
       [](Config& c) -> Place { return &c.service.limits.max_closed; }, 0, kLongTime},
      {"max-resources", kRequests, "Resources in one acquire",
       [](Config& c) -> Place { return &c.service.limits.max_resources; }, 1, widest.max_resources},
      {"max-permits", kRequests, "The largest permits.limit",
       [](Config& c) -> Place { return &c.service.limits.max_permits; }, 1, widest.max_permits},
      {"max-resource-bytes", kRequests, "The longest resource name",
       [](Config& c) -> Place { return ByteCount{&c.service.limits.max_resource_bytes}; }, 1,
       widest.max_resource_bytes},
      {"max-owner-bytes", kRequests, "The longest ownerId and actorId",
       [](Config& c) -> Place { return ByteCount{&c.service.limits.max_owner_bytes}; }, 1,
       widest.max_owner_bytes},
      {"max-reason-bytes", kRequests, "The longest reason of a force-release",
       [](Config& c) -> Place { return ByteCount{&c.service.limits.max_reason_bytes}; }, 1,
       widest.max_reason_bytes},
      {"max-metadata-pairs", kRequests, "Pairs in a lease's metadata",
       [](Config& c) -> Place { return &c.service.limits.max_metadata_pairs; }, 0,
       widest.max_metadata_pairs},
      {"max-metadata-bytes", kRequests, "All names and values of a lease's metadata together",
       [](Config& c) -> Place { return ByteCount{&c.service.limits.max_metadata_bytes}; }, 0,
       widest.max_metadata_bytes},

      {"max-leases", kState, "Leases, held and waiting",
       [](Config& c) -> Place { return &c.service.limits.max_leases; }, 1, widest.max_leases},
      {"max-waiters", kState, "Waiters on one resource",
       [](Config& c) -> Place { return &c.service.limits.max_waiters; }, 0, widest.max_waiters},
      {"max-records", kState, "Leases and remembered ends together",
       [](Config& c) -> Place { return &c.service.limits.max_records; }, 1, widest.max_records},
      {"retention", kState, "How long the end of a lease is remembered, so that retries are safe",
       [](Config& c) -> Place { return &c.service.limits.retention; }, us(seconds(1)), kLongTime},
      {"max-audit", kState, "Audit records kept; the oldest beyond these is dropped",
       [](Config& c) -> Place { return &c.service.limits.max_audit; }, 1, widest.max_audit},

      {"long-hold", kOperators, "A lease held for longer raises lock_held_long; 0: never",
       [](Config& c) -> Place { return &c.service.long_hold; }, 0, kLongTime},
      {"feed-events", kOperators, "Events kept for readers that come back or fall behind",
       [](Config& c) -> Place { return &c.service.feed_events; }, 1, 10'000'000},
      {"feed-bytes", kOperators, "The same in bytes; whichever is reached first",
       [](Config& c) -> Place { return ByteCount{&c.service.feed_bytes}; }, 64 * kKiB, 16 * kGiB},
      {"renewal-failures", kOperators, "Failed renewals kept for GET /v1/renewal-failures",
       [](Config& c) -> Place { return &c.service.renewal_failures; }, 1, 1'000'000},
      {"hold-time-resources", kOperators, "Resources whose usual hold time is known",
       [](Config& c) -> Place { return &c.service.hold_time_resources; }, 1, 1'000'000},
      {"metric-prefixes", kOperators, "Resource prefixes with metrics of their own",
       [](Config& c) -> Place { return &c.service.metric_prefixes; }, 1, 10'000},
  };
}

const std::vector<Setting>& table() {
  static const std::vector<Setting> made = make_settings();
  return made;
}

}  // namespace

std::span<const Setting> settings() { return table(); }

const Setting* find_setting(std::string_view name) {
  const auto found = std::ranges::find(table(), name, &Setting::name);
  return found == table().end() ? nullptr : &*found;
}

std::span<const std::string> setting_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Setting& setting : table()) all.emplace_back(setting.name);
    return all;
  }();
  return names;
}

std::string variable_of(std::string_view name) {
  std::string variable = "PAWL_";
  for (const char c : name) {
    variable += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  return variable;
}

}  // namespace pawl::cli
