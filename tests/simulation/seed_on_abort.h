// SPDX-License-Identifier: Apache-2.0
// An assertion in the core ends the process; this says which seed it was, so that it can be seen
// again. One at a time.
#pragma once

#include <cstdint>

namespace pawl::testing {

class SeedOnAbort {
 public:
  explicit SeedOnAbort(std::uint64_t seed);
  ~SeedOnAbort();
  SeedOnAbort(const SeedOnAbort&) = delete;
  SeedOnAbort& operator=(const SeedOnAbort&) = delete;

 private:
  using Handler = void (*)(int);
  Handler before_;
};

}  // namespace pawl::testing
