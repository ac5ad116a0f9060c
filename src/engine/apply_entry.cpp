// SPDX-License-Identifier: Apache-2.0
#include "engine/apply_entry.h"

namespace pawl::engine {

std::optional<codec::Unreadable> apply_entry(core::State& state, const Entry& entry) {
  return apply_entry(state, entry, [](const core::Command&, const core::Effects&) {});
}

}  // namespace pawl::engine
