// SPDX-License-Identifier: Apache-2.0
// `pawl why`: the service's view of a resource in sentences. A pure function.
#pragma once

#include <string>

#include "cli/fields.h"

namespace pawl::cli {

// Who holds it, since when and until when, who waits in which order, how long holds usually take,
// and what happens next. Printable; ends with a newline.
std::string explain(const Json& view, WallTime now);

}  // namespace pawl::cli
