// SPDX-License-Identifier: Apache-2.0
// The `serve` subcommand: flags made from the table of settings, then the daemon.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/serve/config_load.h"
#include "cli/serve/config_table.h"
#include "cli/serve/daemon.h"
#include "cli/text.h"

namespace pawl::cli {
namespace {

// What the command line said.
struct Flags {
  std::vector<std::string> values;  // of each of settings(), in its order
  std::vector<CLI::Option*> options;
  std::string config;
  CLI::Option* config_option = nullptr;
  bool print_config = false;
};

constexpr const char* kFooter =
    R"(Every setting is also a variable (--max-leases: PAWL_MAX_LEASES) and a key of the
configuration file (max-leases = 1000). A flag is stronger than a variable, that than the
file, that than the default.

Signals: SIGTERM or SIGINT lets requests under way finish and stops; a second one stops at once.
Exit codes: 0 stopped, 2 wrong settings, 20 to 24 trouble with the data folder, 25 can't listen
(docs/operations.md).

Examples:
  pawl serve
  pawl serve --http 127.0.0.1:0 --data-dir /tmp/pawl
  pawl serve --config /etc/pawl/pawl.toml --print-config)";

Sources sources_of(const Flags& flags) {
  Sources sources;
  for (std::size_t i = 0; i < settings().size(); ++i) {
    if (flags.options[i]->count() == 0) continue;
    sources.flags.emplace_back(settings()[i].name, flags.values[i]);
  }
  if (flags.config_option->count() > 0) sources.config_flag = flags.config;
  sources.environment = environment();
  return sources;
}

void complain(const std::string& sentence) {
  static_cast<void>(std::fprintf(stderr, "pawl serve: %s\n", printable(sentence).c_str()));
}

int run_serve(const Flags& flags) {
  const auto loaded = load_config(sources_of(flags));
  if (!loaded) {
    for (const std::string& problem : loaded.fault()) complain(problem);
    return kUsage;
  }
  if (flags.print_config) {
    for (const UnknownVariable& variable : loaded.value().unknown_variables) {
      complain("warning: unknown variable " + variable.name +
               (variable.nearest.empty() ? "" : "; did you mean " + variable.nearest + "?"));
    }
    static_cast<void>(std::fputs(print_config(loaded.value()).c_str(), stdout));
    return std::fflush(stdout) == 0 ? kOk : kFailed;
  }
  return Daemon(loaded.value()).run();
}

}  // namespace

void add_serve(CLI::App& app, Chosen& chosen) {
  CLI::App* serve = app.add_subcommand("serve", "Run the lock service");
  const auto flags = std::make_shared<Flags>();
  flags->values.resize(settings().size());
  const Config defaults;
  for (std::size_t i = 0; i < settings().size(); ++i) {
    const Setting& setting = settings()[i];
    CLI::Option* option = serve->add_option("--" + std::string(setting.name), flags->values[i],
                                            std::string(setting.help));
    option->type_name(std::string(value_name(setting)));
    option->default_str(get(setting, defaults));
    option->group(std::string(setting.group));
    flags->options.push_back(option);
  }
  flags->config_option =
      serve->add_option("--config", flags->config, "Read settings from this TOML file")
          ->type_name("FILE");
  serve->add_flag("--print-config", flags->print_config,
                  "Print the settings in force and where each comes from, then exit");
  serve->footer(kFooter);
  serve->callback([&chosen, flags] { chosen.run = [flags] { return run_serve(*flags); }; });
}

}  // namespace pawl::cli
