// SPDX-License-Identifier: Apache-2.0
// openapi.json as it was when this was built. A constant.
#pragma once

#include <string_view>

namespace pawl::doors::http {

std::string_view openapi_document();

}  // namespace pawl::doors::http
