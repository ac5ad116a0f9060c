// SPDX-License-Identifier: Apache-2.0
// list, audit and failures: what is held, what operators ended, what could not be renewed.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <ostream>

#include "cli/commands/commands.h"
#include "cli/commands/common.h"
#include "cli/commands/pages.h"
#include "cli/durations.h"
#include "cli/fields.h"

namespace pawl::cli {
namespace {

constexpr auto kRight = Table::Align::right;

struct Listed {
  Where where;
  Pages pages;
};

struct FailuresAsked {
  Where where;
  std::string prefix;
  std::string owner;
  std::uint64_t limit = 100;
};

int list(const Console& console, const Listed& asked) {
  Table table(
      {{"RESOURCE"}, {"OWNER"}, {"MODE"}, {"TOKEN", kRight}, {"ACQUIRED"}, {"EXPIRES"}, {"LEASE"}},
      console.styled);
  const auto row = [](const Json& lock, WallTime now) -> std::vector<std::string> {
    const std::string expires = relative_at(lock, "expiresAt", now);
    return {text_at(lock, "resource"),
            text_at(lock, "ownerId"),
            mode_text(lock),
            number_text(lock, "fencingToken"),
            relative_at(lock, "createdAt", now),
            expires.empty() ? "never" : expires,
            text_at(lock, "leaseId")};
  };
  return print_pages(console, asked.where, asked.pages, std::move(table), row, "Nothing is held.");
}

std::string owners_text(const Json& record) {
  std::string out;
  const auto& holders = list_at(record, "holders");
  for (const auto& holder : holders) {
    if (!out.empty()) out += ", ";
    out += text_at(as_object(holder), "ownerId");
  }
  const auto all = number_at(record, "holderCount").value_or(0);
  if (all > holders.size()) out += " and " + std::to_string(all - holders.size()) + " more";
  return out;
}

int audit(const Console& console, const Listed& asked) {
  Table table(
      {{"ID", kRight}, {"WHEN"}, {"ACTION"}, {"RESOURCE"}, {"ACTOR"}, {"HOLDERS"}, {"REASON"}},
      console.styled);
  const auto row = [](const Json& record, WallTime now) -> std::vector<std::string> {
    return {number_text(record, "id"),  relative_at(record, "createdAt", now),
            text_at(record, "action"),  text_at(record, "resource"),
            text_at(record, "actorId"), owners_text(record),
            text_at(record, "reason")};
  };
  return print_pages(console, asked.where, asked.pages, std::move(table), row,
                     "Nothing was force-released.");
}

int failures(const Console& console, const FailuresAsked& asked) {
  Target target("/v1/renewal-failures");
  target.query("prefix", asked.prefix).query("ownerId", asked.owner);
  target.query("limit", std::to_string(asked.limit));
  const Remote::Reply reply = Remote(asked.where).get(target);
  if (!reply) return report(console, asked.where, reply.fault());
  if (asked.where.json) {
    console.out << reply.value().text << '\n';
    return kOk;
  }
  Table table({{"WHEN"}, {"RESOURCE"}, {"OWNER"}, {"CODE"}, {"CAUSE"}, {"LATE", kRight}, {"LEASE"}},
              console.styled);
  const auto& list = list_at(reply.value().json, "failures");
  for (const auto& item : list) {
    const Json& failure = as_object(item);
    const auto late = seconds_at(failure, "lateSeconds");
    table.add({relative_at(failure, "at", reply.value().now), resources_text(failure),
               text_at(failure, "ownerId"), text_at(failure, "code"), text_at(failure, "cause"),
               late ? rough_duration(*late) : "", text_at(failure, "leaseId")});
  }
  table.print(console.out);
  if (list.empty()) console.err << "No renewal failed lately.\n";
  return kOk;
}

}  // namespace

void add_list(CLI::App& app, Chosen& chosen, const Console& console) {
  const auto asked = std::make_shared<Listed>();
  asked->pages.path = "/v1/locks";
  asked->pages.items = "locks";
  CLI::App& command =
      add_client_command(app, chosen,
                         {"list", "List what is held",
                          "  pawl list\n"
                          "  pawl list tenant_123:\n"
                          "  pawl list --all --json\n"},
                         asked->where, [asked, &console] { return list(console, *asked); });
  add_page_flags(command, asked->pages, "Only names that begin so");
}

void add_audit(CLI::App& app, Chosen& chosen, const Console& console) {
  const auto asked = std::make_shared<Listed>();
  asked->pages.path = "/v1/audit";
  asked->pages.items = "records";
  CLI::App& command =
      add_client_command(app, chosen,
                         {"audit", "List what operators force-released, oldest first",
                          "  pawl audit\n"
                          "  pawl audit tenant_123: --all\n"},
                         asked->where, [asked, &console] { return audit(console, *asked); });
  add_page_flags(command, asked->pages, "Only names that begin so");
}

void add_failures(CLI::App& app, Chosen& chosen, const Console& console) {
  const auto asked = std::make_shared<FailuresAsked>();
  CLI::App& command =
      add_client_command(app, chosen,
                         {"failures", "List renewals that failed, newest first",
                          "  pawl failures\n"
                          "  pawl failures tenant_123: --owner worker-7\n"},
                         asked->where, [asked, &console] { return failures(console, *asked); });
  command.add_option("PREFIX", asked->prefix, "Only names that begin so");
  command.add_option("--owner", asked->owner, "Only of this owner")->type_name("NAME");
  add_count(command, "--limit", asked->limit, "At most so many (default 100)");
}

}  // namespace pawl::cli
