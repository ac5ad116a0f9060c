// SPDX-License-Identifier: Apache-2.0
// What every answer of the HTTP API keeps to, whatever was asked: an allowed status and type, JSON
// that others can read, a problem with its code, bytes that are one HTTP response. A broken rule
// stops the process and says which. Test code, thread-safe.
#pragma once

#include <string_view>

#include "doors/http/api.h"
#include "service/feed.h"

namespace pawl::fuzz {

void check_answer(std::string_view method, const doors::http::Answer& answer);
// One JSON object a line, with its own name in it.
void check_event(const service::FeedEvent& event);

}  // namespace pawl::fuzz
