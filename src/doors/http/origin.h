// SPDX-License-Identifier: Apache-2.0
// Keeps other people's web pages out. A browser sends a page's requests to any address that it can
// reach, a node on the loopback included, and a body's Content-Type is not looked at; but it says
// where the page is from. Whoever sends no such header is no page. Pure functions.
#pragma once

#include "doors/http/api.h"
#include "doors/http/problems.h"

namespace pawl::doors::http {

// Refuses what a page of another origin sent.
Verdict check_origin(const Request& request);

}  // namespace pawl::doors::http
