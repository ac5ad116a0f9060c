// SPDX-License-Identifier: Apache-2.0
#include "core/assert.h"

#include <cstdio>
#include <cstdlib>

namespace pawl::core {

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "pawl: bug: assertion '%s' failed at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace pawl::core
