// SPDX-License-Identifier: Apache-2.0
// Counts what schedules reach: a rule that no schedule reaches is not tested, whatever the number
// of schedules.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/effect.h"

namespace pawl::testing {

class Coverage {
 public:
  Coverage();  // every name that is to be reached, at zero

  void count(const core::Effects& effects);

  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }
  std::string table() const;
  // Those below `least`, but for the ones that can't occur.
  std::vector<std::string> missing(std::uint64_t least) const;

 private:
  void reach(const std::string& name) { ++counts_[name]; }

  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace pawl::testing
