// SPDX-License-Identifier: Apache-2.0
// One command to protobuf and back. Internal to codec. Pure functions.
#pragma once

#include "codec/reading.h"
#include "core/command.h"

namespace pawl::codec {

namespace v1 {
class Command;
}

// `to` is cleared.
void write(const core::Command& from, v1::Command& to);

// Takes texts out of `from`. The result counts only if there is no trouble.
core::Command read(v1::Command& from, Trouble& trouble);

}  // namespace pawl::codec
