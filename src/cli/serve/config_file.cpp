// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/config_file.h"

#include <toml++/toml.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

#include "cli/text.h"

namespace pawl::cli {
namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 20;

std::string kind_word(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return "text";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "a boolean";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or time";
  }
}

std::string_view wanted(const Setting& setting) {
  switch (notation_of(setting)) {
    case Notation::text:
      return value_name(setting) == "DURATION"
                 ? std::string_view("a duration as text, such as \"30s\"")
                 : std::string_view("text in quotes");
    case Notation::number:
      return "a whole number";
    case Notation::number_or_text:
      return "a number of bytes, or text such as \"64KiB\"";
    case Notation::boolean:
      return "true or false";
  }
  return "";
}

// The value as text, if its type is the setting's.
std::optional<std::string> text_of(const toml::node& node, Notation notation) {
  if (notation == Notation::text || notation == Notation::number_or_text) {
    if (const auto* text = node.as_string()) return text->get();
  }
  if (notation == Notation::number || notation == Notation::number_or_text) {
    if (const auto* number = node.as_integer()) return std::to_string(number->get());
  }
  if (notation == Notation::boolean) {
    if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  }
  return {};
}

std::string unknown_key(std::string_view key, bool is_table) {
  std::string problem = "unknown key '" + printable(key) + "'";
  if (const std::string_view near = nearest(key, setting_names()); !near.empty()) {
    problem += "; did you mean '" + std::string(near) + "'?";
  } else if (is_table) {
    problem += "; all keys stand at the top, in no table";
  }
  return problem;
}

}  // namespace

GivenValues parse_config(std::string_view toml_text, const std::string& path) {
  GivenValues given;
  toml::table table;
  try {
    table = toml::parse(toml_text, path);
  } catch (const toml::parse_error& error) {
    given.problems.push_back(path + ':' + std::to_string(error.source().begin.line) + ": " +
                             std::string(error.description()));
    return given;
  }
  for (const auto& [key, node] : table) {
    const std::string where = path + ':' + std::to_string(key.source().begin.line);
    const Setting* setting = find_setting(key.str());
    if (setting == nullptr) {
      given.problems.push_back(where + ": " + unknown_key(key.str(), node.is_table()));
      continue;
    }
    auto text = text_of(node, notation_of(*setting));
    if (!text) {
      given.problems.push_back(where + ": '" + std::string(setting->name) + "' must be " +
                               std::string(wanted(*setting)) + ", not " + kind_word(node));
      continue;
    }
    given.values.push_back({setting, *std::move(text), where});
  }
  return given;
}

GivenValues read_config_file(const std::string& path) {
  const auto failed = [&path](const std::string& why) {
    return GivenValues{{}, {path + ": can't be read: " + why}};
  };
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return failed(std::strerror(errno));
  std::string text(kLargestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (file.gcount() == 0 && errno != 0)) return failed(std::strerror(errno));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLargestFile) return failed("it is larger than 1 MiB");
  return parse_config(text, path);
}

}  // namespace pawl::cli
