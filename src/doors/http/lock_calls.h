// SPDX-License-Identifier: Apache-2.0
// The calls that change locks: each reads its body into a command and formats what comes of it.
// Owned by the loop.
#pragma once

#include "doors/http/call.h"

namespace pawl::doors::http {

service::CallId acquire(Call& call);
service::CallId renew(Call& call);
service::CallId renew_many(Call& call);
service::CallId upgrade(Call& call);
service::CallId downgrade(Call& call);
service::CallId release(Call& call);
service::CallId force_release(Call& call);

}  // namespace pawl::doors::http
