// SPDX-License-Identifier: Apache-2.0
// The lease ids that the service makes for clients that bring none: `lease_` and 128 bits that
// nobody can guess, since whoever knows the id can act on the lease.
#pragma once

#include "core/names.h"
#include "ports/random.h"

namespace pawl::service {

core::LeaseId make_lease_id(ports::Secrets& secrets);

}  // namespace pawl::service
