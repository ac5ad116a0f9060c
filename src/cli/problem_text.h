// SPDX-License-Identifier: Apache-2.0
// A problem of the service (problem+json) in words for the person at the command line. Pure.
#pragma once

#include <boost/json/object.hpp>

#include "cli/remote.h"

namespace pawl::cli {

Trouble trouble_from(const boost::json::object& problem);

// "ttlSeconds" is "--ttl" on the command line; a field without a flag of its own stays as it is.
std::string flag_of(std::string_view field);

}  // namespace pawl::cli
