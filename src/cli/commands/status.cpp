// SPDX-License-Identifier: Apache-2.0
// status and version: is it there, can it grant, what is it.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <ostream>

#include "cli/commands/commands.h"
#include "cli/commands/common.h"
#include "cli/fields.h"
#include "cli/text.h"
#include "service/json.h"

namespace pawl::cli {
namespace {

// The value of a metric without labels, if the text has it as a whole number.
std::string metric(std::string_view text, std::string_view name) {
  const std::string start = "\n" + std::string(name) + " ";
  const std::size_t at = text.find(start);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + start.size());
  const std::string_view value = text.substr(0, text.find('\n'));
  return value.find_first_not_of("0123456789") == std::string_view::npos ? std::string(value) : "";
}

struct Findings {
  Answer version;
  Answer cluster;
  std::string not_ready;  // why; empty: it is ready
  std::string held;
  std::string waiting;
};

ports::Result<Findings, Trouble> find_out(const Remote& remote) {
  Findings found;
  Remote::Reply version = remote.get_global(Target("/v1/version"));
  if (!version) return version.fault();
  found.version = std::move(version).value();
  Remote::Reply cluster = remote.get_global(Target("/v1/cluster"));
  if (!cluster) return cluster.fault();
  found.cluster = std::move(cluster).value();
  const Remote::Reply ready = remote.get_global(Target("/readyz"));
  if (!ready) {
    if (ready.fault().problem.empty()) return ready.fault();
    found.not_ready = ready.fault().message;
  }
  if (const auto metrics = remote.text(Target("/metrics"))) {
    found.held = metric(metrics.value(), "pawl_leases_held");
    found.waiting = metric(metrics.value(), "pawl_leases_waiting");
  }
  return found;
}

void print_json(const Console& console, const Where& where, const Findings& found) {
  std::string text;
  service::JsonWriter json(text);
  json.begin_object().key("url").text(where.url()).key("ready").boolean(found.not_ready.empty());
  json.key("held").raw(found.held.empty() ? "null" : found.held);
  json.key("waiting").raw(found.waiting.empty() ? "null" : found.waiting);
  json.key("version").raw(found.version.text).key("cluster").raw(found.cluster.text).end_object();
  console.out << text << '\n';
}

int status(const Console& console, const Where& where) {
  const auto result = find_out(Remote(where));
  if (!result) return report(console, where, result.fault());
  const Findings& found = result.value();
  const int code = found.not_ready.empty() ? kOk : kFailed;
  if (where.json) {
    print_json(console, where, found);
    return code;
  }
  const Json& cluster = found.cluster.json;
  console.out << console.bold(where.url() + (code == kOk ? " is ready" : " is not ready")) << '\n';
  print_facts(console, {{"why", found.not_ready},
                        {"version", text_at(found.version.json, "version")},
                        {"role", text_at(cluster, "role")},
                        {"node", number_text(cluster, "nodeId")},
                        {"leader", text_at(cluster, "leader")},
                        {"held", found.held},
                        {"waiting", found.waiting}});
  return code;
}

int version(const Console& console, const Where& where) {
  const Remote::Reply reply = Remote(where).get_global(Target("/v1/version"));
  if (where.json) {
    std::string text;
    service::JsonWriter json(text);
    json.begin_object().key("version").text(PAWL_VERSION).key("service");
    json.raw(reply ? reply.value().text : "null").end_object();
    console.out << text << '\n';
    return kOk;
  }
  console.out << "pawl " << PAWL_VERSION << '\n';
  if (reply) {
    console.out << "service " << printable(text_at(reply.value().json, "version")) << " at "
                << where.url() << '\n';
  } else {
    console.out << "no service at " << where.url() << '\n';
  }
  return kOk;
}

}  // namespace

void add_status(CLI::App& app, Chosen& chosen, const Console& console) {
  const auto where = std::make_shared<Where>();
  add_client_command(app, chosen,
                     {"status", "Say whether the service can grant, and what it is",
                      "  pawl status\n  pawl status --url http://10.0.0.5:7420 --json\n"},
                     *where, [where, &console] { return status(console, *where); });
}

void add_version(CLI::App& app, Chosen& chosen, const Console& console) {
  const auto where = std::make_shared<Where>();
  where->patience = std::chrono::seconds(2);
  add_client_command(
      app, chosen,
      {"version", "Show the version of this command and of the service", "  pawl version\n"},
      *where, [where, &console] { return version(console, *where); });
}

}  // namespace pawl::cli
