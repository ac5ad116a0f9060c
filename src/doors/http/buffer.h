// SPDX-License-Identifier: Apache-2.0
// Strings that serve as buffers: many connections have them, few need much at a time.
#pragma once

#include <cstddef>
#include <string>

namespace pawl::doors::http {

// What a buffer may keep for the next request.
inline constexpr std::size_t kUsualBytes = 1024;

// Empties it and gives its memory back; an assignment might keep it.
inline void give_back(std::string& buffer) { std::string().swap(buffer); }

// For a buffer whose content is done with.
inline void give_back_if_large(std::string& buffer) {
  if (buffer.capacity() > kUsualBytes) give_back(buffer);
}

}  // namespace pawl::doors::http
