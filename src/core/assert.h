// SPDX-License-Identifier: Apache-2.0
// PAWL_ASSERT(condition): a bug, not bad input. It stays on in release, because a lock service that
// goes on with a broken state is worse than one that stops. Thread-safe; never returns on failure.
#pragma once

namespace pawl::core {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace pawl::core

#define PAWL_ASSERT(condition)                         \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::pawl::core::assertion_failed(#condition, __FILE__, __LINE__))
