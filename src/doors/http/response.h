// SPDX-License-Identifier: Apache-2.0
// The head of a response, written by hand to the end of a string: one is written for every request,
// and they are all alike. Pure.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include "doors/http/api.h"

namespace pawl::doors::http {

struct Framing {
  bool keep = true;         // the connection stays open for more
  bool http_1_1 = true;     // as the request said
  std::string_view date{};  // as HTTP writes it; empty: not told
};

// Everything up to the body.
void append_head(std::string& out, const Answer& answer, const Framing& framing);

// The head of a stream of server-sent events, which ends with the connection.
std::string stream_head(std::string_view date);

// "Sun, 15 Nov 2026 16:04:12 GMT"
std::string http_date(std::time_t when);

std::string_view reason_phrase(int status);

}  // namespace pawl::doors::http
