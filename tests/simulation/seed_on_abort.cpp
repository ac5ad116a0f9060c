// SPDX-License-Identifier: Apache-2.0
#include "simulation/seed_on_abort.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>

namespace pawl::testing {
namespace {

// Written out beforehand: a handler may do little.
char note[64];

void say(int) {
  if (::write(STDERR_FILENO, note, std::strlen(note)) < 0) return;
}

}  // namespace

SeedOnAbort::SeedOnAbort(std::uint64_t seed) {
  static_cast<void>(std::snprintf(note, sizeof note, "To see it again: lock_sim --seed %llu\n",
                                  static_cast<unsigned long long>(seed)));
  before_ = std::signal(SIGABRT, say);
}

SeedOnAbort::~SeedOnAbort() { static_cast<void>(std::signal(SIGABRT, before_)); }

}  // namespace pawl::testing
