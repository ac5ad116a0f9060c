// SPDX-License-Identifier: Apache-2.0
#include "model/trace.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <variant>

#include "model/parse_command.h"
#include "support/print.h"

namespace pawl::testing {
namespace {

constexpr std::string_view kIndent = "  ";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// As everywhere, Refused.why is not compared.
void leave_out_words_for_people(core::Effects& effects) {
  for (core::Effect& effect : effects.all) {
    if (auto* refused = std::get_if<core::Refused>(&effect)) refused->why.clear();
  }
}

std::string first_differing_lines(const std::string& expected, const std::string& actual) {
  const auto want = lines_of(expected);
  const auto have = lines_of(actual);
  std::size_t i = 0;
  std::string command;
  while (i < want.size() && i < have.size() && want[i] == have[i]) {
    if (want[i].starts_with('@')) command = want[i];
    ++i;
  }
  const auto line = [&](const auto& lines) { return i < lines.size() ? lines[i] : "(the end)"; };
  return "line " + std::to_string(i + 1) + ", after " + command + "\n  expected: " + line(want) +
         "\n  actual:   " + line(have) + "\n";
}

}  // namespace

std::vector<std::filesystem::path> trace_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(PAWL_TRACES_DIR)) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read_trace(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("can't read " + file.string());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string replay_trace(const std::string& trace, const StepFunction& step) {
  std::string result;
  for (const std::string& line : lines_of(trace)) {
    if (line.starts_with(kIndent)) continue;  // an effect: said anew after its command
    result += line + "\n";
    if (!line.starts_with('@')) continue;
    const core::Command command = parse_command(line);
    core::Effects effects = step(command);
    leave_out_words_for_people(effects);
    if (effects.now != command.at)
      result += std::string(kIndent) + "now=" + to_text(effects.now) + "\n";
    result += to_lines(effects, kIndent);
  }
  return result;
}

std::string check_traces(const std::function<StepFunction()>& make) {
  std::string differences;
  const char* update = std::getenv("PAWL_UPDATE_TRACES");
  for (const auto& file : trace_files()) {
    const std::string expected = read_trace(file);
    const std::string actual = replay_trace(expected, make());
    if (actual == expected) continue;
    if (update != nullptr && std::string_view(update) == "1") {
      std::ofstream(file) << actual;
    } else {
      differences += file.filename().string() + ": " + first_differing_lines(expected, actual);
    }
  }
  return differences;
}

}  // namespace pawl::testing
