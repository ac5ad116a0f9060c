// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "cli/serve/config_load.h"
#include "cli/serve/config_table.h"
#include "core/validate.h"
#include "engine/host/temp_folder.h"

namespace pawl::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ConfigTest : public ::testing::Test {
 protected:
  std::string file(const std::string& text) const {
    const std::string path = (folder_.path() / "pawl.toml").string();
    std::ofstream(path) << text;
    return path;
  }
  // The problems of a configuration file with this text.
  LoadProblems problems_of(const std::string& text) const {
    Sources sources;
    sources.config_flag = file(text);
    const auto loaded = load_config(sources);
    return loaded ? LoadProblems{} : loaded.fault();
  }
  static LoadProblems problems_of_flag(const std::string& name, const std::string& value) {
    Sources sources;
    sources.flags = {{name, value}};
    const auto loaded = load_config(sources);
    return loaded ? LoadProblems{} : loaded.fault();
  }

  engine::TempFolder folder_;
};

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST_F(ConfigTest, AFlagIsStrongerThanAVariableThatThanTheFileThatThanTheDefault) {
  Sources sources;
  sources.config_flag =
      file("max-leases = 10\nmax-waiters = 10\nmax-permits = 10\nlog-locks = false\n");
  sources.environment = {{"PAWL_MAX_LEASES", "20"}, {"PAWL_MAX_WAITERS", "20"}, {"HOME", "/"}};
  sources.flags = {{"max-leases", "30"}};
  const Loaded loaded = load_config(sources).value();
  EXPECT_EQ(loaded.config.service.limits.max_leases, 30U);
  EXPECT_EQ(loaded.config.service.limits.max_waiters, 20U);
  EXPECT_EQ(loaded.config.service.limits.max_permits, 10U);
  EXPECT_FALSE(loaded.config.log_locks);
  EXPECT_EQ(loaded.config.service.limits.max_resources, core::Limits().max_resources);

  const std::string printed = print_config(loaded);
  EXPECT_THAT(printed, HasSubstr("# --max-leases\n"));
  EXPECT_THAT(printed, HasSubstr("# PAWL_MAX_WAITERS\n"));
  EXPECT_THAT(printed, HasSubstr("pawl.toml:3\n"));
  EXPECT_THAT(printed, HasSubstr("# default\n"));
}

TEST_F(ConfigTest, EverySettingCanBeGivenInAllThreeWays) {
  for (const Setting& setting : settings()) {
    const std::string value = get(setting, Config());
    Sources by_variable;
    by_variable.environment = {{variable_of(setting.name), value}};
    EXPECT_TRUE(load_config(by_variable).ok()) << setting.name;
    Sources by_flag;
    by_flag.flags = {{std::string(setting.name), value}};
    EXPECT_TRUE(load_config(by_flag).ok()) << setting.name;
  }
  Sources by_file;
  by_file.config_flag = file(print_config(load_config({}).value()));
  const Loaded loaded = load_config(by_file).value();
  for (const std::string& origin : loaded.origins) EXPECT_THAT(origin, HasSubstr("pawl.toml:"));
}

TEST_F(ConfigTest, WhatIsPrintedReadsBackTheSame) {
  Sources sources;
  sources.flags = {{"data-dir", "a \"b\" \\ \n\x7f ü"},
                   {"http", "[::1]:0"},
                   {"long-hold", "1h30m"},
                   {"max-body-bytes", "100000"},
                   {"log-level", "error"},
                   {"log-format", "text"},
                   {"min-ttl", "1.5ms"},
                   {"max-header-bytes", "1MiB"}};
  const Loaded first = load_config(sources).value();
  Sources again;
  again.config_flag = file(print_config(first));
  const auto second = load_config(again);
  ASSERT_TRUE(second.ok()) << second.fault().front();
  for (const Setting& setting : settings()) {
    EXPECT_EQ(get(setting, second.value().config), get(setting, first.config)) << setting.name;
  }
}

TEST_F(ConfigTest, TheServerListensWhereTheAddressSays) {
  Sources sources;
  sources.flags = {{"http", "[::1]:81"}};
  const Loaded loaded = load_config(sources).value();
  EXPECT_EQ(loaded.config.server.host, "::1");
  EXPECT_EQ(loaded.config.server.port, 81);
}

