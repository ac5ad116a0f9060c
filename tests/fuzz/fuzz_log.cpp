// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pawl::fuzz::try_log({reinterpret_cast<const char*>(data), size});
  return 0;
}
