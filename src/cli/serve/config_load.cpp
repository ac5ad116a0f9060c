// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/config_load.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "cli/text.h"
#include "core/validate.h"
#include "service/json.h"

namespace pawl::cli {
namespace {

constexpr std::string_view kConfigVariable = "PAWL_CONFIG";
// Of the other commands, of what `pawl lock` gives its child, and of the tests.
constexpr std::array<std::string_view, 8> kOthersVariables = {
    "PAWL_URL",      "PAWL_NAMESPACE",     "PAWL_OWNER",     "PAWL_RESOURCE",
    "PAWL_LEASE_ID", "PAWL_FENCING_TOKEN", "PAWL_TEST_LONG", "PAWL_BINARY"};

std::size_t index_of(const Setting& setting) {
  return static_cast<std::size_t>(&setting - settings().data());
}

void apply(const GivenValues& given, Loaded& loaded, LoadProblems& problems) {
  problems.insert(problems.end(), given.problems.begin(), given.problems.end());
  for (const GivenValue& value : given.values) {
    if (const auto fault = set(*value.setting, value.text, loaded.config)) {
      const bool in_a_file = value.origin.find(':') != std::string::npos;
      problems.push_back(value.origin + ": " +
                         (in_a_file ? "'" + std::string(value.setting->name) + "' " : "") + *fault);
    }
    loaded.origins[index_of(*value.setting)] = value.origin;
  }
}

GivenValues from_environment(const Sources& sources, Loaded& loaded) {
  std::vector<std::string> names(kOthersVariables.begin(), kOthersVariables.end());
  names.emplace_back(kConfigVariable);
  for (const Setting& setting : settings()) names.push_back(variable_of(setting.name));

  GivenValues given;
  for (const auto& [name, value] : sources.environment) {
    if (!name.starts_with("PAWL_")) continue;
    const auto setting = std::ranges::find_if(
        settings(), [&](const Setting& s) { return variable_of(s.name) == name; });
    if (setting != settings().end()) {
      given.values.push_back({&*setting, value, name});
    } else if (std::ranges::find(names, name) == names.end()) {
      loaded.unknown_variables.push_back({name, std::string(nearest(name, names))});
    }
  }
  return given;
}

GivenValues from_flags(const Sources& sources) {
  GivenValues given;
  for (const auto& [name, value] : sources.flags) {
    const Setting* setting = find_setting(name);
    PAWL_ASSERT(setting != nullptr);  // flags are made from the table
    given.values.push_back({setting, value, "--" + name});
  }
  return given;
}

std::optional<std::string> file_to_read(const Sources& sources, LoadProblems& problems) {
  std::optional<std::string> path = sources.config_flag;
  std::string_view origin = "--config";
  if (!path) {
    for (const auto& [name, value] : sources.environment) {
      if (name != kConfigVariable) continue;
      path = value;
      origin = kConfigVariable;
    }
  }
  if (path && path->empty()) {
    problems.push_back(std::string(origin) + ": is empty");
    path.reset();
  }
  return path;
}

// What no single value shows.
void check_together(const Loaded& loaded, LoadProblems& problems) {
  const core::Limits& limits = loaded.config.service.limits;
  const auto clash = [&](std::string_view name, std::string_view rule) {
    const Setting& setting = *find_setting(name);
    problems.push_back("'" + std::string(name) + "' (" + loaded.origins[index_of(setting)] + ") " +
                       std::string(rule));
  };
  if (limits.min_ttl > limits.max_ttl) clash("min-ttl", "must not be above 'max-ttl'");
  if (limits.max_leases > limits.max_records) {
    clash("max-leases", "must not be above 'max-records'");
  }
  if (!problems.empty()) return;
  if (const auto invalid = core::validate(limits)) {
    problems.push_back(invalid->field + ' ' + invalid->why);
  }
}

std::string toml_value(const Setting& setting, const Config& config) {
  std::string value = get(setting, config);
  const bool bare = value.find_first_not_of("0123456789") == std::string::npos;
  switch (notation_of(setting)) {
    case Notation::number:
    case Notation::boolean:
      return value;
    case Notation::number_or_text:
      if (bare) return value;
      [[fallthrough]];
    case Notation::text: {
      std::string quoted;  // TOML's basic strings are quoted as JSON's are
      service::JsonWriter(quoted).text(value);
      return quoted;
    }
  }
  return value;
}

}  // namespace

ports::Result<Loaded, LoadProblems> load_config(const Sources& sources) {
  Loaded loaded;
  loaded.origins.assign(settings().size(), "default");
  LoadProblems problems;
  if (const auto path = file_to_read(sources, problems)) {
    apply(read_config_file(*path), loaded, problems);
  }
  apply(from_environment(sources, loaded), loaded, problems);
  apply(from_flags(sources), loaded, problems);
  check_together(loaded, problems);
  if (!problems.empty()) return problems;
  loaded.config.server.host = loaded.config.http.host;
  loaded.config.server.port = loaded.config.http.port;
  return loaded;
}

std::string print_config(const Loaded& loaded) {
  constexpr std::size_t kCommentColumn = 40;
  std::string out;
  std::string_view group;
  for (const Setting& setting : settings()) {
    if (setting.group != group) {
      group = setting.group;
      if (!out.empty()) out += '\n';
      out += "# ";
      out += group;
      out += '\n';
    }
    std::string line = std::string(setting.name) + " = " + toml_value(setting, loaded.config);
    line.resize(std::max(line.size() + 2, kCommentColumn), ' ');
    out += line + "# " + loaded.origins[index_of(setting)] + '\n';
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> environment() {
  std::vector<std::pair<std::string, std::string>> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    all.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return all;
}

}  // namespace pawl::cli
