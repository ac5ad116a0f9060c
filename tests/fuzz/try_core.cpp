// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>

#include "codec/entry.h"
#include "codec/snapshot.h"
#include "core/assert.h"
#include "core/check.h"
#include "core/step.h"
#include "fuzz/support/command_maker.h"
#include "fuzz/support/forge.h"
#include "fuzz/targets.h"

namespace pawl::fuzz {
namespace {

constexpr int kMaxSteps = 200;
constexpr int kStepsBetweenChecks = 16;

void expect_sound(const core::State& state) {
  const auto broken = core::check(state);
  if (broken) (void)std::fprintf(stderr, "broken: %s\n", broken->c_str());
  PAWL_ASSERT(!broken);
}

}  // namespace

void try_core(std::string_view input) {
  codec::testing::ByteChoices choices(input);
  codec::testing::CommandMaker maker(choices);
  core::State state;
  for (int i = 1; i <= kMaxSteps && !choices.empty(); ++i) {
    const core::Command command = maker.next(state);
    const auto logged = codec::decode_entry(codec::encode_entry({&command, 1}));
    PAWL_ASSERT(logged.ok() && logged.value().size() == 1 && logged.value()[0] == command);
    const core::Effects effects = core::step(state, logged.value()[0]);
    PAWL_ASSERT(effects.reply_index < effects.all.size());
    if (i % kStepsBetweenChecks == 0) expect_sound(state);
  }
  expect_sound(state);
  const auto restored = codec::read_snapshot(codec::testing::snapshot_of(state), 5);
  if (!restored) (void)std::fprintf(stderr, "not restored: %s\n", restored.error().reason.c_str());
  PAWL_ASSERT(restored.ok());
  PAWL_ASSERT(core::state_hash(*restored.value()) == core::state_hash(state));
}

}  // namespace pawl::fuzz
