// SPDX-License-Identifier: Apache-2.0
// What a person at a terminal sees once the service is up. Pure.
#pragma once

#include <string>
#include <string_view>

namespace pawl::cli {

struct Greeting {
  std::string_view version;
  std::string_view http;  // host:port that was taken
  std::string_view data_dir;
};

std::string to_text(const Greeting& greeting);

// Where to reach what listens there: every interface is reached by way of loopback.
std::string url_of(std::string_view http);

}  // namespace pawl::cli
