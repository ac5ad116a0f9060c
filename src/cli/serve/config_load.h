// SPDX-License-Identifier: Apache-2.0
// The configuration in force: a flag is stronger than a variable, that than the file, that than the
// default. Functions that block.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/serve/config_file.h"
#include "ports/result.h"

namespace pawl::cli {

struct Sources {
  std::vector<std::pair<std::string, std::string>> flags;        // name without dashes, value
  std::vector<std::pair<std::string, std::string>> environment;  // all of it
  std::optional<std::string> config_flag;                        // --config; else PAWL_CONFIG
};

// A PAWL_ variable that nobody knows: probably a typo, perhaps another program's.
struct UnknownVariable {
  std::string name;
  std::string nearest;  // empty: none is near
};

struct Loaded {
  Config config;
  std::vector<std::string> origins;  // of each of settings(), in its order
  std::vector<UnknownVariable> unknown_variables;
};

using LoadProblems = std::vector<std::string>;  // a sentence each
ports::Result<Loaded, LoadProblems> load_config(const Sources& sources);

// TOML that a file may hold, with where each value came from.
std::string print_config(const Loaded& loaded);

// As the process has them.
std::vector<std::pair<std::string, std::string>> environment();

}  // namespace pawl::cli
