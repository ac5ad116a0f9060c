// SPDX-License-Identifier: Apache-2.0
// renew, release and show: what can be done with a lease id.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <ostream>

#include "cli/commands/commands.h"
#include "cli/commands/common.h"
#include "cli/durations.h"
#include "cli/fields.h"
#include "cli/problem_text.h"
#include "cli/text.h"
#include "service/json.h"

namespace pawl::cli {
namespace {

using std::chrono::microseconds;

struct Renewal {
  Where where;
  std::vector<std::string> ids;
  std::optional<microseconds> ttl;
};

struct OneLease {
  Where where;
  std::string id;
};

std::string body_of(const Renewal& asked) {
  std::string body;
  service::JsonWriter json(body);
  json.begin_object();
  if (asked.ids.size() > 1) {
    json.key("leaseIds").begin_array();
    for (const std::string& id : asked.ids) json.text(id);
    json.end_array();
  }
  if (asked.ttl) json.key("ttlSeconds").seconds(*asked.ttl);
  if (!asked.where.name_space.empty()) json.key("namespace").text(asked.where.name_space);
  json.end_object();
  return body;
}

void print_renewed(const Console& console, const Json& renewed, WallTime now) {
  console.out << console.bold("Renewed " + printable(text_at(renewed, "leaseId"))) << '\n';
  print_facts(console, {{"token", number_text(renewed, "fencingToken")},
                        {"expires", expiry_text(renewed, now)}});
}

// One line for each; the exit code is that of the worst.
int print_results(const Console& console, const Where& where, const Answer& answer) {
  int code = kOk;
  for (const auto& value : list_at(answer.json, "results")) {
    const Json& result = as_object(value);
    const std::string id = text_at(result, "leaseId");
    if (bool_at(result, "renewed")) {
      if (!where.json)
        console.out << id << "  renewed, expires " << expiry_text(result, answer.now) << '\n';
      continue;
    }
    const Trouble trouble = trouble_from(result);
    console.err << "pawl: " << printable(id + ": " + trouble.message) << '\n';
    code = std::max<int>(code, trouble.code);
  }
  return code;
}

int renew(const Console& console, const Renewal& asked) {
  const Remote remote(asked.where);
  Target target("/v1/locks");
  if (asked.ids.size() == 1) target.segment(asked.ids.front());
  target.literal("/renew");
  const Remote::Reply reply =
      send_safely([&](unsigned) { return remote.post(target, body_of(asked)); });
  if (!reply) return report(console, asked.where, reply.fault());
  if (asked.where.json) console.out << reply.value().text << '\n';
  if (asked.ids.size() > 1) return print_results(console, asked.where, reply.value());
  if (!asked.where.json) print_renewed(console, reply.value().json, reply.value().now);
  return kOk;
}

int release(const Console& console, const OneLease& asked) {
  const Remote remote(asked.where);
  const Remote::Reply reply =
      send_safely([&](unsigned) { return remote.remove(Target("/v1/locks").segment(asked.id)); });
  if (!reply) return report(console, asked.where, reply.fault());
  if (asked.where.json) {
    console.out << reply.value().text << '\n';
    return kOk;
  }
  const Json& json = reply.value().json;
  const std::string cause = text_at(json, "cause");
  const std::string token = number_text(json, "fencingToken");
  console.out << console.bold("Released " + printable(text_at(json, "leaseId")));
  if (!token.empty()) console.out << " (token " << token << ")";
  if (!cause.empty() && cause != "released")
    console.out << "; it was over already (" << printable(cause) << ")";
  console.out << '\n';
  return kOk;
}

std::string metadata_text(const Json& record) {
  std::string out;
  for (const auto& pair : object_at(record, "metadata")) {
    if (!out.empty()) out += ", ";
    const std::string key(pair.key().data(), pair.key().size());
    out += key + "=" + text_at(object_at(record, "metadata"), key);
  }
  return out;
}

int show(const Console& console, const OneLease& asked) {
  const Remote::Reply reply = Remote(asked.where).get(Target("/v1/locks").segment(asked.id));
  if (!reply) return report(console, asked.where, reply.fault());
  if (asked.where.json) {
    console.out << reply.value().text << '\n';
    return kOk;
  }
  const Json& json = reply.value().json;
  const WallTime now = reply.value().now;
  const auto ttl = seconds_at(json, "ttlSeconds");
  const bool held = text_at(json, "state") == "held";
  console.out << console.bold(printable(text_at(json, "leaseId"))) << " is "
              << printable(text_at(json, "state")) << '\n';
  print_facts(console, {{"resource", resources_text(json)},
                        {"namespace", text_at(json, "namespace")},
                        {"owner", text_at(json, "ownerId")},
                        {"mode", mode_text(json)},
                        {"token", number_text(json, "fencingToken")},
                        {"ttl", ttl ? format_duration(*ttl) : ""},
                        {"acquired", relative_at(json, "createdAt", now)},
                        {"renewed", relative_at(json, "renewedAt", now)},
                        {"expires", held ? expiry_text(json, now) : ""},
                        {"metadata", metadata_text(json)}});
  return kOk;
}

}  // namespace

void add_renew(CLI::App& app, Chosen& chosen, const Console& console) {
  const auto asked = std::make_shared<Renewal>();
  CLI::App& command =
      add_client_command(app, chosen,
                         {"renew", "Extend leases by their TTL",
                          "  pawl renew p1_1a2b_00112233445566778899aabbccddeeff\n"
                          "  pawl renew LEASE_ID LEASE_ID --ttl 1m\n"},
                         asked->where, [asked, &console] { return renew(console, *asked); });
  command.add_option("LEASE_ID", asked->ids, "The leases")->required();
  add_duration(command, "--ttl", asked->ttl, "A new TTL (default: the lease's own)");
}

void add_release(CLI::App& app, Chosen& chosen, const Console& console) {
  const auto asked = std::make_shared<OneLease>();
  CLI::App& command =
      add_client_command(app, chosen,
                         {"release", "Give a lease back, or stop waiting for it",
                          "  pawl release p1_1a2b_00112233445566778899aabbccddeeff\n"},
                         asked->where, [asked, &console] { return release(console, *asked); });
  command.add_option("LEASE_ID", asked->id, "The lease")->required();
}

void add_show(CLI::App& app, Chosen& chosen, const Console& console) {
  const auto asked = std::make_shared<OneLease>();
  CLI::App& command = add_client_command(
      app, chosen, {"show", "Show a lease", "  pawl show LEASE_ID\n  pawl show LEASE_ID --json\n"},
      asked->where, [asked, &console] { return show(console, *asked); });
  command.add_option("LEASE_ID", asked->id, "The lease")->required();
}

}  // namespace pawl::cli
