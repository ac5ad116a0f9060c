// SPDX-License-Identifier: Apache-2.0
// Whether bytes are well-formed UTF-8 (Unicode table 3-7). Pure.
#pragma once

#include <string_view>

namespace pawl::doors::http {

bool is_utf8(std::string_view text);

}  // namespace pawl::doors::http
