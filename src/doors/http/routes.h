// SPDX-License-Identifier: Apache-2.0
// The table of all calls: method, path, name, the query parameters and body fields it takes, and
// who serves it. openapi.json is checked against it. Constant data.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "doors/http/call.h"
#include "doors/http/fields.h"
#include "doors/http/target.h"

namespace pawl::doors::http {

struct Route {
  std::string_view method;
  std::string_view path;  // "/v1/locks/{leaseId}/renew"
  std::string_view call;  // its name in metrics, and operationId in openapi.json
  service::CallId (*serve)(Call& call);
  std::span<const std::string_view> queries;
  std::span<const FieldName> fields;  // of the body; empty: there is none
};

std::span<const Route> routes();

struct Found {
  const Route* route;
  std::string_view argument;  // what stands in the place of {...}
};
struct NotRouted {
  service::Problem problem;
  std::string allow;  // the methods of a path that has others
};
std::variant<Found, NotRouted> find_route(std::string_view method, const Target& target);

}  // namespace pawl::doors::http
