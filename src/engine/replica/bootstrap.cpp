// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>

#include "engine/consensus/membership.h"
#include "engine/replica/replica.h"

namespace pawl::engine {

std::optional<Fault> bootstrap(ports::Disk& disk, ports::Random& random, const LogOptions& options,
                               const Membership& membership) {
  auto opened = Log::open(disk, random, options, true);
  if (!opened) return opened.fault();
  if (!opened.value().contents.entries.empty()) return std::nullopt;
  Append first;
  first.term = 1;
  first.first = 1;
  first.entries.push_back(
      {1, EntryKind::change, std::make_shared<const std::string>(encode(membership))});
  return opened.value().log->append(first);
}

}  // namespace pawl::engine
