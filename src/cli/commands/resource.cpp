// SPDX-License-Identifier: Apache-2.0
// why and force-release: what can be done with a resource's name.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <ostream>

#include "cli/commands/commands.h"
#include "cli/commands/common.h"
#include "cli/commands/explain.h"
#include "cli/commands/holders.h"
#include "cli/fields.h"
#include "cli/text.h"
#include "service/json.h"

namespace pawl::cli {
namespace {

struct WhyAsked {
  Where where;
  std::string name;
  std::uint64_t limit = 20;
};

struct ForceAsked {
  Where where;
  std::string name;
  std::string actor;
  std::string reason;
  std::string lease_id;
  std::optional<std::uint64_t> token;
  bool at_deadline = false;
  bool yes = false;
};

Remote::Reply view_of(const Remote& remote, const std::string& name, std::uint64_t limit) {
  return remote.get(Target("/v1/resources").segment(name).query("limit", std::to_string(limit)));
}

int why(const Console& console, const WhyAsked& asked) {
  const Remote::Reply reply = view_of(Remote(asked.where), asked.name, asked.limit);
  if (!reply) return report(console, asked.where, reply.fault());
  if (asked.where.json) {
    console.out << reply.value().text << '\n';
  } else {
    console.out << explain(reply.value().json, reply.value().now);
  }
  return kOk;
}

std::string body_of(const ForceAsked& asked) {
  std::string body;
  service::JsonWriter json(body);
  json.begin_object();
  json.key("actorId").text(asked.actor).key("reason").text(asked.reason);
  if (!asked.lease_id.empty()) json.key("leaseId").text(asked.lease_id);
  if (asked.token) json.key("fencingToken").number(*asked.token);
  if (asked.at_deadline) json.key("when").text("at_deadline");
  if (!asked.where.name_space.empty()) json.key("namespace").text(asked.where.name_space);
  json.end_object();
  return body;
}

bool is_meant(const ForceAsked& asked, const Json& holder) {
  if (!asked.lease_id.empty()) return text_at(holder, "leaseId") == asked.lease_id;
  if (asked.token) return number_at(holder, "fencingToken") == asked.token;
  return true;
}

// Shows who would be cut off, and asks. With one holder, only that one is meant from then on: who
// takes its place while the question stands is left alone. The exit code, if it ends here.
std::optional<int> ask(const Console& console, const Remote& remote, ForceAsked& asked) {
  if (!console.in_is_terminal)
    return report(console, asked.where,
                  {kUsage, "force-release asks first, and there is no terminal to ask on",
                   "add --yes to do it without asking"});
  const Remote::Reply reply = view_of(remote, asked.name, 100);
  if (!reply) return report(console, asked.where, reply.fault());
  std::vector<const Json*> meant;
  for (const auto& value : list_at(reply.value().json, "holders")) {
    if (is_meant(asked, as_object(value))) meant.push_back(&as_object(value));
  }
  if (meant.empty())
    return report(
        console, asked.where,
        {kFailed,
         asked.name + " is not held" + (asked.lease_id.empty() && !asked.token ? "" : " so"),
         "see 'pawl why " + asked.name + "'"});
  for (const Json* holder : meant)
    console.err << printable(asked.name) << " is held by "
                << printable(holder_text(*holder, reply.value().now)) << '\n';
  const auto all = number_at(reply.value().json, "holderCount").value_or(0);
  if (all > 100) console.err << "and " << all - 100 << " others\n";
  const std::string question =
      asked.at_deadline ? "Refuse renewals, and end it when its time has run out?"
                        : "End it now? Its holder may still be at work, and only a check of its "
                          "token stops it.";
  if (!console.confirms(question)) {
    console.err << "Nothing was done.\n";
    return kFailed;
  }
  if (meant.size() == 1 && asked.lease_id.empty() && !asked.token)
    asked.lease_id = text_at(*meant.front(), "leaseId");
  return {};
}

void print_ended(const Console& console, const ForceAsked& asked, const Answer& answer) {
  const Json& json = answer.json;
  const auto& released = list_at(json, "released");
  const auto count = number_at(json, "releasedCount").value_or(released.size());
  const Json& record = object_at(json, "audit");
  console.out << console.bold(asked.at_deadline ? "Ends at its deadline" : "Force-released") << ": "
              << printable(asked.name) << '\n';
  const auto text_of = asked.at_deadline ? holder_text : former_holder_text;
  for (const auto& holder : released)
    console.out << "  " << printable(text_of(as_object(holder), answer.now)) << '\n';
  if (count > released.size())
    console.out << "  and " << count_text(count - released.size(), "other", "others") << '\n';
  console.out << "Audit record " << number_text(record, "id") << " by "
              << printable(text_at(record, "actorId")) << ": "
              << printable(text_at(record, "reason")) << '\n';
}

int force_release(const Console& console, ForceAsked asked) {
  if (!asked.lease_id.empty() && asked.token)
    return report(console, asked.where, {kUsage, "--lease-id and --token exclude each other"});
  if (asked.actor.empty()) asked.actor = user_at_host();
  const Remote remote(asked.where);
  if (!asked.yes) {
    if (const auto ended = ask(console, remote, asked)) return *ended;
  }
  const Remote::Reply reply = remote.post(
      Target("/v1/resources").segment(asked.name).literal("/force-release"), body_of(asked));
  if (!reply) {
    Trouble trouble = reply.fault();
    if (trouble.code == kUnknown)
      trouble.hint = "see 'pawl audit " + asked.name + "' before you repeat it";
    return report(console, asked.where, trouble);
  }
  if (asked.where.json) {
    console.out << reply.value().text << '\n';
  } else {
    print_ended(console, asked, reply.value());
  }
  return kOk;
}

}  // namespace

void add_why(CLI::App& app, Chosen& chosen, const Console& console) {
  const auto asked = std::make_shared<WhyAsked>();
  CLI::App& command =
      add_client_command(app, chosen,
                         {"why", "Explain who holds a name, who waits and what happens next",
                          "  pawl why tenant_123:billing-close:2026-04\n"
                          "  pawl why report --json\n"},
                         asked->where, [asked, &console] { return why(console, *asked); });
  command.add_option("NAME", asked->name, "The name")->required();
  add_count(command, "--limit", asked->limit, "Show so many holders and waiters (default 20)");
}

void add_force_release(CLI::App& app, Chosen& chosen, const Console& console) {
  const auto asked = std::make_shared<ForceAsked>();
  CLI::App& command = add_client_command(
      app, chosen,
      {"force-release", "End another's lease; audited",
       "  pawl force-release report --reason 'worker-7 is gone'\n"
       "  pawl force-release report --token 42 --at-deadline --reason 'moving it' --yes\n"},
      asked->where, [asked, &console] { return force_release(console, *asked); });
  command.add_option("NAME", asked->name, "The name")->required();
  command.add_option("--reason", asked->reason, "Why; kept in the audit trail")
      ->required()
      ->type_name("TEXT");
  command.add_option("--actor", asked->actor, "Who does it (default: user@host)")
      ->type_name("NAME");
  command.add_option("--lease-id", asked->lease_id, "Only this lease")->type_name("ID");
  command.add_option("--token", asked->token, "Only the lease with this fencing token")
      ->type_name("N");
  command.add_flag("--at-deadline", asked->at_deadline,
                   "Refuse renewals and let it run out, so that its holder knows first");
  command.add_flag("--yes,-y", asked->yes, "Don't ask");
}

}  // namespace pawl::cli
