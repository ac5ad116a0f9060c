// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "codec/record_messages.h"
#include "codec/snapshot.h"
#include "core/assert.h"
#include "core/check.h"
#include "core/snapshot.h"
#include "core/step.h"
#include "fuzz/support/command_maker.h"
#include "fuzz/support/forge.h"
#include "fuzz/targets.h"

namespace pawl::fuzz {
namespace {

constexpr int kStepsAfterwards = 12;

// A state that came out of a snapshot is a state like any other, and has a future.
void use(core::State& state, std::string_view decisions) {
  const auto broken = core::check(state);
  if (broken) (void)std::fprintf(stderr, "restored, but broken: %s\n", broken->c_str());
  PAWL_ASSERT(!broken);
  const std::string again = codec::testing::snapshot_of(state);
  auto twin = codec::read_snapshot(again, 7);
  PAWL_ASSERT(twin.ok() && codec::testing::snapshot_of(*twin.value()) == again);

  codec::testing::ByteChoices choices(decisions);
  codec::testing::CommandMaker maker(choices);
  for (int i = 0; i < kStepsAfterwards; ++i) {
    const core::Command command = maker.next(state);
    PAWL_ASSERT(core::step(state, command) == core::step(*twin.value(), command));
    PAWL_ASSERT(core::state_hash(state) == core::state_hash(*twin.value()));
  }
  const auto broken_later = core::check(state);
  if (broken_later) (void)std::fprintf(stderr, "broken by steps: %s\n", broken_later->c_str());
  PAWL_ASSERT(!broken_later);
}

// The hash that the payload's state would have: what a forger works out with a core of their own.
// The restorer keeps its half-made state to itself; an explicit instantiation may name it all the
// same.
template <auto Member>
struct Opened {
  friend std::unique_ptr<core::State>& state_of(core::Restorer& restorer) {
    return restorer.*Member;
  }
};
std::unique_ptr<core::State>& state_of(core::Restorer& restorer);
template struct Opened<&core::Restorer::state_>;

std::optional<std::uint64_t> hash_of(std::string_view payload) {
  core::Restorer restorer;
  for (const core::SnapshotRecord& record : codec::testing::records_in(payload)) {
    if (restorer.add(record)) return {};
  }
  (void)restorer.finish();  // sets what is left to set; of the hash it complains
  return state_of(restorer) ? std::optional(core::state_hash(*state_of(restorer))) : std::nullopt;
}

void try_bytes(std::string_view snapshot, std::string_view decisions) {
  auto state = codec::read_snapshot(snapshot, 3);
  if (state) return use(*state.value(), decisions);
  PAWL_ASSERT(!state.error().reason.empty() && state.error().offset <= snapshot.size());
}

}  // namespace

void try_snapshot(std::string_view input) {
  if (input.empty()) return;
  const bool forge = (static_cast<unsigned char>(input.front()) & 1U) != 0;
  input.remove_prefix(1);
  if (!forge) return try_bytes(input, input);
  if (input.size() > codec::kMaxPieceBytes / 2) return;
  const std::uint64_t hash = hash_of(input).value_or(0);
  try_bytes(codec::testing::frame_snapshot(input, hash), input);
}

}  // namespace pawl::fuzz
