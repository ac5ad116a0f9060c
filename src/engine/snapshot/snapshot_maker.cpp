// SPDX-License-Identifier: Apache-2.0
#include "engine/snapshot/snapshot_maker.h"

#include <cstdio>
#include <memory>
#include <utility>

#include "core/assert.h"
#include "engine/apply_entry.h"

namespace pawl::engine {
namespace {

using StateResult = ports::Result<std::unique_ptr<core::State>, Fault>;

std::string in_hex(std::uint64_t number) {
  char text[17];
  (void)std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

StateResult state_before(ports::Disk& disk, const SnapshotOrder& order) {
  if (!order.previous) {
    PAWL_ASSERT(order.first == 1);
    return std::make_unique<core::State>(order.index_seed);
  }
  auto loaded = load_snapshot(disk, *order.previous, order.index_seed);
  if (!loaded) return loaded.fault();
  PAWL_ASSERT(loaded.value().mark.index + 1 == order.first);
  return std::move(loaded).value().state;
}

std::optional<Fault> apply(core::State& state, const SnapshotOrder& order) {
  Index index = order.first;
  for (const Entry& entry : order.entries) {
    if (const auto why = apply_entry(state, entry)) {
      return damaged("log", why->offset, "entry " + std::to_string(index) + ": " + why->reason);
    }
    ++index;
  }
  return {};
}

Fault differs(const SnapshotOrder& order, std::uint64_t hash) {
  Fault fault = damaged("log", 0,
                        "at entry " + std::to_string(order.mark.index) +
                            " the live state and the log differ: the live state's hash is " +
                            in_hex(order.state_hash) + ", the log leads to " + in_hex(hash));
  fault.advice =
      "this is a bug of Pawl or a fault of this machine's memory: copy the data folder aside, "
      "report "
      "it, and start again; the log is what counts";
  return fault;
}

}  // namespace

ports::Result<MadeSnapshot, Fault> make_snapshot(ports::Disk& disk, const SnapshotOrder& order) {
  PAWL_ASSERT(order.first + order.entries.size() == order.mark.index + 1);
  PAWL_ASSERT(order.entries.empty() || order.entries.back().term == order.mark.term);
  auto before = state_before(disk, order);
  if (!before) return before.fault();
  core::State& state = *before.value();
  if (auto fault = apply(state, order)) return *std::move(fault);
  const std::uint64_t hash = core::state_hash(state);
  if (hash != order.state_hash) return differs(order, hash);
  auto written = write_snapshot(disk, order.mark, state);
  if (!written) return written.fault();
  return MadeSnapshot{std::move(written).value(), hash, state.held + state.waiting};
}

}  // namespace pawl::engine
