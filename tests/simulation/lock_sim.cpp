// SPDX-License-Identifier: Apache-2.0
#include "simulation/lock_sim.h"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

#include "simulation/report.h"
#include "simulation/simulation.h"

namespace pawl::testing {
namespace {

constexpr const char* kHelp =
    R"(lock_sim: clients, faults and the lock service, one node or several, in a simulated world, judged by
I1 to I10. The nodes run the engine as it is, on simulated disks, networks and clocks.

  lock_sim             runs seeds 1, 2, 3, ... until interrupted, or as long as --seconds says
  lock_sim --seed N    runs one seed; the same seed is the same run, always and everywhere

  --seed N        only this seed
  --first N       begin with this seed (default 1)
  --count N       run so many seeds
  --seconds S     begin no new seed after S seconds
  --steps M       commands applied in each world before its faults heal (default 2000)
  --nodes N       so many nodes (1, 3 or 5), instead of as many as the seed says
  --clients K     so many clients, likewise
  --resources R   so many resources, likewise
  --verbose       every operation of every world, and its counts
  --help          this

Exit code: 0 if nothing was violated, 1 if something was (its seed and a trace are printed), 2 for
bad usage.
)";

struct Settings {
  SimOptions sim;
  std::optional<std::uint64_t> seed;
  std::uint64_t first = 1;
  std::optional<std::uint64_t> count;
  std::optional<std::uint64_t> seconds;
  bool verbose = false;
  bool help = false;
};

std::optional<std::uint64_t> to_number(const char* text) {
  std::uint64_t number = 0;
  const char* end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, number);
  if (error != std::errc{} || at != end || at == text) return std::nullopt;
  return number;
}

bool set(Settings& settings, std::string_view name, std::uint64_t number) {
  if (name == "--seed") {
    settings.seed = number;
  } else if (name == "--first") {
    settings.first = number;
  } else if (name == "--count") {
    settings.count = number;
  } else if (name == "--seconds") {
    settings.seconds = number;
  } else if (name == "--steps") {
    settings.sim.steps = number;
  } else if (name == "--nodes" && number >= 1 && number <= 9) {
    settings.sim.nodes = static_cast<std::uint32_t>(number);
  } else if (name == "--clients" && number <= 10'000) {
    settings.sim.clients = static_cast<std::uint32_t>(number);
  } else if (name == "--resources" && number <= 10'000) {
    settings.sim.resources = static_cast<std::uint32_t>(number);
  } else {
    return false;
  }
  return true;
}

std::optional<Settings> parse(int argc, const char* const* argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--verbose") {
      settings.verbose = true;
    } else if (name == "--help" || name == "-h") {
      settings.help = true;
    } else {
      const auto number = i + 1 < argc ? to_number(argv[i + 1]) : std::nullopt;
      if (!number || !set(settings, name, *number)) {
        static_cast<void>(std::fprintf(
            stderr,
            "lock_sim: '%s' is not known, or needs a number after it; see lock_sim --help\n",
            argv[i]));
        return std::nullopt;
      }
      ++i;
    }
  }
  return settings;
}

void print_all(const SimResult& result) {
  static_cast<void>(std::printf("seed %llu\n", static_cast<unsigned long long>(result.seed)));
  for (const Operation& op : result.history.operations) std::printf("%s\n", to_line(op).c_str());
  static_cast<void>(std::printf("%s  digest %016llx\n", table(result.stats).c_str(),
                                static_cast<unsigned long long>(result.history.digest())));
}

}  // namespace

int lock_sim(int argc, const char* const* argv) {
  const std::optional<Settings> parsed = parse(argc, argv);
  if (!parsed) return 2;
  Settings settings = *parsed;
  if (settings.help) {
    static_cast<void>(std::fputs(kHelp, stdout));
    return 0;
  }
  if (settings.seed) {
    settings.first = *settings.seed;
    settings.count = 1;
  }
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Stats total;
  for (std::uint64_t n = 0; !settings.count || n < *settings.count; ++n) {
    if (settings.seconds && Clock::now() - start >= std::chrono::seconds(*settings.seconds)) break;
    const SimResult result = simulate(settings.first + n, settings.sim);
    if (settings.verbose) print_all(result);
    if (!result.good()) {
      static_cast<void>(std::fputs(explain(result, settings.sim).c_str(), stdout));
      return 1;
    }
    total += result.stats;
  }
  static_cast<void>(std::fputs(summary(total).c_str(), stdout));
  return 0;
}

}  // namespace pawl::testing
