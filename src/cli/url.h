// SPDX-License-Identifier: Apache-2.0
// Where a Pawl service is, as a URL says it. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ports/result.h"

namespace pawl::cli {

inline constexpr std::string_view kDefaultUrl = "http://127.0.0.1:7420";
inline constexpr std::uint16_t kDefaultPort = 7420;

struct Address {
  std::string host;  // an IPv6 address without its brackets
  std::uint16_t port = kDefaultPort;

  // host:port, as a Host header and a reader want it.
  std::string authority() const;
  friend bool operator==(const Address&, const Address&) = default;
};

// http://host[:port], pawl://host[:port] (the same, but the port is 7420 unless given) or just
// host:port. The fault is a sentence for whoever typed it.
ports::Result<Address, std::string> parse_url(std::string_view url);

}  // namespace pawl::cli
