// SPDX-License-Identifier: Apache-2.0
// schedules --seed N --count M [--shrink]: compares the core that this program is linked with with
// the reference model, over random schedules. Exits 0 if they agree; 1, with the story, if they
// don't; 2 if the arguments are wrong. The core runs in a child process, so that a crash is a
// finding with a seed too.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string_view>

#include "schedules/core_subject.h"
#include "schedules/run.h"
#include "support/print.h"

namespace {

using pawl::testing::Schedule;

struct Options {
  pawl::testing::Seeds seeds{1, 1000};
  bool shrink = false;
};

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--shrink") {
      options.shrink = true;
      continue;
    }
    std::uint64_t* into = nullptr;
    if (name == "--seed") into = &options.seeds.first;
    if (name == "--count") into = &options.seeds.count;
    if (into == nullptr || i + 1 == argc) return std::nullopt;
    const std::string_view value = argv[++i];
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), *into);
    if (error != std::errc{} || end != value.data() + value.size()) return std::nullopt;
  }
  return options;
}

enum class Outcome { agrees, differs, crashes };

Outcome in_child(const std::function<bool()>& agrees) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const bool good = agrees();
    std::fflush(nullptr);
    _exit(good ? 0 : 1);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    std::perror("schedules");
    std::exit(2);
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) return Outcome::crashes;
  return WEXITSTATUS(status) == 0 ? Outcome::agrees : Outcome::differs;
}

// The seed at which the child is, in memory that it shares with us.
std::uint64_t* shared_seed() {
  void* memory = mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("schedules");
    std::exit(2);
  }
  return static_cast<std::uint64_t*>(memory);
}

void tell_crash(std::uint64_t seed, bool cut_down) {
  const pawl::testing::Shape shape = pawl::testing::shape_of(seed);
  Schedule schedule = pawl::testing::generate(seed, shape);
  const std::size_t length = schedule.size();
  if (cut_down) {
    schedule = pawl::testing::shrink(schedule, [](const Schedule& s) {
      return in_child([&] {
               if (std::freopen("/dev/null", "w", stderr) == nullptr) return true;
               pawl::testing::first_difference(s, pawl::testing::core_subject());
               return true;
             }) == Outcome::crashes;
    });
  }
  std::printf("seed %llu, shape \"%s\", %zu commands, shows %zu; the last one crashes:\n",
              static_cast<unsigned long long>(seed), shape.name.c_str(), length, schedule.size());
  for (const auto& command : schedule) std::printf("%s\n", pawl::testing::to_text(command).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Options> options = parse(argc, argv);
  if (!options) {
    std::fprintf(stderr, "usage: schedules [--seed N] [--count M] [--shrink]\n");
    return 2;
  }
  std::uint64_t* at_seed = shared_seed();
  const Outcome outcome = in_child([&] {
    const std::string story =
        pawl::testing::run_seeds(options->seeds, pawl::testing::core_subject(), options->shrink,
                                 [&](std::uint64_t seed) { *at_seed = seed; });
    std::printf("%s", story.c_str());
    return story.empty();
  });
  if (outcome == Outcome::crashes) tell_crash(*at_seed, options->shrink);
  if (outcome != Outcome::agrees) return 1;
  std::printf("%llu schedules from seed %llu: no difference\n",
              static_cast<unsigned long long>(options->seeds.count),
              static_cast<unsigned long long>(options->seeds.first));
  return 0;
}
