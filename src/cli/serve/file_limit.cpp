// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/file_limit.h"

#include <sys/resource.h>

namespace pawl::cli {

std::uint64_t raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlimit wanted{limit.rlim_max, limit.rlim_max};
  if (limit.rlim_cur < limit.rlim_max && ::setrlimit(RLIMIT_NOFILE, &wanted) == 0) limit = wanted;
  return limit.rlim_cur;
}

}  // namespace pawl::cli
