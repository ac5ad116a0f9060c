// SPDX-License-Identifier: Apache-2.0
#include "engine/consensus/writes.h"

#include <algorithm>

#include "core/assert.h"

namespace pawl::engine {

std::uint64_t Writes::issue(Index first, Index last) {
  PAWL_ASSERT(first > 0 && first <= last);
  for (Write& write : under_way_) write.valid = std::min(write.valid, first - 1);
  under_way_.push_back({first, last});
  return ended_ + under_way_.size();
}

Index Writes::done(std::uint64_t number) {
  PAWL_ASSERT(number <= ended_ + under_way_.size());
  Index valid = 0;
  for (; ended_ < number; ++ended_) {
    const Write& write = under_way_.front();
    if (write.valid >= write.first) valid = std::max(valid, write.valid);
    under_way_.pop_front();
  }
  return valid;
}

void Writes::forget() {
  for (Write& write : under_way_) write.valid = 0;
}

}  // namespace pawl::engine
