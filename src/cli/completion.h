// SPDX-License-Identifier: Apache-2.0
// Completion scripts for shells, made from the command's own tree of subcommands and flags, so that
// they say what it takes. Pure functions.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace pawl::cli {

struct CompletedFlag {
  std::vector<std::string> names;  // with their dashes
  std::string what;
  std::string value;                // what it takes, such as DURATION; empty: nothing
  std::vector<std::string> values;  // if only these may follow
  bool wants_file() const { return value == "FILE" || value == "DIR" || value == "PATH"; }
};

struct CompletedCommand {
  std::string name;
  std::string what;
  std::vector<CompletedFlag> flags;
  std::vector<std::string> words;  // that may stand on their own
};

std::vector<CompletedCommand> completed_commands(const CLI::App& app);

std::string bash_completion(const std::vector<CompletedCommand>& commands);
std::string zsh_completion(const std::vector<CompletedCommand>& commands);
std::string fish_completion(const std::vector<CompletedCommand>& commands);

}  // namespace pawl::cli
