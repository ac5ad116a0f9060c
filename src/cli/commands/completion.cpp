// SPDX-License-Identifier: Apache-2.0
// completion: prints the script for a shell.
#include "cli/completion.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <ostream>

#include "cli/commands/commands.h"

namespace pawl::cli {
namespace {

// "TEXT:{bash,zsh,fish}" is how a choice describes itself.
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t shut = type.find('}');
  if (open == std::string::npos || shut == std::string::npos || shut < open) return {};
  return CLI::detail::split(type.substr(open + 1, shut - open - 1), ',');
}

CompletedFlag completed(const CLI::Option& option) {
  CompletedFlag flag;
  for (const std::string& name : option.get_lnames()) flag.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) flag.names.push_back("-" + name);
  flag.what = option.get_description();
  if (option.get_items_expected_max() > 0) {
    flag.values = choices_of(option);
    const std::string type = option.get_type_name();
    flag.value = !flag.values.empty() || type.empty() ? "VALUE" : type;
  }
  return flag;
}

}  // namespace

std::vector<CompletedCommand> completed_commands(const CLI::App& app) {
  std::vector<CompletedCommand> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CompletedCommand& out = commands.emplace_back();
    out.name = command->get_name();
    out.what = command->get_description();
    for (const CLI::Option* option : command->get_options()) {
      if (option->nonpositional()) {
        out.flags.push_back(completed(*option));
      } else {
        const auto words = choices_of(*option);
        out.words.insert(out.words.end(), words.begin(), words.end());
      }
    }
  }
  return commands;
}

void add_completion(CLI::App& app, Chosen& chosen, const Console& console) {
  const auto shell = std::make_shared<std::string>();
  CLI::App& command = *app.add_subcommand("completion", "Print the completion script for a shell");
  command.footer(
      "Examples:\n"
      "  source <(pawl completion bash)\n"
      "  pawl completion zsh > ~/.zfunc/_pawl\n"
      "  pawl completion fish > ~/.config/fish/completions/pawl.fish\n");
  command.add_option("SHELL", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command.callback([&app, &chosen, &console, shell] {
    chosen.run = [&app, &console, shell]() -> int {
      const auto commands = completed_commands(app);
      console.out << (*shell == "bash"  ? bash_completion(commands)
                      : *shell == "zsh" ? zsh_completion(commands)
                                        : fish_completion(commands));
      return kOk;
    };
  });
}

}  // namespace pawl::cli
