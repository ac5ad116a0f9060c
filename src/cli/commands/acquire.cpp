// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <charconv>
#include <memory>
#include <ostream>

#include "cli/commands/commands.h"
#include "cli/commands/common.h"
#include "cli/commands/holders.h"
#include "cli/durations.h"
#include "cli/fields.h"
#include "cli/lease_id.h"
#include "cli/text.h"
#include "engine/host/system_secrets.h"
#include "service/json.h"

namespace pawl::cli {
namespace {

using std::chrono::microseconds;

struct Permits {
  std::uint64_t limit = 0;
  std::uint64_t count = 1;
};

struct Asked {
  Where where;
  std::vector<std::string> names;
  std::string owner;
  std::optional<microseconds> ttl = std::chrono::seconds(30);
  std::optional<microseconds> wait;
  std::optional<microseconds> max_hold;
  std::optional<microseconds> min_hold;
  std::optional<microseconds> lock_delay;
  bool shared = false;
  std::optional<Permits> permits;
  std::string lease_id;
  std::uint64_t attempt = 1;
  std::vector<std::pair<std::string, std::string>> metadata;
};

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

Permits parse_permits(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto limit = parse_number(std::string_view(text).substr(0, colon));
  const auto count = colon == std::string::npos
                         ? std::optional<std::uint64_t>(1)
                         : parse_number(std::string_view(text).substr(colon + 1));
  if (!limit || !count)
    throw CLI::ValidationError(
        "--permits", "'" + printable(text) + "' is not LIMIT or LIMIT:COUNT, as in 5 or 5:2");
  return {*limit, *count};
}

std::pair<std::string, std::string> parse_pair(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw CLI::ValidationError("--meta", "'" + printable(text) + "' is not KEY=VALUE");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string body_of(const Asked& asked, std::uint64_t attempt) {
  std::string body;
  service::JsonWriter json(body);
  const auto seconds = [&json](std::string_view name, const std::optional<microseconds>& value) {
    if (value) json.key(name).seconds(*value);
  };
  json.begin_object();
  if (asked.names.size() == 1) {
    json.key("resource").text(asked.names.front());
  } else {
    json.key("resources").begin_array();
    for (const std::string& name : asked.names) json.text(name);
    json.end_array();
  }
  json.key("ownerId").text(asked.owner);
  seconds("ttlSeconds", asked.ttl);
  seconds("waitSeconds", asked.wait);
  if (asked.shared) json.key("mode").text("shared");
  if (asked.permits) {
    json.key("mode").text("permit").key("permits").begin_object();
    json.key("limit").number(asked.permits->limit).key("count").number(asked.permits->count);
    json.end_object();
  }
  json.key("leaseId").text(asked.lease_id);
  if (attempt > 1) json.key("attempt").number(attempt);
  seconds("maxHoldSeconds", asked.max_hold);
  seconds("minHoldSeconds", asked.min_hold);
  seconds("lockDelaySeconds", asked.lock_delay);
  if (!asked.metadata.empty()) {
    json.key("metadata").begin_object();
    for (const auto& [key, value] : asked.metadata) json.key(key).text(value);
    json.end_object();
  }
  if (!asked.where.name_space.empty()) json.key("namespace").text(asked.where.name_space);
  json.end_object();
  return body;
}

void make_id(Asked& asked, std::uint64_t state_time_ms) {
  engine::SystemSecrets secrets;
  asked.lease_id = make_lease_id(state_time_ms, secrets);
}

// One acquire, repeated once with the same id if its answer is lost (P6). `attempt`: the last.
Remote::Reply send(const Remote& remote, const Asked& asked, std::uint64_t& attempt) {
  return send_safely([&](unsigned repeat) {
    attempt = asked.attempt + repeat;
    return remote.post(Target("/v1/locks/acquire"), body_of(asked, attempt),
                       asked.wait.value_or(microseconds(0)));
  });
}

// The id is made here and not by the service, so that a lost answer can be asked for again.
Remote::Reply ask_with_own_id(const Remote& remote, Asked& asked, std::uint64_t& attempt) {
  const Remote::Reply version = remote.get_global(Target("/v1/version"));
  if (!version) return version;
  make_id(asked, number_at(version.value().json, "stateTimeMs").value_or(0));
  Remote::Reply reply = send(remote, asked, attempt);
  // The time of a service that was idle stands still until the next command, so that a new id can
  // look old. Such an id was not granted, and the refusal tells the time.
  if (reply.ok() || reply.fault().problem_code != "lease_id_stale" || !reply.fault().state_time_ms)
    return reply;
  make_id(asked, *reply.fault().state_time_ms);
  return send(remote, asked, attempt);
}

void print_grant(const Console& console, const Asked& asked, const Answer& answer) {
  const Json& grant = answer.json;
  const auto waited = seconds_at(grant, "waitedSeconds");
  const std::string mode = mode_text(grant);
  console.out << console.bold("Acquired " + printable(resources_text(grant)))
              << (bool_at(grant, "repeated") ? " (it already was: nothing changed)" : "") << '\n';
  print_facts(console, {{"lease", text_at(grant, "leaseId")},
                        {"token", number_text(grant, "fencingToken")},
                        {"expires", expiry_text(grant, answer.now)},
                        {"owner", text_at(grant, "ownerId")},
                        {"mode", mode == "exclusive" ? "" : mode},
                        {"waited", asked.wait && waited ? rough_duration(*waited) : ""}});
}

void print_holders(const Console& console, const Json& from, WallTime now) {
  const auto& holders = list_at(from, "holders");
  for (const auto& holder : holders)
    console.err << "  held by " << printable(holder_text(as_object(holder), now)) << '\n';
  const auto all = number_at(from, "holderCount").value_or(0);
  if (all > holders.size())
    console.err << "  and " << count_text(all - holders.size(), "other", "others") << '\n';
}

void print_refusal(const Console& console, const Asked& asked, const Remote& remote,
                   const Answer& answer) {
  const Json& json = answer.json;
  const std::string reason = text_at(json, "reason");
  const std::string resource = text_at(json, "resource");
  const auto retry = seconds_at(json, "retryAfterSeconds");
  console.err << "pawl: not acquired: " << printable(resource);
  if (reason == "timeout") {
    console.err << " could not be had within "
                << rough_duration(asked.wait.value_or(microseconds(0))) << '\n';
    // The service does not say who held it at the end of a wait; the resource does.
    const Remote::Reply now = remote.get(Target("/v1/resources").segment(resource));
    if (now) print_holders(console, now.value().json, now.value().now);
  } else if (reason == "delayed") {
    console.err << " stays closed" << (retry ? " for another " + rough_duration(*retry) : "")
                << " after its last holder (a minimum hold or a lock delay)\n";
  } else {
    console.err << " is held\n";
    print_holders(console, json, answer.now);
    const auto waiters = number_at(json, "waiters").value_or(0);
    if (waiters > 0) console.err << "  " << count_text(waiters, "waits", "wait") << " for it\n";
  }
  console.err << "hint: " << (asked.wait ? "see" : "wait for it with --wait 30s, or see")
              << " 'pawl why " << printable(resource) << "'\n";
}

int acquire(const Console& console, Asked asked) {
  if (asked.shared && asked.permits)
    return report(console, asked.where, {kUsage, "--shared and --permits exclude each other"});
  const Remote remote(asked.where);
  if (asked.owner.empty()) asked.owner = user_at_host() + ":" + std::to_string(::getpid());
  std::uint64_t attempt = asked.attempt;
  const Remote::Reply reply = asked.lease_id.empty() ? ask_with_own_id(remote, asked, attempt)
                                                     : send(remote, asked, attempt);
  if (!reply) {
    Trouble trouble = reply.fault();
    if (trouble.code == kUnknown)
      trouble.hint = "repeat it with --lease-id " + asked.lease_id + " --attempt " +
                     std::to_string(attempt + 1) + ", or give it up with 'pawl release " +
                     asked.lease_id + "'";
    return report(console, asked.where, trouble);
  }
  const bool acquired = bool_at(reply.value().json, "acquired");
  if (asked.where.json) {
    console.out << reply.value().text << '\n';
  } else if (acquired) {
    print_grant(console, asked, reply.value());
  } else {
    print_refusal(console, asked, remote, reply.value());
  }
  return acquired ? kOk : kNotAcquired;
}

}  // namespace

void add_acquire(CLI::App& app, Chosen& chosen, const Console& console) {
  const auto asked = std::make_shared<Asked>();
  CLI::App& command =
      add_client_command(app, chosen,
                         {"acquire", "Take a lock and leave it to its TTL",
                          "  pawl acquire tenant_123:billing-close:2026-04 --ttl 30s --wait 10s\n"
                          "  pawl acquire report --shared\n"
                          "  pawl acquire mail-api --permits 5         one of at most five\n"
                          "  pawl acquire account:1 account:2          both or neither\n"},
                         asked->where, [asked, &console] { return acquire(console, *asked); });
  command.add_option("NAME", asked->names, "What to lock; several: all or nothing")->required();
  command.add_option("--owner", asked->owner, "Who asks (default: user@host:pid)")
      ->type_name("NAME");
  add_duration(command, "--ttl", asked->ttl, "How long it is held unless renewed (default 30s)");
  add_duration(command, "--wait", asked->wait, "Wait in line for up to this long");
  command.add_flag("--shared", asked->shared, "Hold it together with other readers");
  command
      .add_option_function<std::string>(
          "--permits", [asked](const std::string& text) { asked->permits = parse_permits(text); },
          "Hold COUNT (1 unless given) of LIMIT permits")
      ->type_name("LIMIT[:COUNT]");
  command.add_option("--lease-id", asked->lease_id, "Repeat an acquire whose answer was lost")
      ->type_name("ID");
  add_count(command, "--attempt", asked->attempt,
            "The number of this try with that id (default 1)");
  add_duration(command, "--max-hold", asked->max_hold, "End it after this long, renewed or not");
  add_duration(command, "--min-hold", asked->min_hold,
               "Keep it closed until this long after the grant, even if released before");
  add_duration(command, "--lock-delay", asked->lock_delay,
               "Keep it closed for this long after an end that was not asked for");
  command
      .add_option_function<std::vector<std::string>>(
          "--meta",
          [asked](const std::vector<std::string>& pairs) {
            for (const std::string& pair : pairs) asked->metadata.push_back(parse_pair(pair));
          },
          "A note that is shown with the lock; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
}

}  // namespace pawl::cli
