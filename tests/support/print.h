// SPDX-License-Identifier: Apache-2.0
// Commands and effects as one line of text each, for failing schedules and golden traces. Every
// field that differs from its default is printed, so two unequal values never print the same. A
// printed command can be read back: see schedules/parse.h. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "core/command.h"
#include "core/effect.h"

namespace pawl::testing {

// @1.25s acquire default/lease-0003 by w2 exclusive [a,b] ttl=10s wait=5s attempt=2
std::string to_text(const core::Command& command);

// granted default/lease-0003 by w2 exclusive [a,b] ttl=10s token=7 ... valid_for=10s after_wait
// waited=1.2s
std::string to_text(const core::Effect& effect);

// now=1.25s; ended ...; * released ...: the reply is the one with the star.
std::string to_text(const core::Effects& effects);

// The same, one line for each effect, each after `indent`.
std::string to_lines(const core::Effects& effects, std::string_view indent);

// The smaller words of the language.
std::string to_text(core::Duration duration);  // 1.25s, unlimited
std::string to_text(core::Time time);          // 1.25s, never
std::string in_quotes(std::string_view text);  // plain if it can be, else "in \x22 quotes"
std::string_view to_text(core::Mode mode);
std::string_view to_text(core::EndCause cause);
std::string_view to_text(core::RefusalCode code);
std::string_view to_text(core::WaitKind kind);
std::string_view to_text(core::CancelReason reason);
std::string_view to_text(core::ForceWhen when);
std::string_view to_text(core::BusyReason reason);

}  // namespace pawl::testing
