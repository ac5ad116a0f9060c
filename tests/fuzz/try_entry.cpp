// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "codec/entry.h"
#include "core/assert.h"
#include "core/step.h"
#include "fuzz/support/forge.h"
#include "fuzz/targets.h"

namespace pawl::fuzz {
namespace {

void try_bytes(std::string_view bytes) {
  const auto decoded = codec::decode_entry(bytes);
  if (!decoded) {
    PAWL_ASSERT(!decoded.error().reason.empty() && decoded.error().offset <= bytes.size());
    return;
  }
  const std::vector<core::Command>& commands = decoded.value();
  const std::string again = codec::encode_entry(commands);
  const auto twice = codec::decode_entry(again);
  PAWL_ASSERT(twice.ok() && twice.value() == commands);
  std::size_t most = codec::kEntryHeaderBytes + codec::kEntryAlignment;
  for (const core::Command& command : commands) most += codec::most_entry_bytes(command);
  PAWL_ASSERT(again.size() <= most);
  // Whatever can be read can be applied: what a command may say is checked there.
  core::State state;
  for (const core::Command& command : commands) core::step(state, command);
}

}  // namespace

void try_entry(std::string_view input) {
  if (input.empty()) return;
  const bool forge = (static_cast<unsigned char>(input.front()) & 1U) != 0;
  input.remove_prefix(1);
  if (!forge) return try_bytes(input);
  if (input.size() > codec::kMaxEntryBytes / 2) return;
  try_bytes(codec::testing::frame_entry(input));
}

}  // namespace pawl::fuzz
