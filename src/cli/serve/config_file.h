// SPDX-License-Identifier: Apache-2.0
// A configuration file: TOML, flat, the keys of config_table.h. Every mistake is told with file,
// line and key, and all of them at once. Functions that block.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/serve/config_table.h"

namespace pawl::cli {

// A value that somebody gave, as text that set() takes.
struct GivenValue {
  const Setting* setting = nullptr;
  std::string text;
  std::string origin;  // "pawl.toml:3", "PAWL_HTTP", "--http"
};

struct GivenValues {
  std::vector<GivenValue> values;
  std::vector<std::string> problems;  // none: all was read
};

GivenValues read_config_file(const std::string& path);
GivenValues parse_config(std::string_view toml, const std::string& path);

}  // namespace pawl::cli
