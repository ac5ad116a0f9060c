// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "engine/host/temp_folder.h"

namespace pawl::cli {
namespace {

using ::testing::HasSubstr;

std::vector<CompletedCommand> sample() {
  return {
      {"serve", "Run it", {{{"--config"}, "A file", "FILE", {}}}, {}},
      {"why", "Say [why]: it's \\ so", {{{"--yes", "-y"}, "Don't ask: [ok]", "", {}}}, {}},
      {"completion", "Print", {{{"--level"}, "How", "VALUE", {"low", "high"}}}, {"bash", "zsh"}}};
}

struct Script {
  explicit Script(const std::string& text) : path((folder.path() / "script").string()) {
    std::ofstream(path) << text;
  }
  engine::TempFolder folder;
  std::string path;
};

std::string output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string out;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return out;
}

// What bash would offer for the last of these words.
std::string offered(const Script& script, const std::string& words, int last) {
  return output_of("bash -c 'source " + script.path + "; COMP_WORDS=(" + words +
                   "); COMP_CWORD=" + std::to_string(last) + "; _pawl; echo \"${COMPREPLY[*]}\"'");
}

TEST(Completion, BashOffersCommandsFlagsAndChoices) {
  const Script script(bash_completion(sample()));
  EXPECT_EQ(offered(script, "pawl w", 1), "why\n");
  EXPECT_EQ(offered(script, "pawl why --y", 2), "--yes\n");
  EXPECT_EQ(offered(script, "pawl why \"\"", 2), "--yes -y\n");
  EXPECT_EQ(offered(script, "pawl completion b", 2), "bash\n");
  EXPECT_EQ(offered(script, "pawl completion --level h", 3), "high\n");
  EXPECT_EQ(offered(script, "pawl unknown \"\"", 2), "\n");
}

TEST(Completion, ZshTextCannotBreakOutOfItsQuotes) {
  const std::string text = zsh_completion(sample());
  EXPECT_THAT(text, HasSubstr(R"('why:Say [why]\: it'\''s \\ so')"));
  EXPECT_THAT(text, HasSubstr(R"('--yes[Don'\''t ask\: \[ok\]]')"));
  EXPECT_THAT(text, HasSubstr(R"('--level[How]:VALUE:(low high)')"));
  if (std::system("command -v zsh > /dev/null 2>&1") == 0) {
    const Script script(text);
    EXPECT_EQ(std::system(("zsh -n " + script.path).c_str()), 0);
  }
}

TEST(Completion, FishTextCannotBreakOutOfItsQuotes) {
  const std::string text = fish_completion(sample());
  EXPECT_THAT(text, HasSubstr(R"(-a why -d 'Say [why]: it\'s \\ so')"));
  EXPECT_THAT(text, HasSubstr(R"(-l yes -s y -d 'Don\'t ask: [ok]')"));
  EXPECT_THAT(text, HasSubstr("-l config -r -F"));
  if (std::system("command -v fish > /dev/null 2>&1") == 0) {
    const Script script(text);
    EXPECT_EQ(std::system(("fish -n " + script.path).c_str()), 0);
  }
}

}  // namespace
}  // namespace pawl::cli