TEST_F(ConfigTest, AnUnknownKeyIsRefusedWithTheNearestKnown) {
  EXPECT_THAT(problems_of("\nmax-lease = 1\n"),
              ElementsAre(AllOf(HasSubstr("pawl.toml:2: unknown key 'max-lease'"),
                                HasSubstr("did you mean 'max-leases'?"))));
  EXPECT_THAT(problems_of("max_leases = 1\n"), ElementsAre(HasSubstr("mean 'max-leases'?")));
  EXPECT_THAT(problems_of("[server]\nhttp = \"127.0.0.1:1\"\n"),
              ElementsAre(HasSubstr("unknown key 'server'; all keys stand at the top")));
}

TEST_F(ConfigTest, AWrongTypeIsRefusedWithFileLineAndKey) {
  EXPECT_THAT(problems_of("max-leases = \"many\"\n"),
              ElementsAre(HasSubstr("pawl.toml:1: 'max-leases' must be a whole number, not text")));
  EXPECT_THAT(problems_of("max-leases = 1.5\n"), ElementsAre(HasSubstr("with a fraction")));
  EXPECT_THAT(problems_of("long-hold = 30\n"), ElementsAre(HasSubstr("such as \"30s\"")));
  EXPECT_THAT(problems_of("log-locks = 1\n"), ElementsAre(HasSubstr("must be true or false")));
  EXPECT_THAT(problems_of("http = 7420\n"), ElementsAre(HasSubstr("'http' must be text")));
  EXPECT_THAT(problems_of("data-dir = 1979-05-27\n"), ElementsAre(HasSubstr("not a date")));
  EXPECT_THAT(problems_of("max-leases = [1]\n"), ElementsAre(HasSubstr("not an array")));
  EXPECT_THAT(problems_of("max-leases = {}\n"), ElementsAre(HasSubstr("not a table")));
}

TEST_F(ConfigTest, AKeyGivenTwiceAndBrokenTomlAreRefusedWithTheirLine) {
  EXPECT_THAT(problems_of("max-leases = 1\nmax-leases = 2\n"),
              ElementsAre(HasSubstr("pawl.toml:2: ")));
  EXPECT_THAT(problems_of("max-leases = \n"), ElementsAre(HasSubstr("pawl.toml:1: ")));
  EXPECT_THAT(problems_of("data-dir = \"\xff\"\n"), ElementsAre(HasSubstr("pawl.toml:1: ")));
}

TEST_F(ConfigTest, AllMistakesAreToldAtOnce) {
  EXPECT_EQ(problems_of("a = 1\nmax-leases = 0\nhttp = \"x\"\n").size(), 3U);
}

TEST_F(ConfigTest, AbsurdValuesAreRefusedWithTheRange) {
  EXPECT_THAT(problems_of_flag("max-leases", "0"),
              ElementsAre("--max-leases: must be from 1 to 50000000"));
  EXPECT_THAT(problems_of_flag("max-leases", "99999999999999999999"),
              ElementsAre(HasSubstr("whole number")));
  EXPECT_THAT(problems_of_flag("max-leases", "-1"), ElementsAre(HasSubstr("whole number")));
  EXPECT_THAT(problems_of_flag("max-leases", ""), ElementsAre(HasSubstr("whole number")));
  EXPECT_THAT(problems_of_flag("max-body-bytes", "1GiB"),
              ElementsAre("--max-body-bytes: must be from 1KiB to 64MiB"));
  EXPECT_THAT(problems_of_flag("max-body-bytes", "99999999999999999GiB"),
              ElementsAre(HasSubstr("number of bytes")));
  EXPECT_THAT(problems_of_flag("min-ttl", "0s"), ElementsAre(HasSubstr("must be from 1ms")));
  EXPECT_THAT(problems_of_flag("idle-timeout", "30"), ElementsAre(HasSubstr("with a unit")));
  EXPECT_THAT(problems_of_flag("log-level", "loud"),
              ElementsAre("--log-level: must be info, warning or error"));
  EXPECT_THAT(problems_of_flag("http", "localhost"), ElementsAre(HasSubstr("no port")));
  EXPECT_THAT(problems_of_flag("data-dir", ""), ElementsAre(HasSubstr("is empty")));
  EXPECT_THAT(problems_of("max-leases = -1\n"),
              ElementsAre(HasSubstr("pawl.toml:1: 'max-leases' must be a whole number")));
}

TEST_F(ConfigTest, ValuesThatContradictEachOtherAreRefused) {
  EXPECT_THAT(problems_of_flag("min-ttl", "48h"),
              ElementsAre("'min-ttl' (--min-ttl) must not be above 'max-ttl'"));
  EXPECT_THAT(problems_of_flag("max-records", "10"),
              ElementsAre("'max-leases' (default) must not be above 'max-records'"));
}

