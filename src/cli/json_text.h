// SPDX-License-Identifier: Apache-2.0
// A parsed JSON value as text again, with numbers as people write them (0.25, not 2.5E-1).
#pragma once

#include <string>

#include <boost/json/value.hpp>

namespace pawl::cli {

std::string json_text(const boost::json::value& value);

}  // namespace pawl::cli
