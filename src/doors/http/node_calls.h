// SPDX-License-Identifier: Apache-2.0
// The calls about this node: health, metrics, version, cluster and the description of the API.
// Owned by the loop.
#pragma once

#include "doors/http/call.h"

namespace pawl::doors::http {

service::CallId show_cluster(Call& call);
service::CallId show_version(Call& call);
service::CallId healthz(Call& call);
service::CallId readyz(Call& call);
service::CallId metrics(Call& call);
service::CallId openapi(Call& call);

}  // namespace pawl::doors::http