TEST_F(ConfigTest, TheEndsOfEveryRangeAreLimitsThatTheStateMachineTakes) {
  for (const Setting& setting : settings()) {
    for (const std::uint64_t end : {setting.least, setting.most}) {
      if (setting.most == 0) continue;
      Config config;
      const std::string unit = value_name(setting) == "DURATION" ? "us" : "";
      EXPECT_EQ(set(setting, std::to_string(end) + unit, config), std::nullopt) << setting.name;
      core::Limits limits = config.service.limits;
      limits.max_ttl = std::max(limits.max_ttl, limits.min_ttl);
      limits.min_ttl = std::min(limits.max_ttl, limits.min_ttl);
      EXPECT_EQ(core::validate(limits), std::nullopt) << setting.name;
    }
  }
}

TEST_F(ConfigTest, AFileThatIsNotThereIsRefused) {
  Sources sources;
  sources.config_flag = (folder_.path() / "none.toml").string();
  EXPECT_THAT(load_config(sources).fault(), ElementsAre(HasSubstr("No such file")));
  sources.config_flag = folder_.path().string();
  EXPECT_THAT(load_config(sources).fault(), ElementsAre(HasSubstr("can't be read")));
  sources.config_flag = "";
  EXPECT_THAT(load_config(sources).fault(), ElementsAre("--config: is empty"));
  EXPECT_THAT(problems_of(std::string((1U << 20U) + 1, '\n')), ElementsAre(HasSubstr("1 MiB")));
}

TEST_F(ConfigTest, AnEmptyFileChangesNothing) { EXPECT_THAT(problems_of(""), ElementsAre()); }

TEST_F(ConfigTest, TheFileMayBeNamedByAVariable) {
  Sources sources;
  sources.environment = {{"PAWL_CONFIG", file("max-leases = 7\n")}};
  EXPECT_EQ(load_config(sources).value().config.service.limits.max_leases, 7U);
}

TEST_F(ConfigTest, AnUnknownVariableIsTold) {
  Sources sources;
  sources.environment = {{"PAWL_MAX_LEASE", "1"}, {"PAWL_URL", "http://x"},
                         {"PAWL_NAMESPACE", "a"}, {"PAWL_CONFIG", file("")},
                         {"PAWLS", "1"},          {"PAWL_QWERTYUIOP", "1"}};
  const Loaded loaded = load_config(sources).value();
  ASSERT_EQ(loaded.unknown_variables.size(), 2U);
  EXPECT_EQ(loaded.unknown_variables[0].name, "PAWL_MAX_LEASE");
  EXPECT_EQ(loaded.unknown_variables[0].nearest, "PAWL_MAX_LEASES");
  EXPECT_EQ(loaded.unknown_variables[1].nearest, "");
}

TEST_F(ConfigTest, AnEmptyVariableIsAMistake) {
  Sources sources;
  sources.environment = {{"PAWL_DATA_DIR", ""}};
  EXPECT_THAT(load_config(sources).fault(), ElementsAre("PAWL_DATA_DIR: is empty"));
}

// The sample has every key, commented out, with its default.
TEST_F(ConfigTest, TheSampleFileShowsEverySettingWithItsDefault) {
  const std::string sample =
      text_of_file(std::filesystem::path(PAWL_SOURCE_DIR) / "packaging/pawl.toml");
  const auto as_it_is = parse_config(sample, "pawl.toml");
  EXPECT_THAT(as_it_is.problems, ElementsAre());
  EXPECT_TRUE(as_it_is.values.empty());

  const auto given = parse_config(
      std::regex_replace(sample, std::regex("(^|\n)#([a-z-]+ = )"), "$1$2"), "pawl.toml");
  EXPECT_THAT(given.problems, ElementsAre());
  std::set<std::string_view> shown;
  for (const GivenValue& value : given.values) {
    shown.insert(value.setting->name);
    EXPECT_EQ(value.text, get(*value.setting, Config())) << value.setting->name;
  }
  for (const Setting& setting : settings()) {
    EXPECT_TRUE(shown.contains(setting.name)) << setting.name << " is not in the sample";
  }
}

TEST_F(ConfigTest, TheManualListsEverySettingWithItsDefault) {
  const std::string manual =
      text_of_file(std::filesystem::path(PAWL_SOURCE_DIR) / "docs/operations.md");
  for (const Setting& setting : settings()) {
    const std::string row =
        "| `" + std::string(setting.name) + "` | `" + get(setting, Config()) + "` |";
    EXPECT_TRUE(manual.find(row) != std::string::npos) << row;
  }
}

}  // namespace
}  // namespace pawl::cli
