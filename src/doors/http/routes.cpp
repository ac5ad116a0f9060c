// SPDX-License-Identifier: Apache-2.0
#include "doors/http/routes.h"

#include <array>
#include <vector>

#include "doors/http/lock_calls.h"
#include "doors/http/nearest.h"
#include "doors/http/node_calls.h"
#include "doors/http/read_calls.h"
#include "doors/http/requests.h"

namespace pawl::doors::http {
namespace {

constexpr std::array<std::string_view, 1> kSpaceOnly = {"namespace"};
constexpr std::array<std::string_view, 4> kPage = {"prefix", "limit", "after", "namespace"};
constexpr std::array<std::string_view, 2> kOneResource = {"limit", "namespace"};
constexpr std::array<std::string_view, 3> kEvents = {"prefix", "after", "namespace"};
constexpr std::array<std::string_view, 4> kFailures = {"prefix", "ownerId", "limit", "namespace"};

// A fixed path stands before one that has a place for anything there. The busiest come first.
const std::array kRoutes = {
    Route{"POST", "/v1/locks/acquire", "acquire", acquire, kSpaceOnly, kAcquireNames},
    Route{"POST", "/v1/locks/renew", "renew_many", renew_many, kSpaceOnly, kRenewManyNames},
    Route{"DELETE", "/v1/locks/{leaseId}", "release", release, kSpaceOnly, {}},
    Route{"GET", "/v1/locks/{leaseId}", "show_lock", show_lock, kSpaceOnly, {}},
    Route{"POST", "/v1/locks/{leaseId}/renew", "renew", renew, kSpaceOnly, kRenewNames},
    Route{"POST", "/v1/locks/{leaseId}/upgrade", "upgrade", upgrade, kSpaceOnly, kUpgradeNames},
    Route{"POST", "/v1/locks/{leaseId}/downgrade", "downgrade", downgrade, kSpaceOnly,
          kDowngradeNames},
    Route{"GET", "/v1/locks", "list_locks", list_locks, kPage, {}},
    Route{"GET", "/v1/resources/{resource}", "show_resource", show_resource, kOneResource, {}},
    Route{"POST", "/v1/resources/{resource}/force-release", "force_release", force_release,
          kSpaceOnly, kForceReleaseNames},
    Route{"GET", "/v1/audit", "list_audit", list_audit, kPage, {}},
    Route{"POST", "/v1/fence/check", "check_fence", check_fence, kSpaceOnly, kFenceCheckNames},
    Route{"GET", "/v1/events", "watch_events", watch_events, kEvents, {}},
    Route{"GET",
          "/v1/renewal-failures",
          "list_renewal_failures",
          list_renewal_failures,
          kFailures,
          {}},
    Route{"GET", "/v1/cluster", "show_cluster", show_cluster, {}, {}},
    Route{"GET", "/v1/version", "show_version", show_version, {}, {}},
    Route{"GET", "/healthz", "healthz", healthz, {}, {}},
    Route{"GET", "/readyz", "readyz", readyz, {}, {}},
    Route{"GET", "/metrics", "metrics", metrics, {}, {}},
    Route{"GET", "/openapi.json", "openapi", openapi, {}, {}},
};

// Whether the target's path is this one; what stands in the place of {...} is put into `argument`.
bool matches(std::string_view path, const Target& target, std::string_view& argument) {
  std::size_t at = 0;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    if (at == target.segments()) return false;
    const std::string& given = target.segment(at++);
    if (!segment.starts_with('{')) {
      if (segment != given) return false;
    } else if (given.empty()) {
      return false;
    } else {
      argument = given;
    }
  }
  return at == target.segments();
}

NotRouted no_such_path(const Target& target) {
  std::vector<std::string_view> paths;
  for (const Route& route : kRoutes) paths.push_back(route.path);
  NotRouted refused;
  refused.problem.code = service::ProblemCode::not_found;
  refused.problem.detail =
      "there is no path '" + shortened(target.path()) + "'" + hint(target.path(), paths);
  return refused;
}

NotRouted other_methods(std::string_view path) {
  NotRouted refused;
  for (const Route& route : kRoutes) {
    if (route.path != path) continue;
    if (!refused.allow.empty()) refused.allow += ", ";
    refused.allow += route.method;
    if (route.method == "GET") refused.allow += ", HEAD";
  }
  refused.problem.code = service::ProblemCode::method_not_allowed;
  refused.problem.detail = "this path has only the methods " + refused.allow;
  return refused;
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

std::variant<Found, NotRouted> find_route(std::string_view method, const Target& target) {
  if (method == "HEAD") method = "GET";
  std::string_view argument;
  std::string_view path;  // the first that fits
  for (const Route& route : kRoutes) {
    if (path.empty() ? !matches(route.path, target, argument) : route.path != path) continue;
    path = route.path;
    if (route.method == method) return Found{&route, argument};
  }
  if (path.empty()) return no_such_path(target);
  return other_methods(path);
}

}  // namespace pawl::doors::http
