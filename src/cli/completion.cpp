// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <string_view>

namespace pawl::cli {
namespace {

std::string join(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += between;
    out += word;
  }
  return out;
}

// The text with `escape` before each of `special`.
std::string escaped(std::string_view text, std::string_view special, std::string_view escape) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += escape;
    out += c;
  }
  return out;
}

// In single quotes, for a POSIX shell.
std::string quoted(std::string_view text) { return "'" + escaped(text, "'", "'\\'") + "'"; }

std::string quoted_fish(std::string_view text) { return "'" + escaped(text, "'\\", "\\") + "'"; }

std::vector<std::string> names_of(const std::vector<CompletedCommand>& commands) {
  std::vector<std::string> names;
  for (const CompletedCommand& command : commands) names.push_back(command.name);
  return names;
}

std::string bash_values(const CompletedCommand& command) {
  std::string out;
  for (const CompletedFlag& flag : command.flags) {
    if (flag.value.empty()) continue;
    out += "        " + join(flag.names, "|") + ") ";
    if (flag.wants_file()) {
      out += "COMPREPLY=($(compgen -f -- \"$cur\")); ";
    } else if (!flag.values.empty()) {
      out += "COMPREPLY=($(compgen -W " + quoted(join(flag.values, " ")) + " -- \"$cur\")); ";
    }
    out += "return ;;\n";
  }
  return out.empty() ? "" : "      case \"$prev\" in\n" + out + "      esac\n";
}

std::string zsh_argument(const CompletedFlag& flag, const std::string& name) {
  std::string out = name + "[" + escaped(flag.what, "[]:\\", "\\") + "]";
  if (flag.value.empty()) return quoted(out);
  out += ":" + escaped(flag.value, "[]:\\", "\\") + ":";
  if (flag.wants_file()) out += "_files";
  if (!flag.values.empty()) out += "(" + join(flag.values, " ") + ")";
  return quoted(out);
}

std::string fish_names(const CompletedFlag& flag) {
  std::string out;
  for (const std::string& name : flag.names)
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return out;
}

}  // namespace

std::string bash_completion(const std::vector<CompletedCommand>& commands) {
  std::string out =
      "# bash completion for pawl. Try it: source <(pawl completion bash)\n"
      "_pawl() {\n"
      "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  COMPREPLY=()\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
      "    COMPREPLY=($(compgen -W " +
      quoted(join(names_of(commands), " ") + " --help --version") +
      " -- \"$cur\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${COMP_WORDS[1]}\" in\n";
  for (const CompletedCommand& command : commands) {
    std::vector<std::string> words = command.words;
    for (const CompletedFlag& flag : command.flags)
      words.insert(words.end(), flag.names.begin(), flag.names.end());
    out += "    " + command.name + ")\n" + bash_values(command) + "      COMPREPLY=($(compgen -W " +
           quoted(join(words, " ")) + " -- \"$cur\"))\n" + "      ;;\n";
  }
  return out + "  esac\n}\ncomplete -F _pawl pawl\n";
}

std::string zsh_completion(const std::vector<CompletedCommand>& commands) {
  std::string out =
      "#compdef pawl\n"
      "# zsh completion for pawl. Try it: source <(pawl completion zsh)\n"
      "_pawl() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const CompletedCommand& command : commands)
    out += "    " + quoted(command.name + ":" + escaped(command.what, ":\\", "\\")) + "\n";
  out +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n";
  for (const CompletedCommand& command : commands) {
    out += "    " + command.name + ")\n      _arguments";
    for (const CompletedFlag& flag : command.flags) {
      for (const std::string& name : flag.names) out += " \\\n        " + zsh_argument(flag, name);
    }
    out += " \\\n        " + quoted("*: :(" + join(command.words, " ") + ")") + "\n      ;;\n";
  }
  return out +
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _pawl ]]; then _pawl \"$@\"; else compdef _pawl pawl; fi\n";
}

std::string fish_completion(const std::vector<CompletedCommand>& commands) {
  std::string out =
      "# fish completion for pawl. Try it: pawl completion fish | source\n"
      "complete -c pawl -f\n";
  for (const CompletedCommand& command : commands) {
    out += "complete -c pawl -n __fish_use_subcommand -a " + command.name + " -d " +
           quoted_fish(command.what) + "\n";
    const std::string when =
        "complete -c pawl -n '__fish_seen_subcommand_from " + command.name + "'";
    for (const CompletedFlag& flag : command.flags) {
      out += when + fish_names(flag);
      if (!flag.value.empty()) out += flag.wants_file() ? " -r -F" : " -x";
      if (!flag.values.empty()) out += " -a " + quoted_fish(join(flag.values, " "));
      out += " -d " + quoted_fish(flag.what) + "\n";
    }
    if (!command.words.empty()) out += when + " -a " + quoted_fish(join(command.words, " ")) + "\n";
  }
  return out;
}

}  // namespace pawl::cli
