// SPDX-License-Identifier: Apache-2.0
// Where to listen: `127.0.0.1:7420`, `[::1]:7420`, `localhost:0`. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ports/result.h"

namespace pawl::cli {

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;  // 0: any free one
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

// The endpoint, or what is wrong with the text: "has no port".
ports::Result<Endpoint, std::string> parse_endpoint(std::string_view text);
std::string to_text(const Endpoint& endpoint);

// Whether only this machine can reach it. A name other than `localhost` may be anything.
bool is_loopback(const Endpoint& endpoint);

}  // namespace pawl::cli
