// SPDX-License-Identifier: Apache-2.0
#include "cli/run.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <ostream>

#include "cli/commands/commands.h"
#include "cli/completion.h"
#include "cli/text.h"

namespace pawl::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  pawl serve\n"
    "  pawl acquire tenant_123:billing-close:2026-04 --ttl 30s --wait 10s\n"
    "  pawl why tenant_123:billing-close:2026-04\n"
    "  pawl list tenant_123: --json\n"
    "\n"
    "Exit codes: 0 done, 1 refused or failed, 2 wrong command line, 3 not acquired,\n"
    "4 the lease is over or unknown, 5 service unreachable, 6 outcome unknown.\n"
    "Environment: PAWL_URL and PAWL_NAMESPACE stand for --url and --namespace; NO_COLOR.\n"
    "'pawl COMMAND --help' says more.";

void add_commands(CLI::App& app, Chosen& chosen, const Console& console, const AddMore& add_more) {
  if (add_more) add_more(app, chosen);
  add_acquire(app, chosen, console);
  add_renew(app, chosen, console);
  add_release(app, chosen, console);
  add_list(app, chosen, console);
  add_show(app, chosen, console);
  add_why(app, chosen, console);
  add_force_release(app, chosen, console);
  add_audit(app, chosen, console);
  add_failures(app, chosen, console);
  add_watch(app, chosen, console);
  add_status(app, chosen, console);
  add_version(app, chosen, console);
  add_completion(app, chosen, console);
}

// "pawl help why" is "pawl why --help".
void rewrite_help(std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() != "help") return;
  arguments.erase(arguments.begin());
  arguments.resize(std::min<std::size_t>(arguments.size(), 1));
  arguments.emplace_back("--help");
}

int wrong(const Console& console, const std::string& command, const std::string& message,
          std::string_view meant) {
  console.err << command << ": " << message;
  if (!meant.empty()) console.err << "; did you mean '" << meant << "'?";
  console.err << "\nSee '" << command << " --help'.\n";
  return kUsage;
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// CLI11 reads a list out of "[a,b]" given for a positional that takes several. A name may look so.
const std::string* bracketed(const std::vector<std::string>& arguments) {
  const auto found = std::find_if(arguments.begin(), arguments.end(), [](const std::string& text) {
    return text.size() > 1 && text.front() == '[' && text.back() == ']';
  });
  return found == arguments.end() ? nullptr : &*found;
}

int wrong_arguments(const Console& console, const CLI::App& app, const CLI::ParseError& error,
                    const std::vector<std::string>& arguments) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string name = chosen.empty() ? "pawl" : "pawl " + command.get_name();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr)
    return wrong(console, name, printable(error.what()), "");
  // The argument that is not known: the first flag that is none, else simply too many.
  const std::vector<std::string> flags = flag_names(command);
  for (const std::string& argument : arguments) {
    if (!argument.starts_with("--") || argument.size() == 2) continue;
    const std::string flag = argument.substr(0, argument.find('='));
    if (std::find(flags.begin(), flags.end(), flag) != flags.end()) continue;
    return wrong(console, name, "there is no " + printable(flag), nearest(flag, flags));
  }
  return wrong(console, name, printable(error.what()), "");
}

int parse_and_run(CLI::App& app, Chosen& chosen, const Console& console,
                  const std::vector<std::string>& arguments) {
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& help) {
    return app.exit(help, console.out, console.err);
  } catch (const CLI::ParseError& error) {
    return wrong_arguments(console, app, error, arguments);
  }
  if (!chosen.run) {
    console.err << app.help();
    return kUsage;
  }
  const std::string command = arguments.front();
  if (const std::string* name = bracketed(arguments);
      name != nullptr && (command == "acquire" || command == "renew"))
    return wrong(console, "pawl " + command,
                 "a name in brackets such as " + printable(*name) + " can't be given here", "");
  const int code = chosen.run();
  console.out.flush();
  if (!console.out) {
    console.err << "pawl: the output could not be written\n";
    return code == kOk ? kFailed : code;
  }
  return code;
}

}  // namespace

int run(std::vector<std::string> arguments, const Console& console, const AddMore& add_more) {
  CLI::App app("Pawl: locks that only move forward.", "pawl");
  app.footer(kFooter);
  app.set_version_flag("--version", "pawl " PAWL_VERSION, "Show the version and exit");
  app.require_subcommand(0, 1);
  Chosen chosen;
  add_commands(app, chosen, console, add_more);
  rewrite_help(arguments);

  if (!arguments.empty() && !arguments.front().starts_with('-')) {
    std::vector<std::string> names;
    for (const CompletedCommand& command : completed_commands(app)) names.push_back(command.name);
    if (std::find(names.begin(), names.end(), arguments.front()) == names.end())
      return wrong(console, "pawl", "there is no command '" + printable(arguments.front()) + "'",
                   nearest(arguments.front(), names));
  }
  return parse_and_run(app, chosen, console, arguments);
}

}  // namespace pawl::cli
