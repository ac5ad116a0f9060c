// SPDX-License-Identifier: Apache-2.0
// The calls that only look at what is there, and the stream of events. Owned by the loop.
#pragma once

#include "doors/http/call.h"

namespace pawl::doors::http {

service::CallId list_locks(Call& call);
service::CallId show_lock(Call& call);
service::CallId show_resource(Call& call);
service::CallId list_audit(Call& call);
service::CallId check_fence(Call& call);
service::CallId watch_events(Call& call);
service::CallId list_renewal_failures(Call& call);

}  // namespace pawl::doors::http
