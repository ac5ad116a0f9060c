// SPDX-License-Identifier: Apache-2.0
#include "doors/http/origin.h"

#include <algorithm>
#include <string>
#include <utility>

namespace pawl::doors::http {
namespace {

char lower(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

bool same_text(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

// Anywhere: a header that is sent twice must not hide what it says once.
bool has_text(std::string_view whole, std::string_view part) {
  return !std::ranges::search(whole, part, {}, lower, lower).empty();
}

// Takes `start` off the front, in whatever case; false: there is no such front.
bool take_off(std::string_view& text, std::string_view start) {
  if (!same_text(text.substr(0, start.size()), start)) return false;
  text.remove_prefix(start.size());
  return true;
}

std::string_view without(std::string_view authority, std::string_view default_port) {
  if (authority.ends_with(default_port)) authority.remove_suffix(default_port.size());
  return authority;
}

// The scheme is not compared: TLS may end at a proxy. "null" and what is no origin at all are
// nobody's.
bool is_own(std::string_view origin, std::string_view host) {
  const bool tls = take_off(origin, "https://");
  if (!tls && !take_off(origin, "http://")) return false;
  const std::string_view port = tls ? ":443" : ":80";
  return !host.empty() && same_text(without(origin, port), without(host, port));
}

service::Problem refused(std::string field, std::string detail) {
  service::Problem problem;
  problem.code = service::ProblemCode::cross_origin;
  problem.field = std::move(field);
  problem.detail = std::move(detail);
  return problem;
}

}  // namespace

Verdict check_origin(const Request& request) {
  if (!request.origin.empty() && !is_own(request.origin, request.host))
    return refused("Origin",
                   "a web page of another origin sent this; Origin must name the host and port "
                   "that Host names");
  // A page's plain GET has no Origin.
  if (has_text(request.fetch_site, "cross-site"))
    return refused("Sec-Fetch-Site", "a web page of another site sent this");
  return {};
}

}  // namespace pawl::doors::http
