// SPDX-License-Identifier: Apache-2.0
#include "schedules/run.h"

#include <unistd.h>
#include <csignal>
#include <cstring>
#include <optional>

#include "schedules/generate.h"
#include "schedules/shape.h"
#include "support/print.h"

namespace pawl::testing {
namespace {

// Written by note_seed_for_crash, read by the signal handler: text, because a handler can't format.
char crash_note[80];

void on_crash(int signal) {
  const ssize_t ignored = write(STDERR_FILENO, crash_note, std::strlen(crash_note));
  static_cast<void>(ignored);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

std::string report(std::uint64_t seed, const Schedule& schedule, const MakeSubject& make,
                   bool cut_down) {
  const Fails fails = [&](const Schedule& s) { return first_difference(s, make).has_value(); };
  const Schedule shown = cut_down ? shrink(schedule, fails) : schedule;
  const auto difference = first_difference(shown, make);
  std::string text = "seed " + std::to_string(seed) + ", shape \"" + shape_of(seed).name + "\", " +
                     std::to_string(schedule.size()) + " commands";
  if (cut_down) text += ", cut down to " + std::to_string(shown.size());
  return text + ":\n" + (difference ? describe(shown, *difference) : "(no difference any more)\n");
}

std::string run_seeds(const Seeds& seeds, const MakeSubject& make, bool cut_down,
                      const OnSeed& on_seed) {
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    if (on_seed) on_seed(seed);
    const Schedule schedule = generate(seed, shape_of(seed));
    if (first_difference(schedule, make)) return report(seed, schedule, make, cut_down);
  }
  return {};
}

void note_seed_for_crash(std::uint64_t seed) {
  const std::string note = "\nthe process died in schedule seed " + std::to_string(seed) + "\n";
  std::strncpy(crash_note, note.c_str(), sizeof crash_note - 1);
  static const bool installed = [] {
    std::signal(SIGABRT, on_crash);
    std::signal(SIGSEGV, on_crash);
    return true;
  }();
  static_cast<void>(installed);
}

}  // namespace pawl::testing
