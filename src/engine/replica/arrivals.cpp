// SPDX-License-Identifier: Apache-2.0
#include "engine/replica/arrivals.h"

#include <utility>

namespace pawl::engine {

void Arrivals::add(core::Command command, ports::OnAnswer done, std::size_t bytes) {
  const bool fits = !batches_.empty() && batches_.back().commands.size() < most_commands_ &&
                    batches_.back().bytes + bytes <= most_bytes_;
  if (!fits) batches_.emplace_back();
  Batch& batch = batches_.back();
  batch.commands.push_back(std::move(command));
  batch.answers.push_back(std::move(done));
  batch.bytes += bytes;
}

void Arrivals::stamp(core::Time at) {
  for (Batch& batch : batches_) {
    for (core::Command& command : batch.commands) command.at = at;
  }
}

Batch Arrivals::take() {
  Batch batch = std::move(batches_.front());
  batches_.pop_front();
  return batch;
}

}  // namespace pawl::engine
