// SPDX-License-Identifier: Apache-2.0
#include "engine/host/posix.h"

#include <cstring>

namespace pawl::engine {

std::string reason_of(int error) {
  const char* words = ::strerrordesc_np(error);
  return words != nullptr ? words : "error " + std::to_string(error);
}

}  // namespace pawl::engine
